import { TidegateError } from '../../model/errors.ts';
import { intervalText } from '../../model/time.ts';
import { describeRecordings } from '../../recording/catalogue/describe-recording.ts';
import { findRecording, findSeries, listRecordings as placesOf } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { POWERS_OF_TEN } from '../../recording/columns/decimals.ts';
import {
  isDecimal,
  plainText,
  SERIES_COLUMNS,
  type SeriesColumn,
  type SeriesMeta,
  seriesTitle,
} from '../../recording/columns/series-meta.ts';
import { readSeries, type SeriesRows, type StoredSeries } from '../../recording/columns/series-reader.ts';
import { intervalOption } from '../data/cli-text.ts';
import { libraryError, NEEDED_TEXT, oneOf, requireOptions, TEXT, TIME } from './library-error.ts';
import type { SeriesColumns, SeriesKind, SeriesRow } from './series-rows.ts';

/** A place of recordings. */
export interface DataPlace {
  /** The data directory, or `s3://bucket/prefix` for reading; default: `data` in the working directory. */
  readonly dataDir?: string | undefined;
}

export const DEFAULT_DATA_DIR = 'data';

/** The kind of a series, as an option that is needed. */
export const KIND = oneOf(Object.keys(SERIES_COLUMNS), true);

/** A series without its rows: its symbol, kind, period and decimals. */
export interface SeriesInfo<Kind extends SeriesKind = SeriesKind> {
  /** The name of its recording. */
  readonly recording: string;
  /** `BASE-QUOTE` for spot, `BASE-QUOTE-PERP` for futures. */
  readonly symbol: string;
  readonly kind: Kind;
  /** The length of its bars, such as `1m`; for bars only. */
  readonly interval: string | undefined;
  readonly rows: number;
  /** Epoch ms of the first and of the last row; for bars their open times. */
  readonly firstTime: number;
  readonly lastTime: number;
  /** The decimal places of its prices (of funding: rates), and of its quantities. */
  readonly priceDecimals: number;
  readonly quantityDecimals: number;
  /** The greatest step of which every price is a multiple, as decimal text. */
  readonly priceStep: string;
  /** The hash of its rows, in hex. */
  readonly sha256: string;
  /** The base names of the files that it was made from. */
  readonly source: readonly string[];
  /** True if it was generated from a seed: no market ever traded at these prices. */
  readonly synthetic: boolean;
  /** How often the next bar does not open one interval after the last; for bars only. */
  readonly gaps: number | undefined;
}

/** A recording and its series. */
export interface RecordingInfo {
  readonly name: string;
  readonly folder: string;
  /** By symbol, kind and interval. */
  readonly series: readonly SeriesInfo[];
  /** Series that cannot be read. */
  readonly damaged: readonly { readonly series: string; readonly error: TidegateError }[];
}

/**
 * Lists the recordings of a data directory, by name. Reads no rows.
 * @returns an empty list if there is no such directory.
 * @throws TidegateError for a URL: USAGE, DATA_UNREACHABLE, DATA_NOT_FOUND.
 */
export async function listRecordings(place: DataPlace = {}): Promise<RecordingInfo[]> {
  requireOptions('listRecordings', place, { dataDir: TEXT });
  const { dataDir = DEFAULT_DATA_DIR } = place;
  try {
    const described = await describeRecordings(dataDir, await placesOf(dataDir));
    return described.map(({ name, folder, series }) => ({
      name,
      folder,
      series: series.flatMap(({ meta }) => (meta instanceof TidegateError ? [] : [infoOf(name, meta)])),
      damaged: series.flatMap(({ place, meta }) => (meta instanceof TidegateError ? [{ series: seriesTitle(place), error: meta }] : [])),
    }));
  } catch (error) {
    throw libraryError(error);
  }
}

