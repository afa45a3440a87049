import { Decimal, ZERO } from '../../model/decimal.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { ReadonlyState } from '../../state/state.ts';
import { heldBase, inReview, judgedNotional, judgedSteps, leftNotional, leftSteps, workingOrders } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Spot, beside futures too: what the order may need, against the balance less what orders in flight may need of it, and less
 * what other strategies hold where the order sells: no strategy sells the coins of another. Orders that the engine holds, or is
 * still to review, have reserved nothing yet. Netting accounts pay for nothing in advance.
 */
export const sufficientBalance: RiskRule = (order, { state, marketTicks, purpose }) => {
  const { instrument, side } = order;
  if (state.account.kind === 'netting' || state.margin.settings(instrument) !== undefined) return undefined;
  // Once its price is reached, what holds its coins gives way.
  if (purpose === 'hold' && side === 'sell' && order.reduceOnly) return undefined;
  const asset = side === 'buy' ? instrument.quote : instrument.base;
  const needed = side === 'buy' ? judgedNotional(order, marketTicks) : instrument.step.toDecimal(judgedSteps(order, marketTicks));
  const total = state.portfolio.balance(asset, 'spot').total;
  // A close sells its strategy's own coins, which no other strategy's count against.
  const shared = side === 'sell' && !order.reduceOnly && state.books.size > 1;
  const available = shared ? total.minus(takenBase(order, state, asset)) : total.minus(inFlight(order, state, asset));
  if (needed.lessThanOrEqualTo(available)) return undefined;
  return { code: 'balanceTooLow', asset, needed: needed.toFixed(), available: available.toFixed() };
};

/** What other orders in flight may need of the asset; of one strategy, or of all. */
function inFlight({ side, clientOrderId }: OrderRequest, state: ReadonlyState, asset: string, strategyId?: string): Decimal {
  let sum = ZERO;
  for (const { instrument } of state.markets) {
    if ((side === 'buy' ? instrument.quote : instrument.base) !== asset) continue;
    for (const working of workingOrders(state, instrument, { side, positionSide: 'net' }, clientOrderId, strategyId)) {
      if (working.held || inReview(working)) continue;
      sum = sum.plus(side === 'buy' ? leftNotional(working, state) : instrument.step.toDecimal(leftSteps(working, state)));
    }
  }
  return sum;
}

/** What is not for this order's strategy to sell: of each other one what it holds, or has on sale where that is more. */
function takenBase(order: OrderRequest, state: ReadonlyState, asset: string): Decimal {
  let sum = ZERO;
  for (const id of state.books.keys()) {
    const onSale = inFlight(order, state, asset, id);
    sum = sum.plus(id === order.strategyId ? onSale : Decimal.max(onSale, heldBase(id, state, asset)));
  }
  return sum;
}
