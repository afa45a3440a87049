import { Decimal, ratioOf, ZERO } from '../../model/decimal.ts';
import { MONEY_PLACES } from '../../model/margin.ts';
import type { Side } from '../../model/order.ts';
import type { RecordedFill } from '../fill-columns.ts';
import { feeWorth, worthOf } from '../run-record.ts';
import type { OpenTrade, PriceRange } from './trade.ts';
import type { TradeFigures } from './trade-columns.ts';

/** A fill's part in one trade: quantity in base, notional in quote, fees in the run's currency. */
export interface Leg {
  readonly quantity: Decimal;
  readonly notional: Decimal;
  readonly fee: Decimal;
  /** The fee that was paid in money: zero where it was taken from the holding. */
  readonly cashFee: Decimal;
  /** Value of one quote in the run's currency; absent where quote is that currency. */
  readonly rate: Decimal | undefined;
  /** The fill depended on the assumed path inside a bar. */
  readonly onPath: boolean;
}

export function legOf(fill: RecordedFill): Leg {
  const { notional, rate, onPath = false } = fill;
  const fee = feeWorth(fill, rate);
  const cashFee = isTakenFromHoldings(fill) ? ZERO : fee;
  return { quantity: fill.instrument.step.toDecimal(fill.steps), notional, fee, cashFee, rate, onPath };
}

/** The base units that a spot fee takes from the holding; zero for a fee in another asset. */
export function feeInKind(fill: RecordedFill): Decimal {
  return isTakenFromHoldings(fill) ? fill.fee : ZERO;
}

function isTakenFromHoldings(fill: RecordedFill): boolean {
  return fill.instrument.kind === 'spot' && fill.feeAsset === fill.instrument.base;
}

/**
 * A leg as its first `quantity` and the rest: notional by price, fees in proportion; the two sum to the leg exactly.
 * @param places to which fees are rounded.
 */
export function splitLeg(fill: RecordedFill, leg: Leg, quantity: Decimal, places?: number): [first: Leg, rest: Leg] {
  const share = (fee: Decimal) => {
    const part = fee.times(quantity).div(leg.quantity);
    return places === undefined ? part : part.toDecimalPlaces(places, Decimal.ROUND_HALF_EVEN);
  };
  const notional = fill.instrument.tick.toDecimal(fill.priceTicks).times(quantity);
  const first: Leg = { ...leg, quantity, notional, fee: share(leg.fee), cashFee: share(leg.cashFee) };
  const rest: Leg = {
    ...leg,
    quantity: leg.quantity.minus(first.quantity),
    notional: leg.notional.minus(first.notional),
    fee: leg.fee.minus(first.fee),
    cashFee: leg.cashFee.minus(first.cashFee),
  };
  return [first, rest];
}

/** The running sums of one trade. Sums are exact; only average prices, the return and conversions are rounded. */
export class TradeSums {
  readonly #first: RecordedFill;
  #last: RecordedFill;
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
  /** Rate of the newest leg. */
  #rate: Decimal | undefined;
  /** The extremes of the prices since the trade last changed. */
  #lowTicks = Number.POSITIVE_INFINITY;
  #highTicks = Number.NEGATIVE_INFINITY;
  readonly #excursion = new Excursion();
  /** Created by the first leg with a rate: without one, the notionals are enough. */
  #converted: ConvertedSums | undefined;

  constructor(first: RecordedFill) {
    this.#first = first;
    this.#last = first;
  }

  get entrySide(): Side {
    return this.#first.side;
  }