/** Which series to open. */
export interface SeriesChoice<Kind extends SeriesKind = SeriesKind> extends DataPlace {
  /** The name of the recording. */
  readonly recording: string;
  readonly kind: Kind;
  /** Not needed if the recording has one symbol of this kind. */
  readonly symbol?: string | undefined;
  /** The length of the bars, such as `1m`. Not needed if the recording has bars of one length. */
  readonly interval?: string | undefined;
}

/**
 * Opens one series of a recording. No file stays open: each reading opens and closes its own.
 * @throws TidegateError DATA_NOT_FOUND if no series matches, USAGE if several do, DATA_CORRUPT for a damaged file, DATA_UNREACHABLE for a
 * URL.
 */
export async function openSeries<Kind extends SeriesKind>(choice: SeriesChoice<Kind>): Promise<Series<Kind>> {
  requireOptions('openSeries', choice, { dataDir: TEXT, recording: NEEDED_TEXT, kind: KIND, symbol: TEXT, interval: TEXT });
  const { dataDir = DEFAULT_DATA_DIR, recording, kind, symbol, interval } = choice;
  try {
    const query = { symbol, kind, intervalMs: intervalOption('interval', interval) };
    const what = `of ${[symbol, kind, interval].filter((part) => part !== undefined).join(' ')}`;
    const found = findSeries(await findRecording(dataDir, recording), query, what);
    return new StoredSeriesReader<Kind>(recording, await openSeriesAt(dataDir, found));
  } catch (error) {
    throw libraryError(error, { of: 'interval' });
  }
}

/** A part of a series. */
export interface SeriesPeriod {
  /** The first time, in epoch ms; default: the beginning. */
  readonly from?: number | undefined;
  /** The first time after the part, in epoch ms; default: the end. */
  readonly to?: number | undefined;
}

/** How columns are read. */
export interface ColumnOptions extends SeriesPeriod {
  /**
   * `numbers` (the default): prices and quantities as the nearest doubles. `units`: as exact integers of `10^-priceDecimals` and
   * `10^-quantityDecimals`.
   */
  readonly values?: 'numbers' | 'units' | undefined;
}

/** A series of a recording: all rows, or those of a period, as columns or one by one. */
export interface Series<Kind extends SeriesKind> {
  readonly info: SeriesInfo<Kind>;
  /**
   * Reads the columns into arrays. Needs 8 bytes for each value: use `chunks` for a series that is larger than the memory.
   * @throws TidegateError DATA_CORRUPT
   */
  columns(options?: ColumnOptions): SeriesColumns<Kind>;
  /**
   * Reads the columns in pieces of some thousand rows, in arrays of their own. Memory does not depend on the length of the series.
   * @throws TidegateError DATA_CORRUPT
   */
  chunks(options?: ColumnOptions): Generator<SeriesColumns<Kind>, void, undefined>;
  /**
   * Reads the rows one by one, in order of time. `for (const row of series)` reads all rows.
   * @throws TidegateError DATA_CORRUPT
   */
  rows(period?: SeriesPeriod): Generator<SeriesRow<Kind>, void, undefined>;
  [Symbol.iterator](): Generator<SeriesRow<Kind>, void, undefined>;
}

class StoredSeriesReader<Kind extends SeriesKind> implements Series<Kind> {
  readonly info: SeriesInfo<Kind>;
  readonly #stored: StoredSeries;

  constructor(recording: string, stored: StoredSeries) {
    this.#stored = stored;
    this.info = infoOf(recording, stored.meta) as SeriesInfo<Kind>;
  }

