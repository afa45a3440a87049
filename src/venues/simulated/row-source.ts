import type { SeriesSource, UnitScale } from './row-stream.ts';

/** The finest difference of two times: turns `before` into `at or before`, as doubles near now cannot hold much less. */
export const MICROSECOND_MS = 1e-3;

/**
 * Steps through the rows of a series within [from, to), prices and quantities scaled chunk by chunk. What
 * the replay's inner loop reads (`time`, the row) are plain fields: this runs once per market event.
 */
export abstract class RowSource {
  /** Epoch ms of the row at hand; `Infinity` past the end. */
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

  /** Goes to the first row at or after `from`. */
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

  /** Where the rows of the chunk that bear the time of the row at hand end. */
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
