import { Decimal, ZERO } from '../model/decimal.ts';
import type { Fill } from '../model/fill.ts';
import type { Side } from '../model/order.ts';
import type { ClosedTrade, OpenTrade } from './trade.ts';

/** A fill's part in one trade: quantity in base, the rest in quote. */
export interface Leg {
  readonly quantity: Decimal;
  readonly notional: Decimal;
  readonly fee: Decimal;
  /** The fee as far as it was paid in money: nothing where it was taken out of what is held. */
  readonly cashFee: Decimal;
}

/** The running sums of one trade. Sums are exact; only the average prices and the return divide. */
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
  #fills = 0;

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
  }

  exit(fill: Fill, leg: Leg): void {
    this.#last = fill;
    this.#exitQuantity = this.#exitQuantity.plus(leg.quantity);
    this.#exitNotional = this.#exitNotional.plus(leg.notional);
    this.#count(leg);
  }

  asOpen(quantity: Decimal): OpenTrade {
    return { ...this.#soFar(), quantity };
  }

  asClosed(): ClosedTrade {
    const gained = this.#exitNotional.minus(this.#entryNotional);
    const netProfit = (this.entrySide === 'buy' ? gained : gained.neg()).minus(this.#cashFees);
    return {
      ...this.#soFar(),
      exitTag: this.#last.tag,
      exitTime: this.#last.time,
      exitPrice: this.#exitNotional.div(this.#exitQuantity),
      grossProfit: netProfit.plus(this.#fees),
      netProfit,
      returnOnEntry: netProfit.div(this.#entryNotional).toNumber(),
      holdingMs: this.#last.time - this.#first.time,
    };
  }

  #count(leg: Leg): void {
    this.#fees = this.#fees.plus(leg.fee);
    this.#cashFees = this.#cashFees.plus(leg.cashFee);
    this.#fills += 1;
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
      volume: this.#entryNotional.plus(this.#exitNotional),
      fees: this.#fees,
      fills: this.#fills,
    };
  }
}
