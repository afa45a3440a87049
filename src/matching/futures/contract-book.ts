import type { Decimal } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Contract, Instrument } from '../../model/instrument.ts';
import type { Mark } from '../../model/market-events.ts';

/**
 * Last and mark price of a contract.
 *
 * - The last price is the newest bar price, trade, ticker, or the middle of a quote; with quotes, buy triggers use the ask and sell
 *   triggers the bid.
 * - Positions are valued at the mark while it is at most `markMaxAgeMs` older than the newest price, else at the
 *   last price.
 */
export class ContractPrices {
  /** The prices for buy triggers and sell triggers; `NaN` before the first price. */
  buyTicks = Number.NaN;
  sellTicks = Number.NaN;
  /** The last price in ticks; halves where it is the middle of a quote. */
  lastTicks = Number.NaN;
  /** The price that positions are valued at, in ticks with fractions, and in quote. */
  valueTicks = Number.NaN;
  value = Number.NaN;
  #mark: Mark | undefined;
  #exactMark: Decimal | undefined;
  /** Up to this time of prices, the mark counts. */
  #freshUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly instrument: Instrument,
    private readonly markMaxAgeMs: number,
  ) {}

  /** True while the mark, not the last price, counts. */
  get marked(): boolean {
    return this.#mark !== undefined;
  }

  /** The exact price that positions are valued at. */
  get exact(): Decimal {
    if (this.#mark === undefined) return this.instrument.tick.toDecimal(this.lastTicks);
    this.#exactMark ??= this.#mark.exactPrice;
    return this.#exactMark;
  }

  /** @returns whether the value of positions has changed. */
  onLast(ticks: number, time: number): boolean {
    this.buyTicks = ticks;
    this.sellTicks = ticks;
    this.lastTicks = ticks;
    return this.#revalue(time);
  }

  /** @returns whether the value of positions has changed. */
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

  /**
   * Prices of this time are coming: a mark that is too old for them no longer counts.
   * @returns whether one counted until now.
   */
  age(time: number): boolean {
    return this.#mark !== undefined && this.#revalue(time);
  }

  /** Sets the last price for a trial computation; only while no mark counts. */
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

/** Positions that are liquidated together, with the checks that run at every price. */
export interface MarginHolder {
  /** A fast check with false positives only: whether the margin may be too small. */
  mayLack(): boolean;
  /** The exact check. */
  readonly due: boolean;
}

/** The simulator's data of one contract beyond its order book: its prices, and the margins that depend on them. */
export class ContractBook {
  readonly contract: Contract;
  readonly prices: ContractPrices;
  readonly #holders: MarginHolder[] = [];
  /** The maintenance tiers as doubles, as they are read at every price. */
  readonly #upTo: Float64Array;
  readonly #rates: Float64Array;
  readonly #deductions: Float64Array;

  constructor(
    readonly instrument: Instrument,
    markMaxAgeMs: number,
  ) {
    invariant(instrument.contract !== undefined, `${instrument.symbol} has a contract`);
    this.contract = instrument.contract;
    this.prices = new ContractPrices(instrument, markMaxAgeMs);
    const { tiers } = this.contract.tiers;
    this.#upTo = Float64Array.from(tiers, ({ upTo }) => upTo?.toNumber() ?? Number.POSITIVE_INFINITY);
    this.#rates = Float64Array.from(tiers, ({ rate }) => rate.toNumber());
    this.#deductions = Float64Array.from(tiers, ({ deduction }) => deduction.toNumber());
  }

  join(holder: MarginHolder): void {
    if (!this.#holders.includes(holder)) this.#holders.push(holder);
  }

  leave(holder: MarginHolder): void {
    const at = this.#holders.indexOf(holder);
    if (at >= 0) this.#holders.splice(at, 1);
  }

  /** Maintenance margin of a value, as a double. */
  maintenance(value: number): number {
    const upTo = this.#upTo;
    let tier = 0;
    while (value > upTo[tier]!) tier++;
    return value * this.#rates[tier]! - this.#deductions[tier]!;
  }

  /** Whether any margin that depends on this contract may be too small. */
  mayLack(): boolean {
    const holders = this.#holders;
    for (let i = 0; i < holders.length; i++) if (holders[i]!.mayLack()) return true;
    return false;
  }

  /**
   * The first whole tick after `from`, up to and including `to`, at which some margin is too small; `undefined` where there is none, and
   * while the mark is not the last price. Margin less maintenance is concave over the price, so between a price where it suffices and one
   * where it does not, it crosses zero once.
   */
  dueTicks(from: number, to: number): number | undefined {
    if (this.#holders.length === 0 || this.prices.marked || from === to) return undefined;
    const present = this.prices.lastTicks;
    const found = this.#dueAt(to) ? this.#firstDue(from, to) : undefined;
    this.prices.suppose(present);
    return found;
  }

  #firstDue(from: number, to: number): number {
    let enough = from;
    let lacks = to;
    while (Math.abs(lacks - enough) > 1) {
      const middle = Math.floor((enough + lacks) / 2);
      if (this.#dueAt(middle)) lacks = middle;
      else enough = middle;
    }
    return lacks;
  }

  #dueAt(ticks: number): boolean {
    this.prices.suppose(ticks);
    return this.#holders.some((holder) => holder.mayLack() && holder.due);
  }
}
