import { TidegateError } from '../../model/errors.ts';
import { CHUNK_ROWS } from './chunk-format.ts';
import { POWERS_OF_TEN } from './decimal-units.ts';
import { isDecimal, SERIES_COLUMNS } from './series-columns.ts';
import type { SeriesMeta } from './series-meta.ts';
import { SeriesReader } from './series-reader.ts';
import type { SeriesPart, StoredSeries } from './stored-series.ts';

/** What reads a series chunk by chunk into arrays that it reuses: `SeriesReader` says how. */
export type SeriesRows = Pick<SeriesReader, 'meta' | 'length' | 'time' | 'columns' | 'nanos' | 'next' | 'close'>;

/** Opens a series at its beginning, or at the chunk that holds `fromMs`. @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT. */
export function readSeries(series: StoredSeries, options: { fromMs?: number | undefined } = {}): SeriesRows {
  const [only, ...more] = series.parts;
  return more.length === 0 ? new SeriesReader(only!.path, only!.meta, options) : new PartsReader(series, options.fromMs);
}

/** Reads the parts of a series one after the other, their integers in the decimals of the whole. */
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

  constructor({ meta, parts }: StoredSeries, fromMs: number | undefined) {
    this.meta = meta;
    this.columns = SERIES_COLUMNS[meta.kind].map(() => new Float64Array(CHUNK_ROWS));
    this.#fromMs = fromMs;
    this.#parts = fromMs === undefined ? parts : parts.filter((part) => part.meta.lastTime >= fromMs);
  }

  next(): boolean {
    for (;;) {
      if (this.#reader?.next() === true) {
        this.#take(this.#reader);
        return true;
      }
      const part = this.#parts[this.#next++];
      if (part === undefined) break;
      this.#reader = new SeriesReader(part.path, part.meta, { fromMs: this.#fromMs });
    }
    this.length = 0;
    this.#reader = undefined;
    return false;
  }

  close(): void {
    this.#reader?.close();
  }

  #take(reader: SeriesReader): void {
    const rows = reader.length;
    this.length = rows;
    this.time.set(reader.time.subarray(0, rows));
    this.nanos = reader.nanos;
    SERIES_COLUMNS[this.meta.kind].forEach(({ unit }, index) => {
      const own = reader.columns[index]!;
      const target = this.columns[index]!;
      const factor = !isDecimal(unit) ? 1 : scaleUp(unit === 'price' ? 'priceDecimals' : 'quantityDecimals', reader.meta, this.meta);
      for (let row = 0; row < rows; row++) {
        const value = own[row]! * factor;
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
