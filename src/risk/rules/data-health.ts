import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/**
 * What cannot be seen cannot be judged. While the prices of an instrument, or the account, are stale, only what reduces
 * passes; where something is halted, nothing does, as even what reduces might be too much.
 */
export const dataHealth: RiskRule = (order, context) => {
  const { health } = context.state;
  if (health.size === 0) return undefined;
  const { symbol } = order.instrument;
  const troubles = [...health.values()].filter((trouble) => trouble.symbol === '' || trouble.symbol === symbol);
  const halted = troubles.find(({ condition }) => condition === 'halted');
  if (halted !== undefined) return { code: 'instrumentHalted', symbol, reason: halted.reason };
  const [stale] = troubles;
  if (stale === undefined || reduces(order, context)) return undefined;
  return { code: 'dataStale', symbol, subject: stale.subject, reason: stale.reason };
};
