import { decimalText, gcd } from '../columns/decimal-units.ts';
import { SERIES_COLUMNS } from '../columns/series-columns.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type Finding, Tally } from './check-tally.ts';
import type { CheckedRows } from './checked-rows.ts';

const DAY_MS = 86_400_000;
/** Fewer different prices may share a divisor by chance. */
const ENOUGH_PRICES = 32;

/**
 * Judges the step that prices lie on (warning): each part of the series, whole UTC days until they hold enough different
 * prices, has the greatest step that all its prices are multiples of; where it changes from part to part, a file may have
 * been rounded or the exchange may have changed its tick. Of marks and funding, which lie on no step, nothing follows.
 */
export class StepCheck {
  readonly #decimals: number;
  readonly #priceColumns: readonly number[];
  readonly #changes = new Tally('mixedSteps', 'warning', 'changes of the step that prices lie on');
  readonly #seen = new Set<number>();
  /** In price units; 0 before the first part is whole. */
  #lastStep = 0;
  #step = 0;
  #partRow = 0;
  #partTime = Number.NaN;
  #dayEnd = Number.NEGATIVE_INFINITY;

  constructor({ kind, priceDecimals }: SeriesMeta) {
    this.#decimals = priceDecimals;
    this.#priceColumns = SERIES_COLUMNS[kind].flatMap(({ unit }, index) => (unit === 'price' ? [index] : []));
  }

  update({ time, columns, length }: CheckedRows, rowsBefore: number): void {
    const prices = this.#priceColumns.map((index) => columns[index]!);
    for (let row = 0; row < length; row++) {
      if (time[row]! >= this.#dayEnd) this.#newDay(time[row]!, rowsBefore + row + 1);
      if (this.#seen.size < ENOUGH_PRICES) this.#seen.add(prices[0]![row]!);
      if (this.#step === 1) continue;
      for (const column of prices) {
        const price = Math.abs(column[row]!);
        if (this.#step === 0 || price - Math.floor(price / this.#step) * this.#step !== 0) this.#step = gcd(this.#step, price);
      }
    }
  }

  findings(): Finding[] {
    this.#endPart();
    return this.#changes.findings();
  }

  #newDay(time: number, row: number): void {
    this.#dayEnd = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
    if (!Number.isNaN(this.#partTime) && !this.#endPart()) return;
    this.#partTime = time;
    this.#partRow = row;
  }

  /** @returns whether the part held enough prices to be judged. */
  #endPart(): boolean {
    if (this.#seen.size < ENOUGH_PRICES) return false;
    const [from, to] = [this.#lastStep, this.#step];
    if (from !== 0 && from !== to) {
      this.#changes.add(this.#partRow, this.#partTime, () => `${decimalText(from, this.#decimals)} to ${decimalText(to, this.#decimals)}`);
    }
    this.#lastStep = to;
    this.#step = 0;
    this.#seen.clear();
    return true;
  }
}
