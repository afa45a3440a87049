import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { MarketEvent } from '../../model/market-events.ts';

/**
 * Rows of one recorded series as columns, a chunk at a time; `next()` overwrites the previous chunk. `recording/series-reader` implements
 * it; so can anything in memory of the same shape.
 */
export interface RowStream {
  readonly length: number;
  /** Epoch ms, fractions to the microsecond; bars: open times. */
  readonly time: Float64Array;
  /** Raw integers, in the column order of recordings. */
  readonly columns: readonly Float64Array[];
  /** Nanoseconds beyond the microsecond, where the source had them. */
  readonly nanos: Int16Array | undefined;
  next(): boolean;
  close(): void;
}

/** How the raw integers of a series become ticks and steps: `raw x multiply / divide`, exact. */
export interface UnitScale {
  readonly multiply: number;
  readonly divide: number;
}

export interface SeriesSource {
  readonly rows: RowStream;
  /** Not used for marks and funding, which keep their own decimals. */
  readonly price: UnitScale;
  readonly quantity: UnitScale;
  /** Decimals of raw prices: marks and funding rates are never rounded to a grid. */
  readonly priceDecimals: number;
  /** Decimals of raw quantities: volumes are plain numbers. */
  readonly quantityDecimals: number;
  /** Length of a bar; 0 for other kinds. */
  readonly intervalMs: number;
  /** For depth: the number of snapshots; 0 for other kinds. */
  readonly snapshots: number;
}

/** The exact scale from integers of `10^-decimals` to units of a grid of `numerator / 10^gridDecimals`. */
export function unitScale(decimals: number, grid: { readonly numerator: number; readonly decimals: number }): UnitScale {
  const up = Math.max(0, grid.decimals - decimals);
  const down = Math.max(0, decimals - grid.decimals);
  return { multiply: 10 ** up, divide: 10 ** down * grid.numerator };
}

/** The smallest difference of two times: it turns `before` into `at or before`. Doubles near now cannot hold much less. */
export const MICROSECOND_MS = 1e-3;

/**
 * Steps through the rows of a series within [from, to), with prices and quantities scaled chunk by chunk. The values that the replay's
 * inner loop reads (`time`, the row) are plain fields, as this runs once per market event.
 */
export abstract class RowSource {
  /** Epoch ms of the current row; `Infinity` past the end. */
  time = Number.NEGATIVE_INFINITY;
  /** Nanoseconds beyond the microsecond. */
  nanos = 0;
  /** Times of the chunk's rows. */
  times: Float64Array = new Float64Array(0);
  protected row = -1;
  /** Rows of the chunk. */
  protected length = 0;
  #nanos: Int16Array | undefined;

  constructor(
    protected readonly source: SeriesSource,
    private readonly from: number,
    protected readonly to: number,
    /** Which columns are prices and which quantities, by position. */
    private readonly priceColumns: readonly number[],
    private readonly quantityColumns: readonly number[],
  ) {}

  /** Takes the columns of the chunk that was just loaded. */
  protected abstract take(columns: readonly Float64Array[]): void;

  /** Moves to the first row at or after `from`. */
  protected start(): void {
    this.advance();
    this.skipTo(this.from);
  }

  skipTo(time: number): void {
    while (this.time < time) this.advance();
  }

  protected advance(): void {
    const row = ++this.row;
    if (row >= this.length && !this.#load()) return;
    const time = this.times[this.row]!;
    if (time >= this.to) {
      this.close();
      return;
    }
    this.time = time;
    if (this.#nanos !== undefined) this.nanos = this.#nanos[this.row]!;
  }

  /** End of the rows of the chunk that have the time of the current row. */
  protected sameTimeEnd(): number {
    const times = this.times;
    const nanos = this.#nanos;
    const length = this.length;
    const time = times[this.row];
    let end = this.row + 1;
    if (nanos === undefined) while (end < length && times[end] === time) end++;
    else while (end < length && times[end] === time && nanos[end] === this.nanos) end++;
    return end;
  }

  close(): void {
    this.time = Number.POSITIVE_INFINITY;
    this.row = 0;
    this.length = 0;
    this.source.rows.close();
  }

  #load(): boolean {
    const { rows, price, quantity } = this.source;
    if (this.time === Number.POSITIVE_INFINITY || !rows.next()) {
      this.close();
      return false;
    }
    const { columns, length } = rows;
    this.row = 0;
    this.length = length;
    this.times = rows.time;
    this.#nanos = rows.nanos;
    this.nanos = 0;
    for (const column of this.priceColumns) scale(columns[column]!, length, price);
    for (const column of this.quantityColumns) scale(columns[column]!, length, quantity);
    this.take(columns);
    return true;
  }
}

function scale(column: Float64Array, length: number, { multiply, divide }: UnitScale): void {
  if (multiply === 1 && divide === 1) return;
  for (let i = 0; i < length; i++) column[i] = Math.floor((column[i]! * multiply) / divide);
}

/** One recorded series as a source of the simulator: it has the time of its next event, and delivers it. */
export interface DataSource {
  /** Epoch ms of the next delivery; `Infinity` at the end. */
  readonly time: number;
  /** Nanoseconds beyond the microsecond: the finer order of events with the same time. */
  readonly nanos: number;
  /** Only for bars: the next step is an open, which comes last at its time. */
  readonly opens: boolean;
  /** Only for funding: it comes after the timers of its time. */
  readonly funds: boolean;
  /** Marks and funding accompany prices: those before the first or after the last price are left out. */
  readonly follows: boolean;
  /**
   * Delivers the next event to matching.
   * @returns the event for strategies; `undefined` for an open.
   */
  deliver(matching: MatchingEngine, sequence: number): MarketEvent | undefined;
  /** Skips the events before `time`. */
  skipTo(time: number): void;
  close(): void;
}
