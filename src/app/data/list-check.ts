import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { CACHE_LIMIT_VARIABLE, type CacheEntry, cacheEntries, cacheLimit, limitCache } from '../../recording/catalogue/cache-limit.ts';
import { type DescribedSeries, describeRecordings } from '../../recording/catalogue/describe-recording.ts';
import { findRecording, listRecordings, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { SeriesCache } from '../../recording/catalogue/series-cache.ts';
import { checkSeries } from '../../recording/checks/check-series.ts';
import { durationText, type Finding, type Severity } from '../../recording/checks/findings.ts';
import { seriesTitle } from '../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../recording/columns/series-reader.ts';
import { placeIn } from '../../recording/remote-storage.ts';
import { recordingsWithSignals } from '../../recording/signals/signal-file.ts';
import { alignedLines, bytesText, plural, seriesCells, shortTime, terminalWidth, wrapped } from './cli-text.ts';
import { checkSignalsOf, signalsLine } from './signals.ts';

const LIST_HEADINGS = ['', 'rows', 'first (UTC)', 'last (UTC)', 'step', 'on disk', 'origin'];

interface DataListOptions {
  readonly dataDir: string;
  /** The folders that were searched for recordings, if no folder was named. */
  readonly searched?: readonly string[] | undefined;
}

/** Prints every recording in the data directory with its series, their time ranges and sizes on disk, and damaged series. */
export async function dataList(options: DataListOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, searched } = options;
  const recordings = await listRecordings(dataDir);
  const signals = recordingsWithSignals(dataDir);
  if (recordings.length + signals.length === 0) {
    const where = searched === undefined ? dataDir : searched.join(', ');
    print(`no recordings under ${where}; make one with "tidegate data import", "data download" or "data synth"`);
    return;
  }
  for (const { name, folder, series } of await describeRecordings(options.dataDir, recordings)) {
    print(`${name} (${folder}): ${bytesText(series.reduce((sum, { bytes }) => sum + bytes, 0))}`);
    for (const line of alignedLines([LIST_HEADINGS, ...series.map(listCells)], [1, 5])) print(`  ${line}`);
    for (const { meta } of series) if (meta instanceof TidegateError) print(`  damaged: ${meta.message}`);
    if (signals.includes(name)) print(`  ${await signalsLine(dataDir, name)}`);
  }
  for (const name of signals.filter((one) => recordings.every((recording) => recording.name !== one))) {
    print(`${name} (${placeIn(dataDir, name)})`);
    print(`  ${await signalsLine(dataDir, name)}`);
  }
}

/** Recordings for `--json`. @param names of recordings; all if there are none. */
export async function recordingsJson(dataDir: string, names: readonly string[]): Promise<readonly object[]> {
  const wanted = (await listRecordings(dataDir)).filter(({ name }) => names.length === 0 || names.includes(name));
  return (await describeRecordings(dataDir, wanted)).map(({ name, folder, series }) => ({
    name,
    folder,
    series: series.map(({ place, meta, bytes }) => {
      const { symbol, kind } = place;
      if (meta instanceof TidegateError) return { symbol, kind, bytes, damaged: meta.message };
      const { rows, firstTime, lastTime, intervalMs = null } = meta;
      return { symbol, kind, intervalMs, rows, from: isoTime(firstTime), to: isoTime(lastTime), bytes };
    }),
  }));
}

function listCells({ place, meta, bytes }: DescribedSeries): string[] {
  if (meta instanceof TidegateError) return [seriesTitle(place), '?', '', '', '', bytesText(bytes), 'damaged'];
  const [title, rows, first, last, step, origin] = seriesCells(meta) as [string, string, string, string, string, string];
  return [title, rows, first, last, step, bytesText(bytes), origin];
}

export interface DataCheckOptions {
  readonly dataDir: string;
  /** The lowest severity that fails the check. */
  readonly failOn: Severity;
}

/**
 * Checks the named recordings, or all, and prints the findings.
 * @throws TidegateError DATA_INVALID after printing, if a finding has the severity `failOn` or a higher one.
 */
