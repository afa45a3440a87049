import { TidegateError } from '../../model/errors.ts';
import { type DescribedSeries, describeRecordings } from '../../recording/catalogue/describe-recording.ts';
import { findRecording, findSeries, listRecordings, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { keepSeries } from '../../recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../recording/checks/check-series.ts';
import { durationText, type Finding, type Severity } from '../../recording/checks/findings.ts';
import { SERIES_COLUMNS, type SeriesKind, seriesTitle } from '../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../recording/columns/series-reader.ts';
import { exportSeries } from '../../recording/export-series.ts';
import { importCsv } from '../../recording/import/import-csv.ts';
import { Quarantine } from '../../recording/import/rows.ts';
import { withTablesAsText } from '../../recording/import/tables.ts';
import { requireLocal } from '../../recording/remote-storage.ts';
import { makesBars, type Resampled, resample } from '../../recording/resample.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { alignedLines, bytesText, intervalOption, plural, seriesCells, seriesSummary, wrapped } from './text-layout.ts';

export interface DataCheckOptions {
  readonly dataDir: string;
  /** The mildest finding that fails the check. */
  readonly failOn: Severity;
}

/**
 * Checks the named recordings, or all, and prints what was found.
 * @throws TidegateError DATA_INVALID after printing when anything found is as bad as `failOn`.
 */
export async function dataCheck(
  names: readonly string[],
  { dataDir, failOn }: DataCheckOptions,
  print: (line: string) => void,
): Promise<void> {
  const wanted = names.length === 0 ? (await listRecordings(dataDir)).map(({ name }) => name) : names;
  if (wanted.length === 0) print(`no recordings under ${dataDir}`);
  const findings: Finding[] = [];
  for (const name of wanted) findings.push(...(await checkRecording(dataDir, await findRecording(dataDir, name), print)));
  const errors = findings.filter(isError).length;
  const warnings = failOn === 'warning' ? findings.length - errors : 0;
  const counts = [...(errors > 0 ? [plural(errors, 'error')] : []), ...(warnings > 0 ? [plural(warnings, 'warning')] : [])];
  if (counts.length > 0) throw new TidegateError('DATA_INVALID', `the check found ${counts.join(' and ')}`);
}

/** Prints one recording's findings, and returns them. A series that cannot be opened is one. */
async function checkRecording(
  dataDir: string,
  { name, folder, series }: RecordingPlace,
  print: (line: string) => void,
): Promise<readonly Finding[]> {
  print(`${name} (${folder})`);
  const opened: (StoredSeries | TidegateError)[] = [];
  for (const place of series) opened.push(await openSeriesAt(dataDir, place).catch(asDamage));
  const rows = opened.map((one, index) =>
    one instanceof TidegateError ? [seriesTitle(series[index]!), '?', '', ''] : seriesCells(one.meta).slice(0, 4),
  );
  const titles = alignedLines(rows, [1]);
  return opened.flatMap((one, index) =>
    one instanceof TidegateError ? damaged(one, titles[index]!, print) : checkOne(one, titles[index]!, print),
  );
}

function asDamage(error: unknown): TidegateError {
  if (error instanceof TidegateError && error.code !== 'DATA_UNREACHABLE') return error;
  throw error;
}

function damaged({ message }: TidegateError, title: string, print: (line: string) => void): readonly Finding[] {
  print(`  ${title}  1 error`);
  for (const line of wrapped(`error: ${message}`, 4)) print(line);
  return [{ code: 'corrupt', severity: 'error', count: 1, time: undefined, what: 'damage', text: message }];
}

function checkOne(series: StoredSeries, title: string, print: (line: string) => void): readonly Finding[] {
  const { findings, longestPauseMs } = checkSeries(series);
  const errors = findings.filter(isError).length;
  const verdict = errors > 0 ? plural(errors, 'error') : findings.length > 0 ? plural(findings.length, 'warning') : 'good';
  const pause = series.meta.kind === 'bar' ? '' : `, longest pause ${durationText(longestPauseMs)}`;
  print(`  ${title}  ${verdict}${pause}`);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 4)) print(line);
  return findings;
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

export interface DataExportOptions {
  readonly dataDir: string;
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
  /** Length of the bars, as `1m`. */
  readonly of?: string | undefined;
  readonly out: string;
  readonly replace?: boolean | undefined;
}

/** Writes one series as a file and prints what it holds. Ctrl-C ends it with 130 and leaves nothing behind. */
export async function dataExport(recording: string, options: DataExportOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, out, replace } = options;
  const wish = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const series = await openSeriesAt(dataDir, findSeries(await findRecording(dataDir, recording), wish, 'to export'));
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort);
  try {
    const whole = await exportSeries(series, { out, replace, signal: interrupt.signal });
    if (whole) print(`${seriesSummary(series.meta)}, written to ${out}`);
    else process.exitCode = EXIT_CODES.interrupted;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort);
  }
}

