import { Decimal, ZERO } from '../../model/decimal.ts';
import { liquidationPriceAmong, marginLeft } from '../../model/margin.ts';
import type { OrderRequest } from '../../model/order.ts';
import { type MarginGroup, type MarginSide, marginGroupOf, type SidePosition } from '../../state/margin-book.ts';
import { judgedSteps, judgedTicks, leftSteps } from '../../state/order-needs.ts';
import { leftCost, openingCost, opensOnMargin } from '../margin-measures.ts';
import { workingOrders } from '../measures.ts';
import type { RiskContext, RiskRule } from '../rule.ts';

const PLACES = 6;

/**
 * After an opening order, the position's liquidation price must be at least this share away from the mark.
 *
 * The position is taken after the order has filled at its price and the other
 * opening orders of its side at the mark, with taker fees; on shared margin together with the other side of the contract
 * at the same price. The mark counts, or the order's price if that is
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
  const shared = state.margin.sharedCollateral(instrument.quote).minus(fees);
  const distance = distanceOf(side, from, marginGroupOf(side, state.margin.sides(instrument.quote), shared));
  if (distance === undefined || distance.greaterThanOrEqualTo(limit)) return undefined;
  const shown = distance.toDecimalPlaces(PLACES, Decimal.ROUND_DOWN).toFixed();
  return { code: 'liquidationTooNear', symbol: instrument.symbol, distance: shown, limit: String(limit) };
};

/** The order's side after it and the other opening orders of that side have filled, and their fees. */
function sideAfter(order: OrderRequest, { state, marketTicks }: RiskContext): { side: MarginSide; fees: Decimal } | undefined {
  const { instrument, positionSide, triggerTicks } = order;
  const held = state.margin.side(instrument, positionSide === 'short' ? 'short' : 'long');
  if (held === undefined) return undefined;
  const { settings } = held;
  const mark = triggerTicks !== undefined ? instrument.tick.toDecimal(marketTicks) : held.mark;
  const steps = judgedSteps(order, marketTicks);
  const openValue = instrument.notional(judgedTicks(order, marketTicks), steps);
  const { margin, fee } = openingCost(order, settings, openValue);
  const own = { instrument, positionSide: held.positionSide, orderId: undefined, steps, openValue };
  // An isolated separated position does not depend on others.
  if (settings.mode === 'isolated' && settings.separated) {
    return { side: sideOf({ ...held, mark, isolatedMargin: margin }, [own]), fees: fee };
  }
  const positions: SidePosition[] = [...held.positions, own];
  let isolatedMargin = held.isolatedMargin.plus(margin);
  let fees = fee;
  for (const working of workingOrders(state, instrument, order, order.clientOrderId)) {
    const cost = leftCost(working, state);
    const more = leftSteps(working, state);
    positions.push({ ...own, steps: more, openValue: instrument.step.toDecimal(more).times(mark) });
    isolatedMargin = isolatedMargin.plus(cost.margin);
    fees = fees.plus(cost.fee);
  }
  return { side: sideOf({ ...held, mark, isolatedMargin }, positions), fees };
}

/** The side with these positions: as one position unless they are separated. */
function sideOf(side: MarginSide, positions: readonly SidePosition[]): MarginSide {
  const steps = positions.reduce((sum, position) => sum + position.steps, 0);
  const openValue = positions.reduce((sum, position) => sum.plus(position.openValue), ZERO);
  return { ...side, steps, openValue, positions: side.settings.separated ? positions : [{ ...positions[0]!, steps, openValue }] };
}

/** The distance from a price to its liquidation price, as a share; `undefined` if no price liquidates, zero if every one does. */
function distanceOf(side: MarginSide, price: Decimal, { positions, collateral }: MarginGroup): Decimal | undefined {
  if (side.instrument.contract === undefined) return undefined;
  if (!marginLeft(positions, price, collateral).greaterThan(ZERO)) return ZERO;
  const liquidation = liquidationPriceAmong(positions, side.positionSide, collateral);
  return liquidation?.minus(price).abs().div(price);
}
