import { reduces, reducesOwn } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * Without present data no order can be checked. While the prices of an instrument, or the account, are stale, only reducing orders
 * pass; while something is halted, only closes of their strategy's own position, up to the account's position.
 */
export const dataHealth: RiskRule = (order, context) => {
  const { health } = context.state;
  if (health.size === 0) return undefined;
  const { symbol } = order.instrument;
  const troubles = [...health.values()].filter((trouble) => trouble.symbol === '' || trouble.symbol === symbol);
  const halted = troubles.find(({ condition }) => condition === 'halted');
  if (halted !== undefined && (context.rules === 0 || !reducesOwn(order, context)))
    return { code: 'instrumentHalted', symbol, reason: halted.reason };
  const stale = troubles.find(({ condition }) => condition !== 'halted');
  if (stale === undefined || reduces(order, context)) return undefined;
  return { code: 'dataStale', symbol, subject: stale.subject, reason: stale.reason };
};
