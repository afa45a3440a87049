import { type Decimal, ZERO } from '../../model/decimal.ts';
import { initialMargin } from '../../model/margin.ts';
import { closes } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { OrderFunds } from '../order-funds.ts';
import type { ContractSide } from './contract-side.ts';

/**
 * What orders bind of the collateral.
 *
 * - One that opens binds the initial margin of its value and the taker's fee on it, at its limit; where it has
 *   none, at what a taker would pay when it arrives.
 * - One that closes binds nothing, and needs something to close.
 */
export function refusalOf(order: OrderFunds, side: ContractSide, takerTicks: number): Rejection | undefined {
  const { request } = order;
  if (closes(request)) return side.steps > 0 ? undefined : { code: 'nothingToClose', positionSide: side.positionSide, position: '0' };
  order.boundTicks = request.priceTicks ?? takerTicks;
  if (Number.isNaN(order.boundTicks)) return { code: 'noMarketPrice', symbol: request.instrument.symbol };
  const value = valueLeft(order);
  return tooMuchLeverage(side, value) ?? tooLittleMargin(side, value);
}

/** Binds what the rest of an order needs. */
export function bind(order: OrderFunds, side: ContractSide): void {
  bindValue(order, side, valueLeft(order));
}

/** Frees what an order still bound. */
export function unbind(order: OrderFunds, side: ContractSide): void {
  bindValue(order, side, ZERO);
}

/**
 * Steps of `wanted` that may fill at this price: of a close, what is held; of an opening order, what is free and
 * bound for it pays for. A limit order that fills no dearer than it was accepted at has its margin.
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
  // Margins are rounded up: the last step may cost a little more than its share.
  return steps > 0 && needed(side, instrument.notional(ticks, steps)).greaterThan(funds) ? steps - 1 : steps;
}

function bindValue(order: OrderFunds, side: ContractSide, value: Decimal): void {
  const margin = value.isZero() ? ZERO : needed(side, value);
  side.ordered = side.ordered.plus(value).minus(order.boundValue);
  side.purse.bound = side.purse.bound.plus(margin).minus(order.frozen);
  order.boundValue = value;
  order.frozen = margin;
}

/** Value of what is not filled, at the price that the order was accepted at. */
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
