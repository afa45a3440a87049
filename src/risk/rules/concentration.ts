import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { Denial } from '../../model/reasons.ts';
import { equityOf, grossExposure, reduces } from '../measures.ts';
import type { RiskContext, RiskRule } from '../rule.ts';

/** Places of the share that a denial shows, rounded up: never the limit itself. */
const PLACES = 6;

/**
 * Value of the order's symbol, and of its base asset over all symbols, as exposure counts it (the largest position that
 * open orders and this one could lead to), over equity.
 */
export const concentration: RiskRule = (order, context) => {
  const limit = context.limits.concentration;
  if (limit === undefined || reduces(order, context)) return undefined;
  const { instrument } = order;
  const { symbol, base } = instrument;
  return (
    above(order, context, limit.symbol, symbol, (other) => other === instrument) ??
    above(order, context, limit.asset, base, (other) => other.base === base)
  );
};

function above(
  order: OrderRequest,
  context: RiskContext,
  limit: number | undefined,
  of: string,
  counts: (instrument: Instrument) => boolean,
): Denial | undefined {
  if (limit === undefined) return undefined;
  const value = grossExposure(order, context, counts);
  if ('code' in value) return value;
  const equity = equityOf(context);
  if (value.lessThanOrEqualTo(equity.times(limit))) return undefined;
  const share = equity.isPositive() ? value.div(equity).toDecimalPlaces(PLACES, Decimal.ROUND_UP) : new Decimal(Number.POSITIVE_INFINITY);
  return { code: 'concentrationAboveLimit', of, share: share.toFixed(), limit: String(limit) };
}
