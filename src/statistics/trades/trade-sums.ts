import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import type { Side } from '../../model/order.ts';
import { worthOf } from '../run-record.ts';
import { type ClosedTrade, type FillReason, isLiquidation, type OpenTrade, type PriceRange } from './trade.ts';

/** A fill's part in one trade: quantity in base, notional in quote, fees in the run's currency. */
export interface Leg {
  readonly quantity: Decimal;
  readonly notional: Decimal;
  readonly fee: Decimal;
  /** The fee as far as it was paid in money: nothing where it was taken out of what is held. */
  readonly cashFee: Decimal;
  /** Worth of one quote in the run's currency; absent where quote is that currency. */
  readonly rate: Decimal | undefined;
  /** The fill hung on the assumed path inside a bar. */
  readonly onPath: boolean;
}

/** The running sums of one trade. Sums are exact; only average prices, the return and conversions are rounded. */
export class TradeSums {
  readonly #first: Fill;
  #last: Fill;
  #entryQuantity: Decimal = ZERO;
  #entryNotional: Decimal = ZERO;
  #exitQuantity: Decimal = ZERO;
  #exitNotional: Decimal = ZERO;
  #maxQuantity: Decimal = ZERO;
  #fees: Decimal = ZERO;
  #cashFees: Decimal = ZERO;
  #funding: Decimal = ZERO;
  #fills = 0;
  #pathFills = 0;
  /** Of the newest leg. */
  #rate: Decimal | undefined;
  readonly #excursion = new Excursion();
  /** Made by the first leg with a rate: without one, the notionals say it all. */
  #converted: ConvertedSums | undefined;

  constructor(first: Fill) {
    this.#first = first;
    this.#last = first;
  }

  get entrySide(): Side {
    return this.#first.side;
  }

  /** @param held what is held after the leg, never negative. */
  enter(leg: Leg, held: Decimal): void {
    this.#entryQuantity = this.#entryQuantity.plus(leg.quantity);
    this.#entryNotional = this.#entryNotional.plus(leg.notional);
    this.#maxQuantity = Decimal.max(this.#maxQuantity, held);
    this.#count(leg);
    if (leg.rate === undefined) return;
    this.#converted ??= new ConvertedSums(this.entrySide === 'buy');
    this.#converted.enter(leg.notional, leg.rate);
  }

  /**
   * @param held what was held before the leg, never negative.
   * @param closes whether the trade ends with it.
   */
  exit(fill: Fill, leg: Leg, held: Decimal, closes: boolean): void {
    this.#last = fill;
    this.#exitQuantity = this.#exitQuantity.plus(leg.quantity);
    this.#exitNotional = this.#exitNotional.plus(leg.notional);
    this.#count(leg);
    if (leg.rate !== undefined) this.#converted?.exit(leg.notional, leg.rate, leg.quantity, held, closes);
  }

  /** Funding that the position gained (negative: paid), in the run's currency. */
  fund(amount: Decimal): void {
    this.#funding = this.#funding.plus(amount);
  }

  /** Prices that the market had while the trade stood as it does: in another currency at the rate of its newest fill. */
  see({ lowTicks, highTicks }: PriceRange): void {
    const { tick } = this.#first.instrument;
    const open = this.#entryQuantity.minus(this.#exitQuantity).times(tick.toDecimal(1));
    const paid = this.#entryNotional.minus(this.#exitNotional);
    for (const ticks of [lowTicks, highTicks]) {
      const risen = worthOf(open.times(ticks).minus(paid), this.#rate);
      this.#excursion.see(this.entrySide === 'buy' ? risen : risen.neg());
    }
  }

  asOpen(quantity: Decimal): OpenTrade {
    return { ...this.#soFar(), quantity };
  }

  /** @param exitReason of the last exit fill. */
  asClosed(exitReason: FillReason): ClosedTrade {
    const netProfit = this.#gained().minus(this.#cashFees).plus(this.#funding);
    return {
      ...this.#soFar(),
      exitTag: this.#last.tag,
      exitReason,
      exitTime: this.#last.time,
      exitPrice: this.#exitNotional.div(this.#exitQuantity),
      liquidated: isLiquidation(this.#last),
      grossProfit: netProfit.plus(this.#fees).minus(this.#funding),
      netProfit,
      returnOnEntry: netProfit.div(this.#entryWorth).toNumber(),
      holdingMs: this.#last.time - this.#first.time,
    };
  }

  get #entryWorth(): Decimal {
    return this.#converted?.entryWorth ?? this.#entryNotional;
  }

  #gained(): Decimal {
    if (this.#converted !== undefined) return this.#converted.gained;
    const gained = this.#exitNotional.minus(this.#entryNotional);
    return this.entrySide === 'buy' ? gained : gained.neg();
  }

  #count(leg: Leg): void {
    this.#fees = this.#fees.plus(leg.fee);
    this.#cashFees = this.#cashFees.plus(leg.cashFee);
    this.#fills += 1;
    if (leg.onPath) this.#pathFills += 1;
    this.#rate = leg.rate;
  }

  #soFar() {
    return {
      strategyId: this.#first.strategyId,
      symbol: this.#first.symbol,
      side: this.entrySide === 'buy' ? ('long' as const) : ('short' as const),
      tag: this.#first.tag,
      entryTime: this.#first.time,
      entryPrice: this.#entryNotional.div(this.#entryQuantity),
      maxQuantity: this.#maxQuantity,
      entryValue: this.#entryWorth,
      volume: this.#converted?.volume ?? this.#entryNotional.plus(this.#exitNotional),
      fees: this.#fees,
      funding: this.#funding,
      fills: this.#fills,
      pathFills: this.#pathFills,
      mae: this.#excursion.worst,
      mfe: this.#excursion.best,
      maeShare: this.#excursion.worst.div(this.#entryWorth).toNumber(),
      mfeShare: this.#excursion.best.div(this.#entryWorth).toNumber(),
    };
  }
}

/**
 * A trade whose quote is not the run's currency, in that currency: each exit's profit in quote (at average cost)
 * counts at the rate of that exit, what went through at the rate of its own fill.
 */
class ConvertedSums {
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

/**
 * How far a trade went against its holder and for him. A trade begins at zero, so the worst is never above it and the
 * best never below.
 */
class Excursion {
  worst: Decimal = ZERO;
  best: Decimal = ZERO;

  /** @param result what the trade stood at, fees and funding apart. */
  see(result: Decimal): void {
    this.worst = Decimal.min(this.worst, result);
    this.best = Decimal.max(this.best, result);
  }
}
