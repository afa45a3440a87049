import { CHUNK_ROWS } from './chunks.ts';
import { SERIES_COLUMNS, type SeriesMeta } from './series-meta.ts';
import { readSeries, type SeriesPart, type SeriesRows, type StoredSeries } from './series-reader.ts';

/** A whole series in memory that threads share. A message to a thread carries it without a copy. */
export interface SharedSeries {
  readonly meta: SeriesMeta;
  /** Epoch ms. */
  readonly time: Float64Array;
  /** As integers of the series' decimals, in the order of `SERIES_COLUMNS`. */
  readonly columns: readonly Float64Array[];
  /** Nanoseconds beyond the microsecond; `undefined` where all are zero. */
  readonly nanos: Int16Array | undefined;
}

/** The memory that a shared series takes, in bytes. */
export function sharedBytes({ rows, kind }: Pick<SeriesMeta, 'rows' | 'kind'>): number {
  return rows * Float64Array.BYTES_PER_ELEMENT * (SERIES_COLUMNS[kind].length + 1);
}

/** Decodes a series once, for all threads. @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT. */
export function shareSeries(stored: StoredSeries): SharedSeries {
  const { meta } = stored;
  const column = () => new Float64Array(new SharedArrayBuffer(meta.rows * Float64Array.BYTES_PER_ELEMENT));
  const [time, columns] = [column(), SERIES_COLUMNS[meta.kind].map(column)];
  let nanos: Int16Array | undefined;
  const rows = readSeries(stored);
  for (let at = 0; rows.next(); at += rows.length) {
    time.set(rows.time.subarray(0, rows.length), at);
    for (const [index, own] of columns.entries()) own.set(rows.columns[index]!.subarray(0, rows.length), at);
    if (rows.nanos === undefined) continue;
    nanos ??= new Int16Array(new SharedArrayBuffer(meta.rows * Int16Array.BYTES_PER_ELEMENT));
    nanos.set(rows.nanos.subarray(0, rows.length), at);
  }
  return { meta, time, columns, nanos };
}

/** The series as one that can be read. Its rows are copied chunk by chunk, because readers change what they read. */
export function sharedStored(shared: SharedSeries): StoredSeries {
  const { meta } = shared;
  const part: SeriesPart = { meta, path: '', rows: (fromMs) => new SharedRows(shared, fromMs) };
  return { meta, parts: [part] };
}

class SharedRows implements SeriesRows {
  readonly meta: SeriesMeta;
  length = 0;
  readonly time = new Float64Array(CHUNK_ROWS);
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;
  #at: number;

  constructor(
    private readonly shared: SharedSeries,
    fromMs = Number.NEGATIVE_INFINITY,
  ) {
    this.meta = shared.meta;
    this.columns = shared.columns.map(() => new Float64Array(CHUNK_ROWS));
    this.#at = Math.floor(firstFrom(shared.time, fromMs) / CHUNK_ROWS) * CHUNK_ROWS;
  }

  next(): boolean {
    const { time, columns, nanos } = this.shared;
    const end = Math.min(time.length, this.#at + CHUNK_ROWS);
    this.length = end - this.#at;
    if (this.length === 0) return false;
    this.time.set(time.subarray(this.#at, end));
    for (const [index, column] of columns.entries()) this.columns[index]!.set(column.subarray(this.#at, end));
    this.nanos = nanos?.slice(this.#at, end);
    this.#at = end;
    return true;
  }

  close(): void {
    this.#at = this.shared.time.length;
  }
}

/** The index of the first time at or after `fromMs`. */
function firstFrom(time: Float64Array, fromMs: number): number {
  let [low, high] = [0, time.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (time[middle]! < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
