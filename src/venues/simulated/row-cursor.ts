import type { RowStream, SeriesSource, UnitScale } from './row-stream.ts';

/** Steps through the rows of a series within [from, to), its prices and quantities scaled chunk by chunk. */
export class RowCursor {
  /** Time of the row at hand; `Infinity` past the end. */
  time = Number.POSITIVE_INFINITY;
  nanos = 0;
  row = -1;
  readonly columns: readonly Float64Array[];
  readonly #rows: RowStream;
  #length = 0;

  constructor(
    private readonly source: SeriesSource,
    /** Which columns are prices; the others are quantities, but for those in neither. */
    private readonly priceColumns: readonly number[],
    private readonly quantityColumns: readonly number[],
    from: number,
    private readonly to: number,
  ) {
    this.#rows = source.rows;
    this.columns = source.rows.columns;
    do this.advance();
    while (this.time < from);
  }

  advance(): void {
    if (++this.row >= this.#length && !this.#load()) return;
    const time = this.#rows.time[this.row]!;
    if (time >= this.to) {
      this.close();
      return;
    }
    this.time = time;
    const nanos = this.#rows.nanos;
    this.nanos = nanos === undefined ? 0 : nanos[this.row]!;
  }

  close(): void {
    this.time = Number.POSITIVE_INFINITY;
    this.#length = 0;
    this.#rows.close();
  }

  #load(): boolean {
    if (this.time === Number.POSITIVE_INFINITY && this.row > 0) return false;
    if (!this.#rows.next()) {
      this.close();
      return false;
    }
    this.row = 0;
    this.#length = this.#rows.length;
    for (const column of this.priceColumns) scale(this.columns[column]!, this.#length, this.source.price);
    for (const column of this.quantityColumns) scale(this.columns[column]!, this.#length, this.source.quantity);
    return true;
  }
}

function scale(column: Float64Array, length: number, { multiply, divide }: UnitScale): void {
  if (multiply === 1 && divide === 1) return;
  for (let i = 0; i < length; i++) column[i] = Math.floor((column[i]! * multiply) / divide);
}