  /** @param held the quantity after the leg, never negative. */
  enter(leg: Leg, held: Decimal): void {
    this.#value();
    this.#entryQuantity = sumOf(this.#entryQuantity, leg.quantity);
    this.#entryNotional = sumOf(this.#entryNotional, leg.notional);
    if (held.gt(this.#maxQuantity)) this.#maxQuantity = held;
    this.#count(leg);
    if (leg.rate === undefined) return;
    this.#converted ??= new ConvertedSums(this.entrySide === 'buy');
    this.#converted.enter(leg.notional, leg.rate);
  }

  /**
   * @param held the quantity before the leg, never negative.
   * @param closes whether the leg ends the trade.
   */
  exit(fill: RecordedFill, leg: Leg, held: Decimal, closes: boolean): void {
    this.#last = fill;
    this.#value();
    this.#exitQuantity = sumOf(this.#exitQuantity, leg.quantity);
    this.#exitNotional = sumOf(this.#exitNotional, leg.notional);
    this.#count(leg);
    if (leg.rate !== undefined) this.#converted?.exit(leg.notional, leg.rate, leg.quantity, held, closes);
  }

  /** Funding that the position gained (negative: paid), in the run's currency. */
  fund(amount: Decimal): void {
    this.#funding = this.#funding.plus(amount);
  }

  /** Prices of the market while the trade was open and unchanged. */
  see({ lowTicks, highTicks }: PriceRange): void {
    if (lowTicks < this.#lowTicks) this.#lowTicks = lowTicks;
    if (highTicks > this.#highTicks) this.#highTicks = highTicks;
  }

  asOpen(quantity: Decimal): OpenTrade {
    this.#value();
    const entryValue = this.#entryWorth;
    const { worst: mae, best: mfe } = this.#excursion;
    return {
      strategyId: this.#first.strategyId,
      symbol: this.#first.symbol,
      side: this.#side,
      tag: this.#first.tag,
      group: this.#first.group || undefined,
      entryTime: this.#first.time,
      entryPrice: this.#entryNotional.div(this.#entryQuantity),
      maxQuantity: this.#maxQuantity,
      entryValue,
      volume: this.#converted?.volume ?? this.#entryNotional.plus(this.#exitNotional),
      fees: this.#fees,
      funding: this.#funding,
      fills: this.#fills,
      pathFills: this.#pathFills,
      mae,
      mfe,
      maeShare: ratioOf(mae, entryValue),
      mfeShare: ratioOf(mfe, entryValue),
      quantity,
    };
  }

  asClosed(): TradeFigures {
    return {
      strategyId: this.#first.strategyId,
      symbol: this.#first.symbol,
      side: this.#side,
      tag: this.#first.tag,
      group: this.#first.group || undefined,
      entryTime: this.#first.time,
      entryQuantity: this.#entryQuantity,
      entryNotional: this.#entryNotional,
      exitQuantity: this.#exitQuantity,
      exitNotional: this.#exitNotional,
      maxQuantity: this.#maxQuantity,
      worth: this.#converted && { entryValue: this.#converted.entryWorth, volume: this.#converted.volume },
      fees: this.#fees,
      funding: this.#funding,
      fills: this.#fills,
      pathFills: this.#pathFills,
      mae: this.#excursion.worst,
      mfe: this.#excursion.best,
      exitTag: this.#last.tag,
      exitReason: this.#last.reason,
      exitTime: this.#last.time,
      early: this.#first.time - (this.#first.since ?? this.#first.time),
      liquidated: this.#last.liquidated,
      netProfit: this.#gained().minus(this.#cashFees).plus(this.#funding),
    };
  }

  /** The results at the extremes of the prices since the trade last changed; in another currency at the rate of its newest fill. */
  #value(): void {
    const [low, high] = [this.#lowTicks, this.#highTicks];
    if (low > high) return;
    this.#lowTicks = Number.POSITIVE_INFINITY;
    this.#highTicks = Number.NEGATIVE_INFINITY;
    const tick = this.#first.instrument.tick.toDecimal(1);
    const open = sumLess(this.#entryQuantity, this.#exitQuantity).times(tick);
    const paid = sumLess(this.#entryNotional, this.#exitNotional);
    for (const ticks of low === high ? [low] : [low, high]) {
      const risen = worthOf(open.times(ticks).minus(paid), this.#rate);
      this.#excursion.see(this.entrySide === 'buy' ? risen : risen.neg());
    }
  }

  get #side(): 'long' | 'short' {
    return this.entrySide === 'buy' ? 'long' : 'short';
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
    this.#fees = sumOf(this.#fees, leg.fee);
    this.#cashFees = sumOf(this.#cashFees, leg.cashFee);
    this.#fills += 1;
    if (leg.onPath) this.#pathFills += 1;
    this.#rate = leg.rate;
  }
}

function sumLess(sum: Decimal, part: Decimal): Decimal {
  return part === ZERO ? sum : sum.minus(part);
}

/** The sum. Where it has one part, that same object, which its fill keeps anyway. */
function sumOf(sum: Decimal, part: Decimal): Decimal {
  return sum === ZERO ? part : sum.plus(part);
}

/**
 * A trade whose quote is not the run's currency, in that currency. Each exit's profit in quote (at average cost) counts at the rate of that
 * exit; volumes count at the rate of their own fill.
 */
class ConvertedSums {
  /** Entries, and entries with exits, each at its own rate. */
  entryWorth: Decimal = ZERO;
  volume: Decimal = ZERO;
  /** Gained by exits so far, without fees. */
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
   * @param quantity the part of `held` that is closed.
   * @param closes whether the trade ends: then the whole cost is used.
   */
  exit(notional: Decimal, rate: Decimal, quantity: Decimal, held: Decimal, closes: boolean): void {
    const cost = closes ? this.#cost : this.#cost.times(quantity).div(held).toDecimalPlaces(MONEY_PLACES, Decimal.ROUND_HALF_EVEN);
    this.#cost = this.#cost.minus(cost);
    this.gained = this.gained.plus(worthOf(this.long ? notional.minus(cost) : cost.minus(notional), rate));
    this.volume = this.volume.plus(worthOf(notional, rate));
  }
}

/**
 * The worst and the best unrealised result of a trade. A trade begins at zero, so the worst is never above and the best never below zero.
 */
class Excursion {
  worst: Decimal = ZERO;
  best: Decimal = ZERO;

  /** @param result the unrealised result, without fees and funding. */
  see(result: Decimal): void {
    if (result.lt(this.worst)) this.worst = result;
    else if (result.gt(this.best)) this.best = result;
  }
}
