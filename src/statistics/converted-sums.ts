import { Decimal, ZERO } from '../model/decimal.ts';
import { MONEY_PLACES } from '../model/margin.ts';
import { worthOf } from './run-record.ts';

/**
 * A trade whose quote is not the run's currency, in that currency: each exit's profit in quote (at average cost)
 * counts at the rate of that exit, what went through at the rate of its own fill.
 */
export class ConvertedSums {
  /** Entries, and entries with exits, each at its own rate. */
  entryWorth: Decimal = ZERO;
  volume: Decimal = ZERO;
  /** Gained by exits so far, fees apart. */
  gained: Decimal = ZERO;
  /** Quote paid (long) or received (short) for what is still open. */
  #cost: Decimal = ZERO;

  constructor(private readonly long: boolean) {}

  enter(notional: Decimal, rate: Decimal): void {
    const worth = worthOf(notional, rate);
    this.#cost = this.#cost.plus(notional);
    this.entryWorth = this.entryWorth.plus(worth);
    this.volume = this.volume.plus(worth);
  }

  /**
   * @param quantity how much of `held` is closed.
   * @param closes whether nothing is left of the trade: then all of the cost goes.
   */
  exit(notional: Decimal, rate: Decimal, quantity: Decimal, held: Decimal, closes: boolean): void {
    const cost = closes ? this.#cost : this.#cost.times(quantity).div(held).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
    this.#cost = this.#cost.minus(cost);
    this.gained = this.gained.plus(worthOf(this.long ? notional.minus(cost) : cost.minus(notional), rate));
    this.volume = this.volume.plus(worthOf(notional, rate));
  }
}
