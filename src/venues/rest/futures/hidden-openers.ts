import { wireSymbol } from '../../../exchange/symbols.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import { closes } from '../../../model/order.ts';
import type { TrackedOrder } from '../tracked-order.ts';
import type { AccountPicture } from './account-picture.ts';
import { subset } from './allotment.ts';
import { leftOf } from './attribution.ts';
import type { HiddenOpening } from './picture-change.ts';
import type { Sights } from './sights.ts';

/**
 * Which of our orders may have opened what was closed again before anybody looked: those that the lists do not show, on
 * sides that are flat now. Of several, those whose values together come nearest; while more may come to light, only one that
 * is alone.
 */
export function hiddenOpeners(
  orders: readonly TrackedOrder[],
  picture: AccountPicture,
  sights: Sights,
  value: Decimal,
  positionSide: 'long' | 'short',
  sure: boolean,
): HiddenOpening[] {
  const able = orders.flatMap((order) => {
    const { instrument, positionSide: side, priceTicks, triggerTicks } = order.request;
    const symbol = wireSymbol(instrument.symbol);
    const open = picture.positions.some((position) => position.symbol === symbol && position.positionSide === side && position.steps > 0);
    const absent = !Number.isNaN(sights.of(order).absentSince);
    const steps = leftOf(order);
    if (side !== positionSide || closes(order.request) || instrument.quote !== picture.coin || open || !absent || steps === 0) return [];
    return [{ symbol, steps, estimate: instrument.notional(priceTicks ?? triggerTicks ?? 0, steps) }];
  });
  if (!sure) return able.length === 1 ? able : [];
  const away = (some: readonly HiddenOpening[]) =>
    some
      .reduce((sum, { estimate }) => sum.plus(estimate), ZERO)
      .minus(value)
      .abs()
      .toNumber();
  return subset(able, away, Number.POSITIVE_INFINITY) ?? able;
}
