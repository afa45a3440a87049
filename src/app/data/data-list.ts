import { TidegateError } from '../../model/errors.ts';
import { type DescribedSeries, describeRecordings } from '../../recording/catalogue/describe-recording.ts';
import { listRecordings } from '../../recording/catalogue/open-recording.ts';
import { seriesTitle } from '../../recording/columns/series-meta.ts';
import { seriesCells } from './series-text.ts';
import { alignedLines, bytesText } from './text-layout.ts';

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
