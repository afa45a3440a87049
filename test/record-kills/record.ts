import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openRecording } from '../../src/recording/catalogue/open-recording.ts';
import { SeriesReader } from '../../src/recording/columns/series-reader.ts';
import type { Coverage } from '../../src/recording/log/log-contents.ts';
import { type LoggedPoll, readLogLines } from '../../src/recording/log/log-record.ts';
import { RECORDING } from './place.ts';

/** What a recorder that has ended left. */
export interface Recorded {
  readonly coverage: readonly Coverage[];
  /** Of all packed logs, in order of their names. */
  readonly polls: readonly LoggedPoll[];
  /** Bytes after the last whole record of any packed log, and damaged places in them. */
  readonly broken: number;
  /** Names of logs that have become no parts, or were put aside. */
  readonly left: readonly string[];
  /** `[epoch ms, price]` of a symbol's tickers. */
  rows(symbol: string): readonly (readonly [time: number, price: number])[];
}

export async function readRecorded(folder: string): Promise<Recorded> {
  const dataDir = join(folder, 'data');
  const place = join(dataDir, RECORDING, '.recording');
  const files = readdirSync(place).sort();
  const readings = files
    .filter((name) => name.endsWith('.log.gz'))
    .map((name) => readLogLines(gunzipSync(readFileSync(join(place, name)))));
  const lines = readFileSync(join(place, 'coverage.jsonl'), 'utf8').trimEnd().split('\n');
  const { series } = await openRecording(dataDir, RECORDING);
  return {
    coverage: lines.map((line) => JSON.parse(line) as Coverage),
    polls: readings.flatMap(({ records }) => records.filter((record) => record.kind === 'poll')),
    broken: readings.reduce((sum, { tornBytes, records }) => sum + tornBytes + records.filter(({ kind }) => kind === 'damaged').length, 0),
    left: files.filter((name) => /\.log(\.damaged)?$/.test(name) || name.endsWith('.new')),
    rows(symbol) {
      const rows: (readonly [number, number])[] = [];
      for (const { meta, path } of series.find((one) => one.meta.symbol === symbol)!.parts) {
        const reader = new SeriesReader(path, meta);
        while (reader.next()) {
          for (let row = 0; row < reader.length; row++) rows.push([reader.time[row]!, reader.columns[0]![row]! / 10 ** meta.priceDecimals]);
        }
      }
      return rows;
    },
  };
}
