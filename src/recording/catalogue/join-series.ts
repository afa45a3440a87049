import { createHash } from 'node:crypto';
import { TidegateError } from '../../model/errors.ts';
import { RowBuffer } from '../columns/chunks.ts';
import { calendarSlackMs, type SeriesMeta, seriesTitle } from '../columns/series-meta.ts';
import { readSeries, type SeriesPart, type SeriesRows, type StoredSeries } from '../columns/series-reader.ts';
import { SnapshotCount } from '../columns/series-writer.ts';
import { KnownRows } from '../import/known-rows.ts';
import { RowError } from '../import/rows.ts';
import { endOf, mergedMeta } from './open-recording.ts';

/** A series of one recording. */
export interface NamedSeries {
  /** The recording. */
  readonly name: string;
  readonly stored: StoredSeries;
}

/**
 * Joins parts of one series that several recordings have. Parts may overlap if their rows are equal there: each row is taken once.
 * @param series of one symbol, kind and interval; at least one.
 * @throws TidegateError DATA_INVALID with the first row that differs, DATA_CORRUPT.
 */
export function joinSeries(series: readonly NamedSeries[]): StoredSeries {
  const ordered = series.toSorted((a, b) => a.stored.meta.firstTime - b.stored.meta.firstTime);
  let joined = ordered[0]!.stored;
  for (const next of ordered.slice(1)) {
    const rest = next.stored.meta.firstTime > joined.meta.lastTime ? afterGap(joined, next) : newRowsOf(joined, next, ordered);
    if (rest !== undefined) joined = { meta: mergedMeta([joined.meta, rest.meta]), parts: [...joined.parts, ...rest.parts] };
  }
  return joined;
}

/** A part that begins after the rows before it. @throws TidegateError DATA_INVALID if its first bar begins inside the last one. */
function afterGap({ meta }: StoredSeries, { name, stored }: NamedSeries): StoredSeries {
  if (stored.meta.firstTime >= endOf(meta)) return stored;
  throw new TidegateError(
    'DATA_INVALID',
    `recording ${name}: the first bar of ${seriesTitle(meta)} begins inside the last one of another recording of backtest.data`,
  );
}

/** The rows of a part that follow those of the parts before it; undefined if it has none. */
function newRowsOf(known: StoredSeries, { name, stored }: NamedSeries, all: readonly NamedSeries[]): StoredSeries | undefined {
  const { meta } = stored;
  const compare = new KnownRows(known, 'recordings of backtest.data may have the same series only if their common rows are equal');
  const rest = new RestOfSeries(meta);
  const rows = readSeries(stored);
  const buffer = new RowBuffer(meta.kind);
  try {
    for (let before = 1; rows.next(); before += rows.length) {
      fill(buffer, rows, before);
      compare.takeOut(buffer, 0, name, { price: meta.priceDecimals, quantity: meta.quantityDecimals });
      rest.update(buffer);
    }
  } catch (cause) {
    if (!(cause instanceof RowError)) throw cause;
    const names = all.map((one) => one.name).join(', ');
    throw new TidegateError('DATA_INVALID', `${seriesTitle(meta)} of the recordings ${names}: ${cause.message}`, { cause });
  } finally {
    rows.close();
    compare.close();
  }
  return rest.rows === 0 ? undefined : { meta: rest.meta(compare.count), parts: withoutFirst(stored.parts, compare.count) };
}

/** The rows of a reader, numbered from `first`. */
function fill(buffer: RowBuffer, rows: SeriesRows, first: number): void {
  for (let row = 0; row < rows.length; row++) {
    buffer.time[row] = Math.round(rows.time[row]! * 1_000);
    buffer.nanos[row] = rows.nanos?.[row] ?? 0;
    buffer.lines[row] = first + row;
  }
  for (const [index, column] of rows.columns.entries()) buffer.columns[index]!.set(column.subarray(0, rows.length));
  buffer.rows = rows.length;
}

/** Measures the rows of a series without its first ones. */
class RestOfSeries {
  rows = 0;
  readonly #whole: SeriesMeta;
  readonly #snapshots = new SnapshotCount();
  #firstMs = 0;
  #lastMs = 0;
  #gaps = 0;

  constructor(whole: SeriesMeta) {
    this.#whole = whole;
  }

  update(buffer: RowBuffer): void {
    const { intervalMs } = this.#whole;
    const slack = calendarSlackMs(intervalMs ?? 0);
    for (let row = 0; row < buffer.rows; row++) {
      const now = buffer.time[row]! / 1_000;
      if (this.rows++ === 0) this.#firstMs = now;
      else if (intervalMs !== undefined && Math.abs(now - this.#lastMs - intervalMs) > slack) this.#gaps++;
      this.#lastMs = now;
    }
    if (buffer.kind === 'depth') this.#snapshots.update(buffer);
  }

  /** @param left how many of the first rows are left out. */
  meta(left: number): SeriesMeta {
    const { sha256, kind, intervalMs } = this.#whole;
    return {
      ...this.#whole,
      rows: this.rows,
      firstTime: this.#firstMs,
      sha256: left === 0 ? sha256 : createHash('sha256').update(`${sha256} from row ${left}`).digest('hex'),
      ...(kind === 'depth' && { snapshots: this.#snapshots.count }),
      ...(intervalMs === undefined ? {} : { gaps: this.#gaps }),
    };
  }
}

function withoutFirst(parts: readonly SeriesPart[], count: number): SeriesPart[] {
  const kept: SeriesPart[] = [];
  let left = count;
  for (const part of parts) {
    const own = part.meta.rows - (part.skip ?? 0);
    if (left < own) kept.push(left === 0 ? part : { ...part, skip: (part.skip ?? 0) + left });
    left = Math.max(0, left - own);
  }
  return kept;
}
