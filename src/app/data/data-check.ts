import { TidegateError } from '../../model/errors.ts';
import { findRecording, listRecordings, openSeriesAt, type RecordingPlace } from '../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../recording/check.ts';
import { durationText } from '../../recording/duration-text.ts';
import { seriesTitle } from '../../recording/series-meta.ts';
import type { StoredSeries } from '../../recording/stored-series.ts';
import { seriesCells } from './series-text.ts';
import { alignedLines, plural, wrapped } from './text-layout.ts';

/**
 * Checks the named recordings, or all, and prints what was found.
 * @throws TidegateError DATA_INVALID after printing when anything found is an error; warnings do not throw.
 */
export async function dataCheck(
  names: readonly string[],
  options: { readonly dataDir: string },
  print: (line: string) => void,
): Promise<void> {
  const { dataDir } = options;
  const wanted = names.length === 0 ? listRecordings(dataDir).map(({ name }) => name) : names;
  if (wanted.length === 0) print(`no recordings under ${dataDir}`);
  let errors = 0;
  for (const name of wanted) errors += await checkRecording(dataDir, findRecording(dataDir, name), print);
  if (errors > 0) throw new TidegateError('DATA_INVALID', `the check found ${plural(errors, 'error')}`);
}

/** Prints one recording's findings; returns how many are errors. A series that cannot be opened is one. */
async function checkRecording(dataDir: string, { name, folder, series }: RecordingPlace, print: (line: string) => void): Promise<number> {
  print(`${name} (${folder})`);
  const opened: (StoredSeries | TidegateError)[] = [];
  for (const place of series) opened.push(await openSeriesAt(dataDir, place).catch(asDamage));
  const rows = opened.map((one, index) =>
    one instanceof TidegateError ? [seriesTitle(series[index]!), '?', '', ''] : seriesCells(one.meta).slice(0, 4),
  );
  const titles = alignedLines(rows, [1]);
  let errors = 0;
  opened.forEach((one, index) => {
    errors += one instanceof TidegateError ? damaged(one, titles[index]!, print) : checkOne(one, titles[index]!, print);
  });
  return errors;
}

function asDamage(error: unknown): TidegateError {
  if (error instanceof TidegateError) return error;
  throw error;
}

function damaged({ message }: TidegateError, title: string, print: (line: string) => void): number {
  print(`  ${title}  1 error`);
  for (const line of wrapped(`error: ${message}`, 4)) print(line);
  return 1;
}

function checkOne(series: StoredSeries, title: string, print: (line: string) => void): number {
  const { findings, longestPauseMs } = checkSeries(series);
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  const verdict = errors > 0 ? plural(errors, 'error') : findings.length > 0 ? plural(findings.length, 'warning') : 'good';
  const pause = series.meta.kind === 'bar' ? '' : `, longest pause ${durationText(longestPauseMs)}`;
  print(`  ${title}  ${verdict}${pause}`);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 4)) print(line);
  return errors;
}
