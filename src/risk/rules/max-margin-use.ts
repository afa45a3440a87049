import { Decimal } from '../../model/decimal.ts';
import { judgedNotional } from '../../state/order-needs.ts';
import { leftCost, openingCost, openingOrders, opensOnMargin, positionMargins } from '../margin-measures.ts';
import { equityOf } from '../measures.ts';
import type { RiskRule } from '../rule.ts';

const PLACES = 6;

/**
 * Margin of the positions and opening orders on the order's collateral, with this one, over the equity of that
 * collateral; for a strategy, its own over its equity, at the rate of the collateral. Orders that wait for a trigger count, as they are not
 * reviewed again when they are triggered.
 */
export const maxMarginUse: RiskRule = (order, context) => {
  const { state, limits, marketTicks, of } = context;
  const limit = limits.maxMarginUse;
  if (limit === undefined || !opensOnMargin(order, state)) return undefined;
  const { instrument, clientOrderId } = order;
  const currency = instrument.quote;
  let used = openingCost(order, state.margin.settings(instrument)!, judgedNotional(order, marketTicks)).margin;
  used = used.plus(positionMargins(state, currency, of));
  for (const other of openingOrders(state, currency, clientOrderId, of)) used = used.plus(leftCost(other, state).margin);
  const equity = of === undefined ? state.margin.figures(currency).equity : equityOf(context);
  const rate = of === undefined ? undefined : state.portfolio.rateOf(currency);
  if (rate !== undefined) used = used.times(rate);
  if (used.lessThanOrEqualTo(equity.times(limit))) return undefined;
  const use = equity.isPositive() ? used.div(equity).toDecimalPlaces(PLACES, Decimal.ROUND_UP) : new Decimal(Number.POSITIVE_INFINITY);
  return { code: 'marginUseAboveLimit', marginUse: use.toFixed(), limit: String(limit) };
};
