import { closeSync, openSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import {
  aligned,
  CHUNK_MAGIC,
  CHUNK_ROWS,
  chunkCrc,
  DESCRIPTOR_BYTES,
  decodeColumn,
  decodeTime,
  HEADER_BYTES,
  maxChunkBytes,
} from './chunks.ts';
import { POWERS_OF_TEN } from './decimals.ts';
import { isDecimal, SERIES_COLUMNS, type SeriesMeta } from './series-meta.ts';

/** A run of a series' rows as columns: the `.bin` of a cache or a staging folder. */
export interface SeriesPart {
  readonly meta: SeriesMeta;
  readonly path: string;
  /** Rows at its beginning that are left out, as the part before has them. */
  readonly skip?: number | undefined;
  /** Opens its rows if they are in memory and not in a file; then it is the only part of its series. */
  readonly rows?: ((fromMs?: number) => SeriesRows) | undefined;
}

/** A series that can be read: its parts in order of time, and their common meta. */
export interface StoredSeries {
  readonly meta: SeriesMeta;
  /** At least one. */
  readonly parts: readonly SeriesPart[];
}

/** The requested series of a recording. */
export interface Recording {
  readonly name: string;
  readonly folder: string;
  /** By symbol, then kind, then interval. */
  readonly series: readonly StoredSeries[];
}

/** Reads a series chunk by chunk into arrays that it reuses; see `SeriesReader`. */
export type SeriesRows = Pick<SeriesReader, 'meta' | 'length' | 'time' | 'columns' | 'nanos' | 'next' | 'close'>;

/**
 * Opens a series at its beginning, or at the chunk that contains `fromMs`.
 * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT.
 */
export function readSeries(series: StoredSeries, options: { fromMs?: number | undefined } = {}): SeriesRows {
  const [only, ...more] = series.parts;
  if (only?.rows !== undefined) return only.rows(options.fromMs);
  return more.length === 0 && only!.skip === undefined
    ? new SeriesReader(only!.path, only!.meta, options)
    : new PartsReader(series, options.fromMs);
}

/**
 * Reads one series chunk by chunk into arrays that it reuses: `next()` overwrites the previous chunk. Synchronous; its memory does not
 * depend on the length of the series. Every chunk that is read is checked by its checksum. Chunks that end before `fromMs` are not read, so
 * the first loaded chunk may still begin before `fromMs`.
 */
export class SeriesReader {
  readonly meta: SeriesMeta;
  /** Rows of the current chunk; the arrays may be longer. */
  length = 0;
  /** Epoch ms, fractions to the microsecond. Bars: OPEN times. */
  readonly time = new Float64Array(CHUNK_ROWS);
  /** The columns of the kind after the time (`SERIES_COLUMNS`), as integers of the series' decimals. */
  readonly columns: readonly Float64Array[];
  readonly #path: string;
  readonly #fromUs: number;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #nanos: Int16Array | undefined;
  #hasNanos = false;
  #file: number | undefined;
  #position = 0;
  #chunk = 0;
  #rowsPassed = 0;

  /** @throws TidegateError DATA_NOT_FOUND when the file cannot be opened. */
  constructor(binPath: string, meta: SeriesMeta, options: { fromMs?: number | undefined } = {}) {
    this.meta = meta;
    this.#path = binPath;
    this.#fromUs = (options.fromMs ?? Number.NEGATIVE_INFINITY) * 1_000;
    this.columns = SERIES_COLUMNS[meta.kind].map(() => new Float64Array(CHUNK_ROWS));
    this.#bytes = Buffer.from(new ArrayBuffer(maxChunkBytes(this.columns.length + 1)));
    this.#view = new DataView(this.#bytes.buffer);
    try {
      this.#file = openSync(binPath, 'r');
    } catch (cause) {
      throw new TidegateError('DATA_NOT_FOUND', `${binPath}: the data of this series cannot be opened`, { cause });
    }
  }

  /** Nanoseconds beyond the microsecond (0 to 999) of the current chunk; undefined where all are zero. */
  get nanos(): Int16Array | undefined {
    return this.#hasNanos ? this.#nanos : undefined;
  }

  /**
   * Loads the next chunk; false at the end, when the file is closed.
   * @throws TidegateError DATA_CORRUPT naming the file and the chunk (counted from 1).
   */
  next(): boolean {
    while (this.#readHeader()) {
      const view = this.#view;
      const payload = view.getUint32(24, true);
      this.#rowsPassed += view.getUint32(4, true);
      const start = this.#position;
      this.#position += HEADER_BYTES + payload;
      if (view.getFloat64(16, true) < this.#fromUs) continue;
      this.#fill(HEADER_BYTES, payload, start + HEADER_BYTES);
      this.#decode(payload);
      return true;
    }
    if (this.#rowsPassed !== this.meta.rows) {
      throw this.#corrupt(`the file ends after ${this.#rowsPassed} of ${this.meta.rows} rows`);
    }
    this.length = 0;
    this.close();
    return false;
  }

  /** Closes the file; safe to call twice. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Reads and checks the next header; false at the end of the file. */
  #readHeader(): boolean {
    if (this.#file === undefined) return false;
    const read = readSync(this.#file, this.#bytes, 0, HEADER_BYTES, this.#position);
    if (read === 0) return false;
    this.#chunk++;
    const view = this.#view;
    const rows = view.getUint32(4, true);
    const whole = read === HEADER_BYTES && view.getUint32(0, true) === CHUNK_MAGIC && view.getUint32(32, true) === this.columns.length + 1;
    if (!whole || rows === 0 || rows > CHUNK_ROWS || view.getUint32(24, true) > this.#bytes.length - HEADER_BYTES) {
      throw this.#corrupt('its header is damaged');
    }
    return true;
  }

  #fill(at: number, bytes: number, position: number): void {
    const read = readSync(this.#file!, this.#bytes, at, bytes, position);
    if (read !== bytes) throw this.#corrupt(`the file ends inside it (${read} of ${bytes} bytes)`);
  }

  #decode(payload: number): void {
    const view = this.#view;
    const rows = view.getUint32(4, true);
    const end = HEADER_BYTES + payload;
    if (chunkCrc(this.#bytes, end) !== view.getUint32(28, true)) throw this.#corrupt('its checksum does not match');
    let at = HEADER_BYTES + (this.columns.length + 1) * DESCRIPTOR_BYTES;
    at = decodeTime(view, HEADER_BYTES, at, rows, this.time);
    this.columns.forEach((column, index) => {
      at = decodeColumn(view, HEADER_BYTES + (index + 1) * DESCRIPTOR_BYTES, at, rows, column);
    });
    this.#hasNanos = view.getUint32(36, true) === 1;
    if (this.#hasNanos) {
      this.#nanos ??= new Int16Array(CHUNK_ROWS);
      this.#nanos.set(new Int16Array(view.buffer as ArrayBuffer, at, rows));
      at += aligned(rows * 2);
    }
    if (at !== end) throw this.#corrupt('its columns do not fill it');
    this.length = rows;
  }

  #corrupt(what: string): TidegateError {
    this.close();
    return new TidegateError(
      'DATA_CORRUPT',
      `${basename(this.#path)}: chunk ${this.#chunk}: ${what}; remove ${dirname(this.#path)}, and it is made again`,
    );
  }
}

/** Reads the parts of a series one after the other and converts their integers to the decimals of the whole. */
class PartsReader implements SeriesRows {
  readonly meta: SeriesMeta;
  length = 0;
  readonly time = new Float64Array(CHUNK_ROWS);
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;
  readonly #parts: readonly SeriesPart[];
  readonly #fromMs: number | undefined;
  #next = 0;
  #reader: SeriesReader | undefined;
  /** Rows of the current part that are still to be left out. */
  #skip = 0;

  constructor({ meta, parts }: StoredSeries, fromMs: number | undefined) {
    this.meta = meta;
    this.columns = SERIES_COLUMNS[meta.kind].map(() => new Float64Array(CHUNK_ROWS));
    this.#fromMs = fromMs;
    this.#parts = fromMs === undefined ? parts : parts.filter((part) => part.meta.lastTime >= fromMs);
  }

  next(): boolean {
    for (;;) {
      if (this.#reader?.next() === true) {
        const passed = Math.min(this.#skip, this.#reader.length);
        this.#skip -= passed;
        if (passed === this.#reader.length) continue;
        this.#take(this.#reader, passed);
        return true;
      }
      const part = this.#parts[this.#next++];
      if (part === undefined) break;
      this.#skip = part.skip ?? 0;
      // Rows are counted from the first one.
      this.#reader = new SeriesReader(part.path, part.meta, { fromMs: this.#skip > 0 ? undefined : this.#fromMs });
    }
    this.length = 0;
    this.#reader = undefined;
    return false;
  }

  close(): void {
    this.#reader?.close();
  }

  /** @param from the first row that is taken. */
  #take(reader: SeriesReader, from: number): void {
    const rows = reader.length - from;
    this.length = rows;
    this.time.set(reader.time.subarray(from, reader.length));
    this.nanos = reader.nanos?.subarray(from);
    SERIES_COLUMNS[this.meta.kind].forEach(({ unit }, index) => {
      const own = reader.columns[index]!;
      const target = this.columns[index]!;
      const factor = !isDecimal(unit) ? 1 : scaleUp(unit === 'price' ? 'priceDecimals' : 'quantityDecimals', reader.meta, this.meta);
      for (let row = 0; row < rows; row++) {
        const value = own[from + row]! * factor;
        if (!Number.isSafeInteger(value)) throw tooFine(this.meta);
        target[row] = value;
      }
    });
  }
}

function tooFine({ symbol, kind }: SeriesMeta): TidegateError {
  return new TidegateError('DATA_INVALID', `${symbol} ${kind}: a part shows so many places that numbers of another no longer fit 53 bits`);
}

function scaleUp(places: 'priceDecimals' | 'quantityDecimals', from: SeriesMeta, to: SeriesMeta): number {
  return POWERS_OF_TEN[to[places] - from[places]]!;
}
