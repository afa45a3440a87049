import type { RowBuffer } from '../../columns/chunks.ts';
import { POWERS_OF_TEN } from '../../columns/decimals.ts';
import type { CsvField } from './csv-fields.ts';

/**
 * A blank price in a row that is not filled yet. No price is so small, and it stays below `LARGEST_BLANK` when the rows get more
 * decimal places.
 */
export const BLANK_PRICE = Number.MIN_VALUE;
const LARGEST_BLANK = 1e-200;

/**
 * Fills blank prices of quotes from the row before: MetaTrader leaves a side blank that did not change. A row is left out if both sides
 * are blank, or if a side had no price yet.
 */
export class CarriedPrices {
  readonly #columns: readonly number[];
  readonly #last: (number | undefined)[];
  /** Decimal places of `#last`. */
  #decimals = 0;

  constructor(fields: readonly CsvField[]) {
    this.#columns = fields.filter(({ unit }) => unit === 'price').map(({ column }) => column);
    this.#last = this.#columns.map(() => undefined);
  }

  /**
   * Fills the rows from `from` on.
   * @param decimals places of the prices in the buffer.
   * @returns the number of rows that were left out.
   */
  fill(buffer: RowBuffer, from: number, decimals: number): number {
    const last = this.#last;
    for (const [index, price] of last.entries()) if (price !== undefined) last[index] = price * POWERS_OF_TEN[decimals - this.#decimals]!;
    this.#decimals = decimals;
    let kept = from;
    const { rows } = buffer;
    for (let row = from; row < rows; row++) {
      let blanks = 0;
      let isKnown = true;
      for (const [index, at] of this.#columns.entries()) {
        const column = buffer.columns[at]!;
        const price = column[row]!;
        if (price <= 0 || price > LARGEST_BLANK) {
          last[index] = price;
          continue;
        }
        blanks++;
        isKnown &&= last[index] !== undefined;
        column[row] = last[index] ?? 0;
      }
      if (!isKnown || blanks === this.#columns.length) continue;
      if (kept !== row) buffer.moveRow(row, kept);
      kept++;
    }
    buffer.rows = kept;
    return rows - kept;
  }
}
