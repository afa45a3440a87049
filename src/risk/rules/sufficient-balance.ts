import { Decimal, ZERO } from '../../model/decimal.ts';
import type { OrderRequest } from '../../model/order.ts';
import { fundsInOrders, judgedNotional, judgedSteps } from '../../state/order-needs.ts';
import type { ReadonlyState } from '../../state/state.ts';
import { heldBase } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Spot, also in an account with futures: the funds that the order may need, compared with the balance less the need of orders in flight,
 * and for a
 * sell less the coins of other strategies: no strategy sells those. Orders that the engine holds, or has
 * still to review, have frozen nothing yet. Netting accounts pay nothing in advance.
 */
export const sufficientBalance: RiskRule = (order, { state, marketTicks, purpose }) => {
  const { instrument, side } = order;
  if (state.account.kind === 'netting' || state.margin.settings(instrument) !== undefined) return undefined;
  // When its price is reached, the orders that freeze its coins are canceled.
  if (purpose === 'hold' && side === 'sell' && order.reduceOnly) return undefined;
  const asset = side === 'buy' ? instrument.quote : instrument.base;
  const needed = side === 'buy' ? judgedNotional(order, marketTicks) : instrument.step.toDecimal(judgedSteps(order, marketTicks));
  const total = state.portfolio.balance(asset, 'spot').total;
  // A close sells its strategy's own coins, from which those of others are not subtracted.
  const shared = side === 'sell' && !order.reduceOnly && state.books.size > 1;
  const available = shared
    ? total.minus(takenBase(order, state, asset))
    : total.minus(fundsInOrders(state, asset, side, { but: order.clientOrderId }));
  if (needed.lessThanOrEqualTo(available)) return undefined;
  return { code: 'balanceTooLow', asset, needed: needed.toFixed(), available: available.toFixed() };
};

/** Coins that this order's strategy may not sell: for each other one its position, or its open sells if they are more. */
function takenBase(order: OrderRequest, state: ReadonlyState, asset: string): Decimal {
  let sum = ZERO;
  for (const id of state.books.keys()) {
    const onSale = fundsInOrders(state, asset, 'sell', { but: order.clientOrderId, strategyId: id });
    sum = sum.plus(id === order.strategyId ? onSale : Decimal.max(onSale, heldBase(id, state, asset)));
  }
  return sum;
}
