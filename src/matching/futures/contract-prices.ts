import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Mark } from '../../model/market-events.ts';

/**
 * Last and mark price of a contract.
 *
 * - The last price is the newest bar price, trade, ticker, or the middle of a quote; quotes judge triggers of buys
 *   by the ask, of sells by the bid.
 * - Positions are valued at the mark while it is at most `markMaxAgeMs` older than the newest price, else at the
 *   last price.
 */
export class ContractPrices {
  /** What triggers of buys and of sells are judged by; `NaN` before the first price. */
  buyTicks = Number.NaN;
  sellTicks = Number.NaN;
  /** The last price in ticks; halves where it is the middle of a quote. */
  lastTicks = Number.NaN;
  /** What positions are valued at, in ticks and their fractions, and in quote. */
  valueTicks = Number.NaN;
  value = Number.NaN;
  #mark: Mark | undefined;
  #exactMark: Decimal | undefined;
  /** The time of prices up to which the mark counts. */
  #freshUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly instrument: Instrument,
    private readonly markMaxAgeMs: number,
  ) {}

  /** True while the mark, not the last price, is what counts. */
  get marked(): boolean {
    return this.#mark !== undefined;
  }

  /** What positions are valued at, to the last digit. */
  get exact(): Decimal {
    if (this.#mark === undefined) return this.instrument.tick.toDecimal(this.lastTicks);
    this.#exactMark ??= this.#mark.exactPrice;
    return this.#exactMark;
  }

  /** @returns whether positions are worth something else from here. */
  onLast(ticks: number, time: number): boolean {
    this.buyTicks = ticks;
    this.sellTicks = ticks;
    this.lastTicks = ticks;
    return this.#revalue(time);
  }

  /** @returns whether positions are worth something else from here. */
  onQuote(bidTicks: number, askTicks: number, time: number): boolean {
    this.buyTicks = askTicks;
    this.sellTicks = bidTicks;
    this.lastTicks = (bidTicks + askTicks) / 2;
    return this.#revalue(time);
  }

  onMark(mark: Mark): void {
    this.#mark = mark;
    this.#exactMark = undefined;
    this.#freshUntil = mark.time + this.markMaxAgeMs;
    this.valueTicks = this.#ticksOf(mark);
    this.value = mark.price;
  }

  /** Prices of this time are coming: a mark that is too old for them counts no more. @returns whether one did so far. */
  age(time: number): boolean {
    return this.#mark !== undefined && this.#revalue(time);
  }

  /** Puts the last price somewhere for a question; only while no mark counts. */
  suppose(ticks: number): void {
    this.lastTicks = ticks;
    this.valueTicks = ticks;
    this.value = this.instrument.tick.toNumber(ticks);
  }

  #revalue(time: number): boolean {
    if (time <= this.#freshUntil) return false;
    this.#mark = undefined;
    this.suppose(this.lastTicks);
    return true;
  }

  /** One division of whole numbers, so that a mark on a tick is exactly that tick. */
  #ticksOf({ units, decimals }: Mark): number {
    const { tick } = this.instrument;
    const shift = decimals - tick.decimals;
    return shift >= 0 ? units / (tick.numerator * 10 ** shift) : (units * 10 ** -shift) / tick.numerator;
  }
}
