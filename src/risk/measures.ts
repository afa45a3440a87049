import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderRequest, Side } from '../model/order.ts';
import type { Order } from '../state/order.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { RiskContext } from './rule.ts';

const NONE: readonly Readonly<Order>[] = [];

/** The price an order is judged at, in ticks: its limit, or where the market stands. `NaN` where there is neither. */
export function judgedTicks(order: OrderRequest, marketTicks: number): number {
  return order.priceTicks ?? marketTicks;
}

/** The order's size in steps; an amount of quote counts at the judged price. */
export function judgedSteps(order: OrderRequest, marketTicks: number): number {
  return order.steps ?? stepsFor(order, order.quoteQuantity ?? ZERO, marketTicks);
}

/** The order's size in quote, exact. */
export function judgedNotional(order: OrderRequest, marketTicks: number): Decimal {
  return order.quoteQuantity ?? order.instrument.notional(judgedTicks(order, marketTicks), order.steps ?? 0);
}

/**
 * Orders that may still add to a side: at the venue, on their way, or held entries. Held exits do not
 * count, as they only ever reduce; nor does the order under review itself, when it was held before.
 */
export function workingOrders(state: ReadonlyState, instrument: Instrument, side: Side, but: string): readonly Readonly<Order>[] {
  if (state.openOrders.size === 0) return NONE;
  const found: Readonly<Order>[] = [];
  for (const order of state.openOrders.values()) {
    const { request } = order;
    if (request.instrument !== instrument || request.side !== side || request.clientOrderId === but) continue;
    if (!(order.held && request.reduceOnly)) found.push(order);
  }
  return found;
}

/** Steps that a working order may still fill; what is left of an amount of quote counts at the newest mark. */
export function leftSteps({ request, filledSteps, filledNotional }: Readonly<Order>, state: ReadonlyState): number {
  if (request.steps !== undefined) return Math.max(0, request.steps - filledSteps);
  const left = (request.quoteQuantity ?? ZERO).minus(filledNotional);
  return Math.max(0, stepsFor(request, left, state.market(request.instrument).markTicks));
}

/** Quote that a working buy may still need; without a limit, at the newest mark. */
export function leftNotional(order: Readonly<Order>, state: ReadonlyState): Decimal {
  const { request, filledNotional } = order;
  if (request.quoteQuantity !== undefined) return request.quoteQuantity.minus(filledNotional);
  const ticks = judgedTicks(request, state.market(request.instrument).markTicks);
  return request.instrument.notional(ticks, leftSteps(order, state));
}

/** The largest absolute position, in steps, that fills in any order could lead to; with `added` more on one side. */
export function worstSteps(state: ReadonlyState, instrument: Instrument, added?: { order: OrderRequest; steps: number }): number {
  const held = state.heldSteps(instrument);
  const but = added?.order.clientOrderId ?? '';
  const on = (side: Side) => workingSteps(state, instrument, side, but) + (added?.order.side === side ? added.steps : 0);
  return Math.max(Math.abs(held + on('buy')), Math.abs(held - on('sell')));
}

/** True when the order can only bring the account's net position nearer to zero. */
export function reduces(order: OrderRequest, { state, marketTicks }: RiskContext): boolean {
  const held = state.heldSteps(order.instrument);
  if (held === 0 || held > 0 === (order.side === 'buy')) return false;
  const under = workingSteps(state, order.instrument, order.side, order.clientOrderId);
  return judgedSteps(order, marketTicks) + under <= Math.abs(held);
}

function workingSteps(state: ReadonlyState, instrument: Instrument, side: Side, but: string): number {
  return workingOrders(state, instrument, side, but).reduce((sum, order) => sum + leftSteps(order, state), 0);
}

function stepsFor(order: OrderRequest, quote: Decimal, marketTicks: number): number {
  const { tick, step } = order.instrument;
  return step.floorUnits(quote.div(tick.toDecimal(judgedTicks(order, marketTicks))));
}
