import { NumberColumn } from '../../model/columns.ts';
import type { Fill } from '../../model/fill.ts';

/** A bar in which a fill happened. */
export interface BarAtFill {
  /** In base. */
  readonly volume: number;
  readonly lowTicks: number;
  readonly highTicks: number;
}

/** The bar of the newest fill of an instrument. */
interface Newest {
  readonly bar: BarAtFill;
  /** Its place among the bars with fills. */
  readonly place: number;
  /** The quantity of it that fills took so far, in base. */
  taken: number;
}

/** Compares each fill with its bar: whether it was at the best price, and how much of the volume fills took. */
export class FillsInBars {
  /** Fills in bars with more than one price, and those of them at the best one: a buy at the low, a sell at the high. */
  judged = 0;
  atBest = 0;
  /** By bar, in the order of their first fills. */
  readonly #shares = new NumberColumn();
  #hasVolume = false;
  /** By the index of the instrument: an older bar gets no fill after a newer one. */
  readonly #newest: (Newest | undefined)[] = [];

  /** Called once for each fill whose bar is known. */
  add({ side, priceTicks, quantity, instrument }: Pick<Fill, 'side' | 'priceTicks' | 'quantity' | 'instrument'>, bar: BarAtFill): void {
    if (bar.highTicks > bar.lowTicks) {
      this.judged++;
      if (side === 'buy' ? priceTicks <= bar.lowTicks : priceTicks >= bar.highTicks) this.atBest++;
    }
    let newest = this.#newest[instrument.index];
    if (newest?.bar !== bar) {
      newest = { bar, place: this.#shares.length, taken: 0 };
      this.#newest[instrument.index] = newest;
      this.#shares.push(0);
    }
    newest.taken += quantity;
    this.#shares.set(newest.place, newest.taken / bar.volume);
    if (bar.volume !== 0) this.#hasVolume = true;
  }

  /** The share of each bar's volume that own fills took; none if no bar has a volume. */
  *volumeShares(): IterableIterator<number> {
    if (!this.#hasVolume) return;
    for (let place = 0; place < this.#shares.length; place++) yield this.#shares.at(place);
  }
}
