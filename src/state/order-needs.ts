import { type Decimal, ZERO } from '../model/decimal.ts';
import type { OrderRequest, Side } from '../model/order.ts';
import type { Order } from './order.ts';
import type { ReadonlyState } from './state.ts';

/** The price at which an order is valued, in ticks: its limit, or the market price. `NaN` if there is neither. */
export function judgedTicks(order: OrderRequest, marketTicks: number): number {
  return order.priceTicks ?? marketTicks;
}

/** The order's size in steps. An amount of quote is converted at that price. */
export function judgedSteps(order: OrderRequest, marketTicks: number): number {
  return order.steps ?? stepsFor(order, order.quoteQuantity ?? ZERO, marketTicks);
}

/** The order's size in quote, exact. */
export function judgedNotional(order: OrderRequest, marketTicks: number): Decimal {
  return order.quoteQuantity ?? order.instrument.notional(judgedTicks(order, marketTicks), order.steps ?? 0);
}

/** True for an exit that waits for its price at the venue, as held orders do in the engine. */
export function isExitTrigger({ reduceOnly, triggerTicks }: OrderRequest): boolean {
  return reduceOnly && triggerTicks !== undefined;
}

/** Steps that a working order may still fill. The rest of an amount of quote is converted at the newest price. */
export function leftSteps({ request, filledSteps, filledNotional }: Readonly<Order>, state: ReadonlyState): number {
  if (request.steps !== undefined) return Math.max(0, request.steps - filledSteps);
  const left = (request.quoteQuantity ?? ZERO).minus(filledNotional);
  return Math.max(0, stepsFor(request, left, state.market(request.instrument).lastTicks));
}

/** Quote that a working buy may still need; without a limit price, at its trigger or the newest price. */
export function leftNotional(order: Readonly<Order>, state: ReadonlyState): Decimal {
  const { request, filledNotional } = order;
  if (request.quoteQuantity !== undefined) return request.quoteQuantity.minus(filledNotional);
  const { lastTicks } = state.market(request.instrument);
  const ticks = judgedTicks(request, order.untriggered ? request.triggerTicks! : lastTicks);
  return request.instrument.notional(ticks, leftSteps(order, state));
}

/** A held order that a price has triggered and that is still to be reviewed: those reviewed before it do not count it. */
export function inReview({ triggered, request }: Readonly<Order>): boolean {
  return triggered && !request.released && request.triggerTicks === undefined;
}

/** The orders whose needs count: those of one strategy, or all, without one order. */
interface Counted {
  readonly but?: string;
  readonly strategyId?: string | undefined;
}

/**
 * Amount of an asset on spot that open orders of one side may still need: quote of buys, base of sells. Orders that were approved at this
 * instant count. Orders that the engine holds or has still to review need nothing yet, nor do exits that wait at the venue.
 */
export function fundsInOrders(state: ReadonlyState, asset: string, side: Side, { but, strategyId }: Counted = {}): Decimal {
  let sum = ZERO;
  for (const order of state.openOrders.values()) {
    const { request } = order;
    const { instrument } = request;
    if (request.side !== side || (side === 'buy' ? instrument.quote : instrument.base) !== asset) continue;
    if (request.positionSide !== 'net' || order.held || inReview(order) || isExitTrigger(request)) continue;
    if (request.clientOrderId === but || (strategyId !== undefined && order.strategyId !== strategyId)) continue;
    sum = sum.plus(side === 'buy' ? leftNotional(order, state) : instrument.step.toDecimal(leftSteps(order, state)));
  }
  return sum;
}

function stepsFor(order: OrderRequest, quote: Decimal, marketTicks: number): number {
  const { tick, step } = order.instrument;
  return step.floorUnits(quote.div(tick.toDecimal(judgedTicks(order, marketTicks))));
}
