import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { listRecordings, openRecording, type Recording } from '../../recording/catalogue.ts';
import { checkSeries } from '../../recording/check.ts';
import { durationText } from '../../recording/duration-text.ts';
import { type SeriesMeta, seriesFileName } from '../../recording/series-meta.ts';
import { seriesCells } from './series-text.ts';
import { alignedLines, plural, wrapped } from './text-layout.ts';

/**
 * Checks the named recordings, or all, and prints what was found.
 * @throws TidegateError DATA_INVALID after printing when anything found is an error; warnings do not throw.
 */
export function dataCheck(names: readonly string[], options: { readonly dataDir: string }, print: (line: string) => void): void {
  const { dataDir } = options;
  const recordings = names.length === 0 ? listRecordings(dataDir) : names.map((name) => openRecording(dataDir, name));
  if (recordings.length === 0) print(`no recordings under ${dataDir}`);
  const errors = recordings.map((recording) => checkRecording(recording, print)).reduce((sum, count) => sum + count, 0);
  if (errors > 0) throw new TidegateError('DATA_INVALID', `the check found ${plural(errors, 'error')}`);
}

/** Prints one recording's findings; returns how many are errors. */
function checkRecording(recording: Recording, print: (line: string) => void): number {
  print(`${recording.name} (${recording.folder})`);
  const titles = alignedLines(
    recording.series.map((meta) => seriesCells(meta).slice(0, 4)),
    [1],
  );
  let errors = 0;
  recording.series.forEach((meta, index) => {
    errors += checkOne(recording, meta, titles[index]!, print);
  });
  return errors;
}

function checkOne(recording: Recording, meta: SeriesMeta, title: string, print: (line: string) => void): number {
  const { findings, longestPauseMs } = checkSeries(join(recording.folder, `${seriesFileName(meta)}.bin`), meta);
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  const verdict = errors > 0 ? plural(errors, 'error') : findings.length > 0 ? plural(findings.length, 'warning') : 'good';
  const pause = meta.kind === 'bar' ? '' : `, longest pause ${durationText(longestPauseMs)}`;
  print(`  ${title}  ${verdict}${pause}`);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 4)) print(line);
  return errors;
}
