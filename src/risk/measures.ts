import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderRequest, Side } from '../model/order.ts';
import type { Order } from '../state/order.ts';
import type { ReadonlyState } from '../state/state.ts';

/** The price an order is judged at, in ticks: its limit, or the newest mark. `NaN` where there is neither. */
export function judgedTicks(order: OrderRequest, state: ReadonlyState): number {
  return order.priceTicks ?? state.market(order.instrument).markTicks;
}

/** The order's size in steps; an amount of quote counts at the judged price. */
export function judgedSteps(order: OrderRequest, state: ReadonlyState): number {
  if (order.steps !== undefined) return order.steps;
  const price = order.instrument.tick.toDecimal(judgedTicks(order, state));
  return order.instrument.step.floorUnits((order.quoteQuantity ?? ZERO).div(price));
}

/** The order's size in quote, exact. */
export function judgedNotional(order: OrderRequest, state: ReadonlyState): Decimal {
  if (order.quoteQuantity !== undefined) return order.quoteQuantity;
  const { instrument } = order;
  return instrument.tick.toDecimal(judgedTicks(order, state)).times(instrument.step.toDecimal(order.steps ?? 0));
}

/**
 * Orders that may still add to a side: at the venue, on their way, or held entries. Held exits do not
 * count, as they only ever reduce; nor does the order under review itself, when it was held before.
 */
export function workingOrders(state: ReadonlyState, instrument: Instrument, side: Side, but: string): Order[] {
  const found: Order[] = [];
  for (const order of state.openOrders.values()) {
    const { request } = order;
    if (request.instrument !== instrument || request.side !== side || request.clientOrderId === but) continue;
    if (!(order.held && request.reduceOnly)) found.push(order as Order);
  }
  return found;
}

/** Steps that the working orders of a side may still fill. */
export function workingSteps(state: ReadonlyState, instrument: Instrument, side: Side, but: string): number {
  return workingOrders(state, instrument, side, but).reduce(
    (sum, order) => sum + Math.max(0, judgedSteps(order.request, state) - order.filledSteps),
    0,
  );
}

/** The largest absolute position, in steps, that fills in any order could lead to. */
export function worstSteps(state: ReadonlyState, instrument: Instrument, order: OrderRequest | undefined): number {
  const but = order?.clientOrderId ?? '';
  const held = state.heldSteps(instrument);
  const added = order === undefined ? 0 : judgedSteps(order, state);
  const buys = workingSteps(state, instrument, 'buy', but) + (order?.side === 'buy' ? added : 0);
  const sells = workingSteps(state, instrument, 'sell', but) + (order?.side === 'sell' ? added : 0);
  return Math.max(Math.abs(held + buys), Math.abs(held - sells));
}

/** True when the order can only bring the account's net position nearer to zero. */
export function reduces(order: OrderRequest, state: ReadonlyState): boolean {
  const held = state.heldSteps(order.instrument);
  if (held === 0 || held > 0 === (order.side === 'buy')) return false;
  const under = workingSteps(state, order.instrument, order.side, order.clientOrderId);
  return judgedSteps(order, state) + under <= Math.abs(held);
}
