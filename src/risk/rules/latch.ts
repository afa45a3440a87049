import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** While the account is latched, by its drawdown limit or by hand, only what reduces passes: until the latch is reset. */
export const latch: RiskRule = (order, context) => {
  const { latches, portfolio } = context.state;
  if (latches.size === 0 || reduces(order, context)) return undefined;
  const killed = latches.get('kill');
  if (killed !== undefined) return { code: 'killed', reason: killed.reason ?? '' };
  return {
    code: 'drawdownLatched',
    drawdown: portfolio.drawdown.depth.toFixed(6),
    limit: String(latches.get('maxDrawdown')?.limit),
  };
};
