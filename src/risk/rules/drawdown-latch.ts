import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** After the account's drawdown limit was broken, only what reduces passes, for the rest of the run. */
export const drawdownLatch: RiskRule = (order, context) => {
  const { state, limits } = context;
  if (!state.drawdownLatched || reduces(order, context)) return undefined;
  return {
    code: 'drawdownLatched',
    drawdown: state.portfolio.drawdown.depth.toFixed(6),
    limit: String(limits.maxDrawdown),
  };
};
