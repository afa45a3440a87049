import { type Decimal, ZERO } from '../../model/decimal.ts';
import { initialMargin, type MarginSettings } from '../../model/margin.ts';
import { closes } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { OrderFunds } from '../accounts/ledger.ts';
import type { ContractBook } from './contract-book.ts';
import { FuturesPosition, type Stamp } from './futures-position.ts';
import { MarginPool, type Purse } from './margin-pool.ts';

/**
 * One side of one contract in an account. Combined: one position, which stays listed when it is flat. Separated: one for each opening
 * order, removed when it is flat.
 */
export class ContractSide {
  /** Oldest first. */
  readonly positions: FuturesPosition[] = [];
  /** Value of the open orders that would open it. */
  ordered: Decimal = ZERO;
  /** The isolated margin that was reported last. */
  reportedMargin: Decimal = ZERO;

  constructor(
    readonly book: ContractBook,
    readonly positionSide: 'long' | 'short',
    public settings: MarginSettings,
    readonly purse: Purse,
  ) {}

  get steps(): number {
    let steps = 0;
    for (const position of this.positions) steps += position.steps;
    return steps;
  }

  get leverage(): Decimal {
    return this.positionSide === 'long' ? this.settings.longLeverage : this.settings.shortLeverage;
  }

  get isolated(): boolean {
    return this.settings.mode === 'isolated';
  }

  /** Sum of the isolated margins of its positions. */
  get margin(): Decimal {
    return this.positions.reduce((sum, { margin }) => (margin.isolated ? sum.plus(margin.collateral.wallet) : sum), ZERO);
  }

  /** The isolated margin of each separated position, by its id. */
  get marginParts(): ReadonlyMap<string, Decimal> | undefined {
    if (!this.settings.separated) return undefined;
    return new Map(this.positions.map(({ positionId, margin }) => [positionId, margin.collateral.wallet]));
  }

  /** Value of the position after an order of this value, open orders included. */
  valueWith(ordered: Decimal): Decimal {
    if (this.settings.separated) return ordered;
    const held = this.steps;
    const together = this.ordered.plus(ordered);
    return held === 0 ? together : together.plus(this.book.instrument.step.toDecimal(held).times(this.book.prices.exact));
  }

  /** The position that a fill of this order opens or adds to. */
  toOpen(orderId: string, stamp: Stamp): FuturesPosition {
    const { settings, purse, book, positionSide } = this;
    const known = settings.separated ? this.positions.find(({ positionId }) => positionId === orderId) : this.positions[0];
    if (known !== undefined) return known;
    const margin = this.isolated ? new MarginPool(true) : purse.shared;
    const position = new FuturesPosition(orderId, book, positionSide, settings, margin, stamp);
    if (this.isolated) purse.isolated.set(orderId, margin);
    this.positions.push(position);
    return position;
  }

  /** Removes flat positions, where positions are separated. */
  drop(position: FuturesPosition, time: number): void {
    if (!this.settings.separated || position.steps > 0) return;
    this.positions.splice(this.positions.indexOf(position), 1);
    this.purse.retire(position.positionId, time);
  }
}

/**
 * Rules for the margin that orders bind.
 *
 * - An opening order binds the initial margin of its value and the taker's fee on it, at its limit; without a limit, at a taker's price
 * on its arrival.
 * - A closing order binds nothing, and needs a position to close.
 */
export function refusalOf(order: OrderFunds, side: ContractSide, takerTicks: number): Rejection | undefined {
  const { request } = order;
  if (closes(request)) return side.steps > 0 ? undefined : { code: 'nothingToClose', positionSide: side.positionSide, position: '0' };
  order.boundTicks = request.priceTicks ?? takerTicks;
  if (Number.isNaN(order.boundTicks)) return { code: 'noMarketPrice', symbol: request.instrument.symbol };
  const value = valueLeft(order);
  return tooMuchLeverage(side, value) ?? tooLittleMargin(side, value);
}

/** Binds the margin for the rest of an order. */
export function bind(order: OrderFunds, side: ContractSide): void {
  bindValue(order, side, valueLeft(order));
}

/** Releases the margin that an order still bound. */
export function unbind(order: OrderFunds, side: ContractSide): void {
  bindValue(order, side, ZERO);
}

/**
 * Steps of `wanted` that may fill at this price: for a close, the position; for an opening order, as much as the free margin and its bound
 * margin pay for. A limit order that fills at no worse price than at its acceptance has its margin.
 */
export function affordableSteps(order: OrderFunds, side: ContractSide, ticks: number, wanted: number): number {
  const { request } = order;
  const { instrument, quoteQuantity } = request;
  const price = instrument.tick.toDecimal(ticks);
  const most =
    quoteQuantity === undefined
      ? wanted
      : Math.min(wanted, instrument.step.floorUnits(quoteQuantity.minus(order.filledNotional).div(price)));
  if (closes(request)) return Math.min(most, side.steps);
  if (request.priceTicks !== undefined && ticks <= order.boundTicks) return most;
  const funds = side.purse.free.plus(order.frozen);
  if (!funds.isPositive()) return 0;
  const unit = price.div(side.leverage).plus(price.times(instrument.takerFee));
  const steps = Math.min(most, instrument.step.floorUnits(funds.div(unit)));
  // Margins are rounded up: the last step may need slightly more than its share.
  return steps > 0 && needed(side, instrument.notional(ticks, steps)).greaterThan(funds) ? steps - 1 : steps;
}

function bindValue(order: OrderFunds, side: ContractSide, value: Decimal): void {
  const margin = value.isZero() ? ZERO : needed(side, value);
  side.ordered = side.ordered.plus(value).minus(order.boundValue);
  side.purse.bound = side.purse.bound.plus(margin).minus(order.frozen);
  order.boundValue = value;
  order.frozen = margin;
}

/** Value of the unfilled rest, at the price at which the order was accepted. */
function valueLeft({ request, boundTicks, remainingSteps, filledNotional }: OrderFunds): Decimal {
  const { instrument, quoteQuantity } = request;
  return quoteQuantity === undefined ? instrument.notional(boundTicks, remainingSteps) : quoteQuantity.minus(filledNotional);
}

function needed({ book, leverage }: ContractSide, value: Decimal): Decimal {
  return initialMargin(value, leverage).plus(value.times(book.instrument.takerFee));
}

function tooLittleMargin(side: ContractSide, value: Decimal): Rejection | undefined {
  const { purse } = side;
  const margin = needed(side, value);
  const { free } = purse;
  if (margin.lessThanOrEqualTo(free)) return undefined;
  return { code: 'marginTooLow', asset: purse.currency, needed: margin.toFixed(), available: free.toFixed() };
}

function tooMuchLeverage(side: ContractSide, value: Decimal): Rejection | undefined {
  const { leverage, book } = side;
  const notional = side.valueWith(value);
  const { maxLeverage } = book.contract.tiers.of(notional);
  if (maxLeverage === undefined || leverage.lessThanOrEqualTo(maxLeverage)) return undefined;
  return { code: 'leverageAboveTier', notional: notional.toFixed(), leverage: leverage.toFixed(), maximum: maxLeverage.toFixed() };
}
