import { reduces, reducesOwn } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * What cannot be seen cannot be judged. While the prices of an instrument, or the account, are stale, only what reduces
 * passes; where something is halted, only what closes its strategy's own position, up to what the account holds of it.
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
