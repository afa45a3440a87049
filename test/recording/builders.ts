import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../src/model/errors.ts';
import { type KeepTarget, type KeptSeries, keepSeries } from '../../src/recording/catalogue/keep-series.ts';
import { type SeriesKind, type SeriesMeta, seriesFileName } from '../../src/recording/columns/series-meta.ts';
import { SeriesReader, type StoredSeries } from '../../src/recording/columns/series-reader.ts';
import { type ImportOptions, importCsv } from '../../src/recording/import/import-csv.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder for one test file, and the things tests do in it. */
export class Workshop {
  readonly folder = temporaryFolder('recording');
  readonly dataDir = join(this.folder, 'data');

  write(name: string, content: string | Uint8Array): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** Imports CSV text as `bar` of `BTC-USDT` unless told otherwise. */
  import(content: string | Uint8Array, options: Partial<ImportOptions> = {}): SeriesMeta {
    return this.importFiles([this.write('in.csv', content)], options);
  }

  importFiles(files: string[], options: Partial<ImportOptions> = {}): SeriesMeta {
    return importCsv({
      files,
      dataDir: this.dataDir,
      name: 'r',
      symbol: 'BTC-USDT',
      kind: 'bar',
      replace: true,
      quarantineMax: 1,
      ...options,
    });
  }

  /** Imports CSV text and keeps it in the catalogue. */
  async keep(content: string, options: Partial<ImportOptions & KeepTarget> = {}): Promise<KeptSeries> {
    const files = [this.write('in.csv', content)];
    const { name = 'r', symbol = 'BTC-USDT', kind = 'bar', intervalMs, ...more } = options;
    const [kept] = await keepSeries({ dataDir: this.dataDir, name, ...more }, (staging) => [
      importCsv({ ...staging, files, symbol, kind, intervalMs }),
    ]);
    return kept!;
  }

  binPath(meta: SeriesMeta, name = 'r'): string {
    return join(this.dataDir, name, `${seriesFileName(meta)}.bin`);
  }

  stored(meta: SeriesMeta, name = 'r'): StoredSeries {
    return { meta, parts: [{ meta, path: this.binPath(meta, name) }] };
  }

  read(meta: SeriesMeta): Rows {
    return readRows(this.binPath(meta), meta);
  }
}

export interface Rows {
  /** Epoch ms. */
  readonly time: number[];
  readonly nanos: number[];
  /** By column, as raw integers. */
  readonly columns: number[][];
}

export function readRows(path: string, meta: SeriesMeta, fromMs?: number): Rows {
  const reader = new SeriesReader(path, meta, { fromMs });
  const rows: Rows = { time: [], nanos: [], columns: reader.columns.map(() => []) };
  while (reader.next()) {
    for (let row = 0; row < reader.length; row++) {
      rows.time.push(reader.time[row]!);
      rows.nanos.push(reader.nanos === undefined ? 0 : reader.nanos[row]!);
      reader.columns.forEach((column, index) => void rows.columns[index]!.push(column[row]!));
    }
  }
  return rows;
}

/** The error that `act` throws. */
export function thrown(act: () => unknown): TidegateError {
  try {
    act();
  } catch (error) {
    if (error instanceof TidegateError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** The error that a promise ends with. */
export function refusal(promise: Promise<unknown>): Promise<TidegateError> {
  return promise.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: TidegateError) => error,
  );
}

export const HEADERS: Readonly<Record<SeriesKind, string>> = {
  bar: 'time,open,high,low,close,volume',
  depth: 'time,side,price,qty',
  quote: 'time,bid,ask,bid_qty,ask_qty',
  trade: 'time,price,qty,side',
  ticker: 'time,last',
  mark: 'time,mark_price',
  funding: 'time,funding_rate',
};
