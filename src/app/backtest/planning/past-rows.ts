import { RowSource } from '../../../venues/simulated/row-source.ts';
import type { SeriesSource } from '../../../venues/simulated/row-stream.ts';

/** Rows from before a run, read one by one outside its replay. */
export class PastRows extends RowSource {
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, from: number, to: number, priceColumns: readonly number[], quantityColumns: readonly number[]) {
    super(source, from, to, priceColumns, quantityColumns);
    this.start();
  }

  next(): void {
    this.advance();
  }

  /** What the row at hand has in each column: prices in ticks, what was named a quantity in steps. */
  values(): number[] {
    return this.#columns.map((column) => column[this.row]!);
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}