export interface DataImportOptions {
  readonly dataDir: string;
  readonly name: string;
  readonly symbol: string;
  readonly kind: SeriesKind;
  /** As `1m`, `4h`, `1d`; told from the data when absent. */
  readonly interval?: string | undefined;
  readonly time?: 'open' | 'close' | undefined;
  /** `name=header` pairs, each entry one or several with commas between. */
  readonly columns?: readonly string[] | undefined;
  /** The symbol whose rows are meant, as the files write it. */
  readonly only?: string | undefined;
  /** File that takes the rows that cannot be imported. */
  readonly quarantine?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Imports files as one series and prints what it became and what a check found in it. */
export async function dataImport(files: readonly string[], options: DataImportOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, name, symbol, kind, time, only, replace } = options;
  requireLocal(dataDir, 'what is imported');
  if (kind !== 'bar' && (options.interval !== undefined || time !== undefined)) {
    throw new TidegateError('USAGE', `--interval and --time are for bars, not for ${kind === 'funding' ? kind : `a ${kind}`}`);
  }
  const columns = columnNames(options.columns ?? [], kind);
  const intervalMs = intervalOption('--interval', options.interval);
  const quarantine = options.quarantine === undefined ? undefined : new Quarantine(options.quarantine, replace ?? false);
  const { series, file } = await whole(quarantine, () =>
    withTablesAsText(files, async (texts) => {
      const [kept] = await keepSeries({ dataDir, name, replace }, (staging) => [
        importCsv({ ...staging, files: texts, symbol, kind, intervalMs, time, columns, only, quarantine }),
      ]);
      return kept!;
    }),
  );
  print(seriesSummary(series.meta));
  print(`written to ${file}`);
  if (quarantine !== undefined) print(`${plural(quarantine.count, 'row')} refused, listed in ${quarantine.path}`);
  const { findings } = checkSeries(series);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 2)) print(line);
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  if (errors > 0) print(`${plural(errors, 'error')} in the data: "tidegate data check ${name}" shows this again`);
}

/** The quarantine's file stays only where the series does. */
async function whole<T>(quarantine: Quarantine | undefined, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work();
    quarantine?.finish();
    return done;
  } catch (error) {
    quarantine?.abort();
    throw error;
  }
}

function columnNames(entries: readonly string[], kind: SeriesKind): Record<string, string> {
  const known = ['time', ...SERIES_COLUMNS[kind].map((column) => column.name)];
  const names: Record<string, string> = {};
  for (const entry of entries.flatMap((text) => text.split(','))) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, Math.max(at, 0)).trim();
    const header = entry.slice(at + 1).trim();
    if (!known.includes(name) || header === '') {
      throw new TidegateError('USAGE', `--columns "${entry}"; expected <name>=<header> with a name of ${known.join(', ')}`);
    }
    names[name] = header;
  }
  return names;
}

const HEADINGS = ['', 'rows', 'first (UTC)', 'last (UTC)', 'step', 'on disk', 'origin'];

/** Prints every recording under the data directory with its series, their ranges and what they take on disk; a damaged one is named among them. */
export async function dataList(options: { readonly dataDir: string }, print: (line: string) => void): Promise<void> {
  const recordings = await listRecordings(options.dataDir);
  if (recordings.length === 0) {
    print(`no recordings under ${options.dataDir}; "tidegate data import" and "tidegate data synth" make them`);
    return;
  }
  for (const { name, folder, series } of await describeRecordings(options.dataDir, recordings)) {
    print(`${name} (${folder}): ${bytesText(series.reduce((sum, { bytes }) => sum + bytes, 0))}`);
    for (const line of alignedLines([HEADINGS, ...series.map(cells)], [1, 5])) print(`  ${line}`);
    for (const { meta } of series) if (meta instanceof TidegateError) print(`  damaged: ${meta.message}`);
  }
}

function cells({ place, meta, bytes }: DescribedSeries): string[] {
  if (meta instanceof TidegateError) return [seriesTitle(place), '?', '', '', '', bytesText(bytes), 'damaged'];
  const [title, rows, first, last, step, origin] = seriesCells(meta) as [string, string, string, string, string, string];
  return [title, rows, first, last, step, bytesText(bytes), origin];
}

export interface DataResampleOptions {
  readonly dataDir: string;
  readonly symbol: string;
  readonly kind?: SeriesKind | undefined;
  /** Length of the shorter bars, as `1m`. */
  readonly of?: string | undefined;
  /** Length of the bars to make. */
  readonly to: string;
  readonly name?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Makes longer bars from a series and prints what they became. */
export async function dataResample(recording: string, options: DataResampleOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, replace } = options;
  requireLocal(dataDir, 'longer bars');
  const intervalMs = intervalOption('--to', options.to);
  const wish = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const what = `of ${symbol} to make ${options.to} bars from`;
  const place = findSeries(await findRecording(dataDir, recording), wish, what, (id) => makesBars(id, intervalMs));
  const series = await openSeriesAt(dataDir, place);
  let made: Resampled | undefined;
  const [kept] = await keepSeries({ dataDir, name: options.name ?? recording, replace }, (staging) => {
    made = resample(series, { ...staging, intervalMs }, recording);
    return [made.meta];
  });
  const { meta, from, leftOut, thin } = made!;
  print(`${seriesSummary(meta)}, from ${seriesTitle(from)}`);
  print(`written to ${kept!.file}`);
  if (leftOut > 0) print(`${plural(leftOut, 'bar')} at the edges left out: the data begins or ends inside`);
  if (thin > 0) print(`warning: ${plural(thin, 'bar')} made of fewer shorter ones than belong in it: the data has gaps there`);
}

const MOST = 1_000;

/** A whole number from 0 to 1000. @throws TidegateError USAGE for other text. */
export function countOption(flag: string, text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MOST) return count;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected a whole number from 0 to ${MOST}`);
}
