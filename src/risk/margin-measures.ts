import { type Decimal, ZERO } from '../model/decimal.ts';
import { initialMargin, type MarginSettings, unrealizedProfit } from '../model/margin.ts';
import { closes, type OrderRequest } from '../model/order.ts';
import { leverageOf } from '../state/margin-book.ts';
import type { Order } from '../state/order.ts';
import { leftNotional } from '../state/order-needs.ts';
import type { ReadonlyState } from '../state/state.ts';

/** The collateral that opening a value needs, in the contract's quote. */
interface OpeningCost {
  readonly margin: Decimal;
  /** As a taker: whether it is maker is known only at the fill. */
  readonly fee: Decimal;
}

/** True for an order that opens a position on margin. */
export function opensOnMargin(order: OrderRequest, state: ReadonlyState): boolean {
  return state.margin.settings(order.instrument) !== undefined && !closes(order);
}

export function openingCost({ instrument, positionSide }: OrderRequest, settings: MarginSettings, notional: Decimal): OpeningCost {
  const leverage = leverageOf(settings, positionSide === 'short' ? 'short' : 'long');
  return { margin: initialMargin(notional, leverage), fee: notional.times(instrument.takerFee) };
}

/** Open orders that may still open positions on this collateral, without the order under review. */
export function openingOrders(state: ReadonlyState, currency: string, but: string, of?: string): Readonly<Order>[] {
  return [...state.openOrders.values()].filter(
    ({ request, strategyId }) =>
      (of === undefined || strategyId === of) &&
      request.instrument.quote === currency &&
      request.clientOrderId !== but &&
      opensOnMargin(request, state),
  );
}

/** The collateral that an open order may still need. */
export function leftCost(order: Readonly<Order>, state: ReadonlyState): OpeningCost {
  return openingCost(order.request, state.margin.settings(order.instrument)!, leftNotional(order, state));
}

/**
 * Initial margin of all positions on a collateral, isolated ones included; for a strategy, of its own positions at their open
 * value.
 */
export function positionMargins(state: ReadonlyState, currency: string, of?: string): Decimal {
  if (of === undefined) return state.margin.sides(currency).reduce((sum, side) => sum.plus(state.margin.marginOf(side)), ZERO);
  let sum = ZERO;
  for (const instrument of state.instruments) {
    const settings = state.margin.settings(instrument);
    if (settings === undefined || instrument.quote !== currency) continue;
    for (const side of ['long', 'short'] as const) {
      sum = sum.plus(initialMargin(state.books.get(of)!.position(instrument, side).cost, leverageOf(settings, side)));
    }
  }
  return sum;
}

/**
 * The collateral that the venue lets an opening order use: the shared collateral and the profit of shared positions, less their
 * margin and that of opening orders. Orders that wait for their trigger need none, here or at the venue.
 */
export function freeCollateral(state: ReadonlyState, currency: string, but: string): Decimal {
  let free = state.margin.sharedCollateral(currency);
  for (const side of state.margin.sides(currency)) {
    if (side.settings.mode === 'isolated') continue;
    free = free.plus(unrealizedProfit(side, side.mark)).minus(state.margin.marginOf(side));
  }
  for (const order of openingOrders(state, currency, but)) {
    if (order.held || order.untriggered) continue;
    const { margin, fee } = leftCost(order, state);
    free = free.minus(margin).minus(fee);
  }
  return free;
}
