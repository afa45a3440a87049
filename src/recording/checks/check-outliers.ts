import { decimalText } from '../columns/decimal-units.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type Finding, Tally } from './check-tally.ts';
import type { CheckedRows } from './checked-rows.ts';

/** Least share by which a price must stand out from both its neighbours, however calm the market. */
const LEAST_SHARE = 0.05;
/** So many times the usual move between two rows is out of reason. */
const USUAL_MOVES = 10;
/** What the newest move counts for in the usual one, which opens at 2 %. */
const NEWEST_WEIGHS = 1 / 128;
const FIRST_USUAL_MOVE = 0.02;
/** A price that more than doubles or halves between two rows, and stays, is most likely in another unit. */
const LEAP = 2;

/**
 * Judges prices against their neighbours (warnings): a row stands out where its highest price is above those of the rows before
 * and after, or its lowest below, by more than 5 % and by more than ten times the usual move; and prices leap where
 * they more than double or halve and stay there. Rows that repeat the prices before count as one with them.
 */
export class OutlierCheck {
  readonly #decimals: number;
  readonly #topColumn: number;
  readonly #bottomColumn: number;
  readonly #outliers = new Tally('outliers', 'warning', 'prices far from those before and after');
  readonly #leaps = new Tally('outliers', 'warning', 'prices that more than double or halve at once');
  /** Highest and lowest price of the last row that did not stand out, and of the row at hand; 0 where there is none. */
  #beforeTop = 0;
  #beforeBottom = 0;
  #top = 0;
  #bottom = 0;
  #row = 0;
  #time = 0;
  #usualMove = FIRST_USUAL_MOVE;

  constructor({ kind, priceDecimals }: SeriesMeta) {
    this.#decimals = priceDecimals;
    this.#topColumn = kind === 'bar' || kind === 'quote' ? 1 : 0;
    this.#bottomColumn = kind === 'bar' ? 2 : 0;
  }

  update({ time, columns, length }: CheckedRows, rowsBefore: number): void {
    const tops = columns[this.#topColumn]!;
    const bottoms = columns[this.#bottomColumn]!;
    for (let row = 0; row < length; row++) {
      const top = tops[row]!;
      const bottom = bottoms[row]!;
      if ((top === this.#top && bottom === this.#bottom) || bottom <= 0) continue;
      this.#judge(top, bottom);
      this.#top = top;
      this.#bottom = bottom;
      this.#row = rowsBefore + row + 1;
      this.#time = time[row]!;
    }
  }

  findings(): Finding[] {
    this.#judge(this.#top, this.#bottom);
    return [this.#outliers, this.#leaps].flatMap((tally) => tally.findings());
  }

  /** Judges the row at hand, now that the prices after it are known. */
  #judge(nextTop: number, nextBottom: number): void {
    const top = this.#top;
    const bottom = this.#bottom;
    const before = this.#beforeTop + this.#beforeBottom;
    if (before > 0) {
      const calm = top <= (1 + LEAST_SHARE) * this.#beforeTop && bottom >= (1 - LEAST_SHARE) * this.#beforeBottom;
      if (!calm && this.#standsOut(nextTop, nextBottom)) return;
      const move = Math.abs(top + bottom - before) / before;
      this.#usualMove += (Math.min(move, this.#limit) - this.#usualMove) * NEWEST_WEIGHS;
    }
    this.#beforeTop = top;
    this.#beforeBottom = bottom;
  }

  get #limit(): number {
    return Math.max(LEAST_SHARE, USUAL_MOVES * this.#usualMove);
  }

  /** Counts the row at hand as an outlier, or as a leap, which the prices after it are judged by. */
  #standsOut(nextTop: number, nextBottom: number): boolean {
    const top = this.#top;
    const bottom = this.#bottom;
    const [row, time, from] = [this.#row, this.#time, this.#beforeBottom];
    const above = top > (1 + this.#limit) * Math.max(this.#beforeTop, nextTop);
    if (above || bottom < (1 - this.#limit) * Math.min(from, nextBottom)) {
      this.#outliers.add(row, time, () => this.#price(above ? top : bottom));
      return true;
    }
    const ratio = (top + bottom) / (this.#beforeTop + from);
    if (ratio >= LEAP || ratio <= 1 / LEAP) this.#leaps.add(row, time, () => `${this.#price(from)} to ${this.#price(bottom)}`);
    return false;
  }

  #price(units: number): string {
    return decimalText(units, this.#decimals);
  }
}
