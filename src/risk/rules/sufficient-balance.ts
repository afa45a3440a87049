import { judgedNotional, judgedSteps, leftNotional, leftSteps, workingOrders } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Spot, beside futures too: what the order may need, against the balance less what orders in flight may need of it. Orders that
 * the engine holds have reserved nothing yet. Netting accounts pay for nothing in advance.
 */
export const sufficientBalance: RiskRule = (order, { state, marketTicks }) => {
  const { instrument, side, clientOrderId } = order;
  if (state.account.kind === 'netting' || state.margin.settings(instrument) !== undefined) return undefined;
  const asset = side === 'buy' ? instrument.quote : instrument.base;
  const needed = side === 'buy' ? judgedNotional(order, marketTicks) : instrument.step.toDecimal(judgedSteps(order, marketTicks));
  let available = state.portfolio.balance(asset, 'spot').total;
  for (const { instrument: other } of state.markets) {
    if ((side === 'buy' ? other.quote : other.base) !== asset) continue;
    for (const working of workingOrders(state, other, { side, positionSide: 'net' }, clientOrderId)) {
      if (working.held) continue;
      available = available.minus(side === 'buy' ? leftNotional(working, state) : other.step.toDecimal(leftSteps(working, state)));
    }
  }
  if (needed.lessThanOrEqualTo(available)) return undefined;
  return { code: 'balanceTooLow', asset, needed: needed.toFixed(), available: available.toFixed() };
};
