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
  /** The quantity of it that fills took so far, in base. */
  taken: number;
}

/** An order above this share of a bar's volume moves the price itself. */
export const LARGE_SHARE = 0.1;

/** The shares of the volume of their bars that own fills took. */
class VolumeShares {
  bars = 0;
  /** Bars of which fills took `LARGE_SHARE` or more, and the largest of these shares: infinite for a bar without volume. */
  large = 0;
  largest = 0;
  /** Bars with a volume, and the sum of their shares. */
  measured = 0;
  sum = 0;

  add({ bar, taken }: Newest): void {
    const share = taken / bar.volume;
    this.bars++;
    if (share >= LARGE_SHARE) {
      this.large++;
      this.largest = Math.max(this.largest, share);
    }
    if (!Number.isFinite(share)) return;
    this.measured++;
    this.sum += share;
  }
}

/** Compares each fill with its bar: whether it was at the best price, and how much of the volume fills took. */
export class FillsInBars {
  /** Fills in bars with more than one price, and those of them at the best one: a buy at the low, a sell at the high. */
  judged = 0;
  atBest = 0;
  readonly #shares = new VolumeShares();
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
      if (newest !== undefined) this.#shares.add(newest);
      newest = { bar, taken: 0 };
      this.#newest[instrument.index] = newest;
    }
    newest.taken += quantity;
    if (bar.volume !== 0) this.#hasVolume = true;
  }

  /** Called after the last fill; undefined if no bar has a volume. */
  volumeShares(): Readonly<VolumeShares> | undefined {
    for (const newest of this.#newest.splice(0)) if (newest !== undefined) this.#shares.add(newest);
    return this.#hasVolume ? this.#shares : undefined;
  }
}