export async function dataCheck(
  names: readonly string[],
  { dataDir, failOn }: DataCheckOptions,
  print: (line: string) => void,
): Promise<void> {
  const signals = recordingsWithSignals(dataDir);
  const all = async () => [...new Set([...(await listRecordings(dataDir)).map(({ name }) => name), ...signals])].sort();
  const wanted = names.length === 0 ? await all() : names;
  if (wanted.length === 0) print(`no recordings under ${dataDir}`);
  const findings: Finding[] = [];
  const found = { errors: 0, warnings: 0 };
  for (const name of wanted) {
    const hasSignals = signals.includes(name);
    const known = hasSignals ? (await listRecordings(dataDir)).find((one) => one.name === name) : await findRecording(dataDir, name);
    if (known === undefined) print(`${name} (${placeIn(dataDir, name)})`);
    else findings.push(...(await checkRecording(dataDir, known, print)));
    if (!hasSignals) continue;
    const { errors, warnings } = await checkSignalsOf(dataDir, name, print);
    found.errors += errors;
    found.warnings += warnings;
  }
  const ofSeries = findings.filter(isError).length;
  const errors = ofSeries + found.errors;
  const warnings = failOn === 'warning' ? findings.length - ofSeries + found.warnings : 0;
  const counts = [...(errors > 0 ? [plural(errors, 'error')] : []), ...(warnings > 0 ? [plural(warnings, 'warning')] : [])];
  if (counts.length > 0) throw new TidegateError('DATA_INVALID', `the check found ${counts.join(' and ')}`);
}

/** The blanks around a title, and the longest usual verdict. */
const VERDICT_WIDTH = 30;

/** Prints and returns one recording's findings. A series that cannot be opened is a finding. */
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
  const whole = alignedLines(rows, [1], Number.POSITIVE_INFINITY);
  // A verdict follows each title.
  const fits = whole.every((line) => line.length + VERDICT_WIDTH <= terminalWidth());
  const titles = fits ? whole : rows.map(([title]) => title!);
  return opened.flatMap((one, index) =>
    one instanceof TidegateError ? damaged(one, titles[index]!, print) : checkOne(one, titles[index]!, print),
  );
}

function asDamage(error: unknown): TidegateError {
  if (error instanceof TidegateError && error.code !== 'DATA_UNREACHABLE') return error;
  throw error;
}

function damaged({ message }: TidegateError, title: string, print: (line: string) => void): readonly Finding[] {
  printVerdict(title, '1 error', print);
  for (const line of wrapped(`error: ${message}`, 4)) print(line);
  return [{ code: 'corrupt', severity: 'error', count: 1, time: undefined, what: 'damage', text: message }];
}

function checkOne(series: StoredSeries, title: string, print: (line: string) => void): readonly Finding[] {
  const { findings, longestPauseMs } = checkSeries(series);
  const errors = findings.filter(isError).length;
  const verdict = errors > 0 ? plural(errors, 'error') : findings.length > 0 ? plural(findings.length, 'warning') : 'good';
  const pause = series.meta.kind === 'bar' ? '' : `, longest pause ${durationText(longestPauseMs)}`;
  printVerdict(title, `${verdict}${pause}`, print);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 4)) print(line);
  return findings;
}

/** The verdict follows the title; in a narrow terminal, on a line of its own. */
function printVerdict(title: string, verdict: string, print: (line: string) => void): void {
  const whole = `  ${title}  ${verdict}`;
  for (const line of whole.length <= terminalWidth() ? [whole] : [`  ${title}`, ...wrapped(verdict, 4)]) print(line);
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

const CACHE_HEADINGS = ['', 'rows', 'size', 'last used (UTC)', ''];

/** Prints the entries of the cache of a data directory, its size and its limit. */
export function dataCacheShow({ dataDir }: { readonly dataDir: string }, print: (line: string) => void): void {
  const { folder } = new SeriesCache(dataDir);
  const entries = cacheEntries(folder);
  print(
    `${folder}: ${plural(entries.length, 'file')} in ${bytesText(sizeOf(entries))}, limit ${bytesText(cacheLimit())} (${CACHE_LIMIT_VARIABLE})`,
  );
  if (entries.length > 0) for (const line of alignedLines([CACHE_HEADINGS, ...entries.map(cacheCells)], [1, 2])) print(`  ${line}`);
}

function cacheCells({ meta, bytes, lastUsed, inUse }: CacheEntry): string[] {
  const title = meta === undefined ? 'damaged' : `${seriesTitle(meta)} from ${shortTime(meta.firstTime)}`;
  return [title, meta === undefined ? '' : meta.rows.toLocaleString('en-US'), bytesText(bytes), shortTime(lastUsed), inUse ? 'in use' : ''];
}

/** Removes all entries of the cache that no process uses. They are made again when they are needed. */
export function dataCacheClear({ dataDir }: { readonly dataDir: string }, print: (line: string) => void): void {
  const { folder } = new SeriesCache(dataDir);
  const removed = limitCache(folder, 0);
  print(`${folder}: removed ${plural(removed.length, 'file')}, ${bytesText(sizeOf(removed))}`);
  const left = cacheEntries(folder);
  if (left.length > 0) print(`${plural(left.length, 'file')} in use, ${bytesText(sizeOf(left))}, left as they are`);
}

function sizeOf(entries: readonly CacheEntry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}
