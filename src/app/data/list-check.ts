import { TidegateError } from '../../model/errors.ts';
import { type DescribedSeries, describeRecordings } from '../../recording/catalogue/describe-recording.ts';
import { findRecording, listRecordings, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../recording/checks/check-series.ts';
import { durationText, type Finding, type Severity } from '../../recording/checks/findings.ts';
import { seriesTitle } from '../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../recording/columns/series-reader.ts';
import { alignedLines, bytesText, plural, seriesCells, wrapped } from './cli-text.ts';

const LIST_HEADINGS = ['', 'rows', 'first (UTC)', 'last (UTC)', 'step', 'on disk', 'origin'];

/** Prints every recording under the data directory with its series, their ranges and what they take on disk; a damaged one is named among them. */
export async function dataList(options: { readonly dataDir: string }, print: (line: string) => void): Promise<void> {
  const recordings = await listRecordings(options.dataDir);
  if (recordings.length === 0) {
    print(`no recordings under ${options.dataDir}; "tidegate data import" and "tidegate data synth" make them`);
    return;
  }
  for (const { name, folder, series } of await describeRecordings(options.dataDir, recordings)) {
    print(`${name} (${folder}): ${bytesText(series.reduce((sum, { bytes }) => sum + bytes, 0))}`);
    for (const line of alignedLines([LIST_HEADINGS, ...series.map(listCells)], [1, 5])) print(`  ${line}`);
    for (const { meta } of series) if (meta instanceof TidegateError) print(`  damaged: ${meta.message}`);
  }
}

function listCells({ place, meta, bytes }: DescribedSeries): string[] {
  if (meta instanceof TidegateError) return [seriesTitle(place), '?', '', '', '', bytesText(bytes), 'damaged'];
  const [title, rows, first, last, step, origin] = seriesCells(meta) as [string, string, string, string, string, string];
  return [title, rows, first, last, step, bytesText(bytes), origin];
}

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
