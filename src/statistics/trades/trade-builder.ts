import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { PositionSide } from '../../model/order.ts';
import { feeWorth } from '../worth.ts';
import type { FillNote, FillReason, PriceRange } from './fill-note.ts';
import { isLiquidation } from './liquidation.ts';
import type { ClosedTrade, OpenTrade } from './trade.ts';
import { type Leg, TradeSums } from './trade-sums.ts';

/** The position of one strategy in one symbol (on one side), and the trade that is open in it. Rules: see `tradesOf`. */
export class TradeBuilder {
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  readonly #onClosed: (trade: ClosedTrade) => void;
  /** What is held, signed, in base; when flat, what an earlier trade left (less than one step). */
  #held: Decimal = ZERO;
  #open: TradeSums | undefined;

  constructor({ strategyId, instrument, positionSide }: Fill, onClosed: (trade: ClosedTrade) => void) {
    this.strategyId = strategyId;
    this.instrument = instrument;
    this.positionSide = positionSide;
    this.#onClosed = onClosed;
  }

  /** Whole steps held, never negative. */
  get heldSteps(): number {
    return this.instrument.step.floorUnits(this.#held.abs());
  }

  /** Prices of its instrument since the fill before the next one, of whichever strategy. */
  see(range: PriceRange): void {
    this.#open?.see(range);
  }

  /**
   * @param rate worth of one quote in the run's currency; absent where quote is that currency.
   * @param note what was noted beside it; without one, the fill itself tells its reason.
   */
  add(fill: Fill, rate: Decimal | undefined, note: Omit<FillNote, 'range'> | undefined): void {
    const { reason = isLiquidation(fill) ? 'liquidation' : 'signal', onPath = false } = note ?? {};
    const inKind = isTakenFromHoldings(fill);
    const quantity = fill.instrument.step.toDecimal(fill.steps);
    const fee = feeWorth(fill, rate);
    const leg: Leg = { quantity, notional: fill.notional, fee, cashFee: inKind ? ZERO : fee, rate, onPath };
    this.see({ lowTicks: fill.priceTicks, highTicks: fill.priceTicks });
    const before = this.#held;
    this.#held = before.plus(fill.side === 'buy' ? quantity : quantity.neg()).minus(inKind ? fill.fee : ZERO);
    if (this.#open === undefined || this.#open.entrySide === fill.side) {
      this.#enter(fill, leg);
      return;
    }

    const flat = this.#held.abs().lt(fill.instrument.step.toDecimal(1));
    const turned = !flat && this.#held.isNegative() !== before.isNegative();
    if (turned) {
      const [closing, opening] = splitLeg(fill, leg, Decimal.min(before.abs(), quantity));
      this.#exit(this.#open, fill, closing, before.abs(), reason);
      this.#enter(fill, opening);
    } else {
      this.#exit(this.#open, fill, leg, before.abs(), flat ? reason : undefined);
    }
  }

  /** Funding on what is held (negative: paid), in the run's currency. */
  fund(amount: Decimal): void {
    this.#open?.fund(amount);
  }

  openTrade(): OpenTrade | undefined {
    return this.#open?.asOpen(this.#held.abs());
  }

  #enter(fill: Fill, leg: Leg): void {
    this.#open ??= new TradeSums(fill);
    this.#open.enter(leg, this.#held.abs());
  }

  /** @param closes why, where nothing is left. */
  #exit(trade: TradeSums, fill: Fill, leg: Leg, held: Decimal, closes: FillReason | undefined): void {
    trade.exit(fill, leg, held, closes !== undefined);
    if (closes === undefined) return;
    this.#open = undefined;
    this.#onClosed(trade.asClosed(closes));
  }
}

/** True for a spot fee in base: it comes off what is held, not out of the quote balance. */
function isTakenFromHoldings(fill: Fill): boolean {
  return fill.instrument.kind === 'spot' && fill.feeAsset === fill.instrument.base;
}

/** A leg as its first `quantity` and the rest: notional by price, fees in proportion; the two sum to the leg exactly. */
function splitLeg(fill: Fill, leg: Leg, quantity: Decimal): [first: Leg, rest: Leg] {
  const first: Leg = {
    quantity,
    notional: fill.instrument.tick.toDecimal(fill.priceTicks).times(quantity),
    fee: leg.fee.times(quantity).div(leg.quantity),
    cashFee: leg.cashFee.times(quantity).div(leg.quantity),
    rate: leg.rate,
    onPath: leg.onPath,
  };
  const rest: Leg = {
    quantity: leg.quantity.minus(first.quantity),
    notional: leg.notional.minus(first.notional),
    fee: leg.fee.minus(first.fee),
    cashFee: leg.cashFee.minus(first.cashFee),
    rate: leg.rate,
    onPath: leg.onPath,
  };
  return [first, rest];
}
