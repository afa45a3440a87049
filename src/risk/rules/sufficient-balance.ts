import type { Decimal } from '../../model/decimal.ts';
import { judgedNotional, judgedSteps, workingOrders } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Spot: what the order may need, against the balance less what orders in flight may need of it. Netting
 * accounts pay for nothing in advance.
 */
export const sufficientBalance: RiskRule = (order, { state }) => {
  if (state.account.kind !== 'spot') return undefined;
  const { instrument, side, clientOrderId } = order;
  const asset = side === 'buy' ? instrument.quote : instrument.base;
  const needed = side === 'buy' ? judgedNotional(order, state) : instrument.step.toDecimal(judgedSteps(order, state));
  let available: Decimal = state.portfolio.balance(asset).total;
  for (const { instrument: other } of state.markets) {
    if ((side === 'buy' ? other.quote : other.base) !== asset) continue;
    for (const working of workingOrders(state, other, side, clientOrderId)) {
      if (working.held) continue;
      const { request, filledNotional, filledSteps } = working;
      const left =
        side === 'sell'
          ? other.step.toDecimal(judgedSteps(request, state) - filledSteps)
          : request.priceTicks === undefined
            ? judgedNotional(request, state).minus(filledNotional)
            : other.notional(request.priceTicks, judgedSteps(request, state) - filledSteps);
      available = available.minus(left);
    }
  }
  if (needed.lessThanOrEqualTo(available)) return undefined;
  return { code: 'balanceTooLow', asset, needed: needed.toFixed(), available: available.toFixed() };
};
