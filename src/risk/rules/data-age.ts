import { reduces } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

/** If the newest price of the order's instrument is too old, only reducing orders pass: in every mode, by the run's clock. */
export const dataAge: RiskRule = (order, context) => {
  const limit = context.limits.maxDataAgeMs;
  if (limit === undefined) return undefined;
  const age = context.now - context.state.market(order.instrument).time;
  if (!(age > limit) || reduces(order, context)) return undefined;
  return {
    code: 'dataStale',
    symbol: order.instrument.symbol,
    subject: 'market',
    reason: `its newest price is ${age} ms old, limit ${limit}`,
  };
};
