import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import { initialMargin } from '../../../../model/margin.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder } from '../../tracked-order.ts';
import type { AccountPicture } from './account-picture.ts';

/**
 * What positions and orders bind of a coin: the initial margin of shared positions, isolated margins, and for orders that
 * open and have fired the margin of their rest with the taker's fee on it. Untriggered orders bind nothing.
 */
export function boundMargin(
  picture: AccountPicture,
  fired: readonly TrackedOrder[],
  leverageOf: (order: TrackedOrder) => Decimal | undefined,
): Decimal {
  let bound = ZERO;
  for (const { isolated, margin, openValue, leverage, state } of picture.positions) {
    if (state !== 'listed') continue;
    if (!isolated) bound = bound.plus(leverage.isZero() ? ZERO : initialMargin(openValue, leverage));
    else if (margin.isPositive()) bound = bound.plus(margin);
  }
  for (const order of fired) {
    const { instrument, priceTicks, triggerTicks } = order.request;
    const leverage = leverageOf(order);
    if (closes(order.request) || leverage === undefined || leverage.isZero()) continue;
    const value = instrument.notional(priceTicks ?? triggerTicks ?? 0, leftOf(order));
    bound = bound.plus(initialMargin(value, leverage)).plus(value.times(instrument.takerFee));
  }
  return bound;
}
