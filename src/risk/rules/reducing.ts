import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** While the config sets reducing, only exits pass. */
export const reducing: RiskRule = (order, context) =>
  context.limits.reducing !== true || reduces(order, context) ? undefined : { code: 'reducing', reason: 'by config' };
