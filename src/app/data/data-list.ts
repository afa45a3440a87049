import { listRecordings } from '../../recording/catalogue.ts';
import { seriesCells } from './series-text.ts';
import { alignedLines } from './text-layout.ts';

const HEADINGS = ['', 'rows', 'first (UTC)', 'last (UTC)', 'price step', 'origin'];

/** Prints every recording under the data directory with its series. */
export function dataList(options: { readonly dataDir: string }, print: (line: string) => void): void {
  const recordings = listRecordings(options.dataDir);
  if (recordings.length === 0) print(`no recordings under ${options.dataDir}; "tidegate data import" and "tidegate data synth" make them`);
  for (const { name, folder, series } of recordings) {
    print(`${name} (${folder})`);
    for (const line of alignedLines([HEADINGS, ...series.map(seriesCells)], [1])) print(`  ${line}`);
  }
}
