import { Decimal, ZERO } from '../../model/decimal.ts';
import { liquidationPrice, maintenanceMargin, unrealizedProfit } from '../../model/margin.ts';
import type { OrderRequest } from '../../model/order.ts';
import { type MarginSide, standsOn } from '../../state/margin-book.ts';
import type { ReadonlyState } from '../../state/state.ts';
import { leftCost, openingCost, opensOnMargin } from '../margin-measures.ts';
import { judgedSteps, judgedTicks, leftSteps, workingOrders } from '../measures.ts';
import type { RiskContext, RiskRule } from '../rule.ts';

const PLACES = 6;

/**
 * After an opening order, the position's liquidation price may not lie nearer to the mark than this share of it.
 *
 * The position is taken as it would stand once the order has filled at the price it is judged at and the other
 * opening orders of its side at the mark, taker's fees paid. The mark counts, or the order's price where that is
 * nearer to liquidation; for an order that waits for a trigger, the trigger.
 */
export const liquidationDistance: RiskRule = (order, context) => {
  const { state, limits, marketTicks } = context;
  const limit = limits.minLiquidationDistance;
  if (limit === undefined || !opensOnMargin(order, state)) return undefined;
  const { instrument } = order;
  const after = sideAfter(order, context);
  if (after === undefined) return undefined;
  const { side, fees } = after;
  const judged = instrument.tick.toDecimal(judgedTicks(order, marketTicks));
  const long = side.positionSide === 'long';
  const from = long ? Decimal.min(side.mark, judged) : Decimal.max(side.mark, judged);
  const distance = distanceOf(side, from, standsOn(side, state.margin.sides(instrument.quote), sharedAfter(state, instrument.quote, fees)));
  if (distance === undefined || distance.greaterThanOrEqualTo(limit)) return undefined;
  const shown = distance.toDecimalPlaces(PLACES, Decimal.ROUND_DOWN).toFixed();
  return { code: 'liquidationTooNear', symbol: instrument.symbol, distance: shown, limit: String(limit) };
};

function sharedAfter(state: ReadonlyState, currency: string, fees: Decimal): Decimal {
  return state.margin.sharedCollateral(currency).minus(fees);
}

/** The order's side once it and what else opens that side have filled, and the fees that takes. */
function sideAfter(order: OrderRequest, { state, marketTicks }: RiskContext): { side: MarginSide; fees: Decimal } | undefined {
  const { instrument, positionSide, triggerTicks, atLast } = order;
  const held = state.margin.side(instrument, positionSide === 'short' ? 'short' : 'long');
  if (held === undefined) return undefined;
  const { settings } = held;
  const mark = triggerTicks !== undefined && !atLast ? instrument.tick.toDecimal(marketTicks) : held.mark;
  const size = judgedSteps(order, marketTicks);
  const notional = instrument.notional(judgedTicks(order, marketTicks), size);
  const { margin, fee } = openingCost(order, settings, notional);
  // An isolated position of its own stands and falls alone.
  if (settings.mode === 'isolated' && settings.separated) {
    return { side: { ...held, mark, steps: size, openValue: notional, isolatedMargin: margin }, fees: fee };
  }
  let steps = held.steps + size;
  let openValue = held.openValue.plus(notional);
  let isolatedMargin = held.isolatedMargin.plus(margin);
  let fees = fee;
  for (const working of workingOrders(state, instrument, order, order.clientOrderId)) {
    const cost = leftCost(working, state);
    const more = leftSteps(working, state);
    steps += more;
    openValue = openValue.plus(instrument.step.toDecimal(more).times(mark));
    isolatedMargin = isolatedMargin.plus(cost.margin);
    fees = fees.plus(cost.fee);
  }
  return { side: { ...held, mark, steps, openValue, isolatedMargin }, fees };
}

/** Share of the price that lies between it and liquidation; `undefined` where no price liquidates, zero where every one does. */
function distanceOf(side: MarginSide, price: Decimal, collateral: Decimal): Decimal | undefined {
  const due = collateral.plus(unrealizedProfit(side, price)).lessThanOrEqualTo(maintenanceMargin(side, price));
  if (side.instrument.contract === undefined) return undefined;
  if (due) return ZERO;
  const liquidation = liquidationPrice(side, collateral);
  return liquidation?.minus(price).abs().div(price);
}
