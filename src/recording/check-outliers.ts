import { type Finding, Tally } from './check-tally.ts';
import type { CheckedRows } from './checked-rows.ts';
import { decimalText } from './decimal-units.ts';
import type { SeriesMeta } from './series-meta.ts';

/** Least share by which a price must stand out from both its neighbours, however calm the market. */
const LEAST_SHARE = 0.05;
/** So many times the usual move between two rows is out of reason. */
const USUAL_MOVES = 10;
/** Rows over which the usual move is averaged, newer ones weighing more; it opens at 2 %. */
const MEMORY = 128;
const FIRST_USUAL_MOVE = 0.02;
/** A price that more than doubles or halves between two rows, and stays, is most likely in another unit. */
const LEAP = 2;

/** The highest and the lowest price of a row: high and low, ask and bid, or the price itself. */
interface Reach {
  top: number;
  bottom: number;
  row: number;
  time: number;
}

/**
 * Judges prices against their neighbours (warnings): a row stands out where its highest price is above those of the rows before
 * and after, or its lowest below, by more than 5 % and by more than ten times the usual move; and prices leap where
 * they more than double or halve and stay there. Rows that repeat the prices before count as one with them.
 */
export class OutlierCheck {
  readonly #decimals: number;
  readonly #top: number;
  readonly #bottom: number;
  readonly #outliers = new Tally('outliers', 'warning', 'prices far from those before and after');
  readonly #leaps = new Tally('outliers', 'warning', 'prices that more than double or halve at once');
  readonly #before: Reach = { top: 0, bottom: 0, row: 0, time: 0 };
  readonly #now: Reach = { top: 0, bottom: 0, row: 0, time: 0 };
  #usualMove = FIRST_USUAL_MOVE;

  constructor({ kind, priceDecimals }: SeriesMeta) {
    this.#decimals = priceDecimals;
    this.#top = kind === 'bar' || kind === 'quote' ? 1 : 0;
    this.#bottom = kind === 'bar' ? 2 : 0;
  }

  update({ time, columns, length }: CheckedRows, rowsBefore: number): void {
    const tops = columns[this.#top]!;
    const bottoms = columns[this.#bottom]!;
    const now = this.#now;
    for (let row = 0; row < length; row++) {
      const top = tops[row]!;
      const bottom = bottoms[row]!;
      if ((top === now.top && bottom === now.bottom) || bottom <= 0) continue;
      if (now.top > 0) this.#judge(top, bottom);
      now.top = top;
      now.bottom = bottom;
      now.row = rowsBefore + row + 1;
      now.time = time[row]!;
    }
  }

  findings(): Finding[] {
    const last = this.#now;
    if (last.top > 0) this.#judge(last.top, last.bottom);
    last.top = 0;
    return [this.#outliers, this.#leaps].flatMap((tally) => tally.findings());
  }

  /** Judges the row at hand, now that the prices after it are known. */
  #judge(nextTop: number, nextBottom: number): void {
    const { top, bottom, row, time } = this.#now;
    const before = this.#before;
    if (before.top > 0) {
      const limit = Math.max(LEAST_SHARE, USUAL_MOVES * this.#usualMove);
      if (top > (1 + limit) * Math.max(before.top, nextTop)) {
        this.#outliers.add(row, time, () => this.#price(top));
        return;
      }
      if (bottom < (1 - limit) * Math.min(before.bottom, nextBottom)) {
        this.#outliers.add(row, time, () => this.#price(bottom));
        return;
      }
      const ratio = (top + bottom) / (before.top + before.bottom);
      if (ratio >= LEAP || ratio <= 1 / LEAP) {
        const [from, to] = [before.bottom, bottom];
        this.#leaps.add(row, time, () => `${this.#price(from)} to ${this.#price(to)}`);
      }
      this.#usualMove += (Math.min(Math.abs(ratio - 1), limit) - this.#usualMove) / MEMORY;
    }
    before.top = top;
    before.bottom = bottom;
  }

  #price(units: number): string {
    return decimalText(units, this.#decimals);
  }
}