  columns(options: ColumnOptions = {}): SeriesColumns<Kind> {
    const chunks = [...this.chunks(options)];
    const joined = this.#names().map((name) => {
      const parts = chunks.map((chunk) => chunk[name as keyof SeriesColumns<Kind>]);
      const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      return [name, whole] as const;
    });
    return Object.fromEntries(joined) as unknown as SeriesColumns<Kind>;
  }

  *chunks(options: ColumnOptions = {}): Generator<SeriesColumns<Kind>, void, undefined> {
    requireOptions('chunks', options, { from: TIME, to: TIME, values: oneOf(['numbers', 'units']) });
    const { from, to, values = 'numbers' } = options;
    const reader = this.#reader(from);
    const columns = SERIES_COLUMNS[this.info.kind];
    try {
      while (reader.next()) {
        const [first, end] = rowsWithin(reader, from, to);
        if (first < end) {
          const read = columns.map(({ name, unit }, index) => {
            const units = reader.columns[index]!.slice(first, end);
            return [name, values === 'units' ? units : inNumbers(units, this.#divisor(unit))] as const;
          });
          yield Object.fromEntries([['time', reader.time.slice(first, end)], ...read]) as unknown as SeriesColumns<Kind>;
        }
        if (end < reader.length) return;
      }
    } finally {
      reader.close();
    }
  }

  *rows(period: SeriesPeriod = {}): Generator<SeriesRow<Kind>, void, undefined> {
    requireOptions('rows', period, { from: TIME, to: TIME });
    const { from, to } = period;
    const reader = this.#reader(from);
    const columns = SERIES_COLUMNS[this.info.kind];
    const divisors = columns.map(({ unit }) => this.#divisor(unit));
    try {
      while (reader.next()) {
        const [first, end] = rowsWithin(reader, from, to);
        for (let at = first; at < end; at++) {
          const row: Record<string, unknown> = { time: reader.time[at]! };
          for (let index = 0; index < columns.length; index++) {
            const { name, unit } = columns[index]!;
            const value = reader.columns[index]![at]!;
            row[name] = isDecimal(unit) ? value / divisors[index]! : plainValue(value, unit);
          }
          yield row as unknown as SeriesRow<Kind>;
        }
        if (end < reader.length) return;
      }
    } finally {
      reader.close();
    }
  }

  [Symbol.iterator](): Generator<SeriesRow<Kind>, void, undefined> {
    return this.rows();
  }

  #names(): string[] {
    return ['time', ...SERIES_COLUMNS[this.info.kind].map(({ name }) => name)];
  }

  #reader(from: number | undefined): SeriesRows {
    return readSeries(this.#stored, { fromMs: from });
  }

  /** A division by a power of ten gives the double that is nearest to the decimal; a product with its inverse does not. */
  #divisor(unit: SeriesColumn['unit']): number {
    if (!isDecimal(unit)) return 1;
    return POWERS_OF_TEN[unit === 'price' ? this.info.priceDecimals : this.info.quantityDecimals]!;
  }
}

/** The first row of the current chunk in a period, and the one after its last; equal if there is none. */
function rowsWithin({ time, length }: SeriesRows, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): [number, number] {
  let first = 0;
  while (first < length && time[first]! < from) first++;
  let end = length;
  while (end > first && time[end - 1]! >= to) end--;
  return [first, end];
}

function inNumbers(units: Float64Array, divisor: number): Float64Array {
  if (divisor !== 1) for (let at = 0; at < units.length; at++) units[at]! /= divisor;
  return units;
}

function plainValue(value: number, unit: 'side' | 'flag' | 'number'): unknown {
  if (unit === 'flag') return value === 1;
  if (unit === 'number') return value === 0 ? undefined : value;
  return plainText(value, unit) || undefined;
}

/** @param recording its name. */
export function infoOf(recording: string, meta: SeriesMeta): SeriesInfo {
  const { symbol, kind, intervalMs, rows, firstTime, lastTime, priceDecimals, quantityDecimals, priceStep, sha256, source, gaps } = meta;
  return {
    ...{ recording, symbol, kind, interval: intervalMs === undefined ? undefined : intervalText(intervalMs) },
    ...{ rows, firstTime, lastTime, priceDecimals, quantityDecimals, priceStep, sha256, source },
    ...{ synthetic: meta.synthetic !== undefined, gaps },
  };
}
