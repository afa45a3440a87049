import { wireSymbol } from '../../../../exchange/symbols.ts';
import type { Decimal } from '../../../../model/decimal.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder } from '../../tracked-order.ts';
import type { Unseen } from '../picture/picture-change.ts';
import type { HiddenOpening } from '../picture/unlisted.ts';
import { type Choice, choicesOf, cutTo, isSome, isWorth, NEAR, nearest, TOO_LITTLE } from './opening-choices.ts';
import type { Pools } from './pools.ts';
import type { Sights } from './sights.ts';

/** Above this many orders choices are not tried out. */
const MOST_TRIED = 12;

/** Whose opening is sought: of what was traded unseen, of all orders, and what is known beside. */
export interface OpenersSought extends Unseen {
  readonly orders: readonly TrackedOrder[];
  /** That it is settled in. */
  readonly coin: string;
  /** Orders that may have closed it, beside `orders`: they are told as over since. */
  readonly ended: readonly TrackedOrder[];
  readonly pools: Pools;
  readonly sights: Sights;
  /** Everything that can come to light has. */
  readonly last: boolean;
}

/**
 * Which of our orders may have opened what was closed again before anybody looked, in contracts whose side is not listed or
 * has come back: what lists have shown of them as filled, which is certain of those that are gone as well, and all or nothing
 * of what else these had left. No record says how much it was: it is what makes exactly this value at the limit of one of
 * them, if anything does; else, once lists have told of every order, the choice whose value, at the prices that the orders name,
 * comes nearest; where none comes near, the smallest that is worth more, and where no number of its steps is worth this, one with
 * what orders that stand have left. Unless the exchange may have closed it, what our orders could close again comes first.
 */
export function hiddenOpeners(sought: OpenersSought): Choice {
  const { orders, coin, positionSide, value, seen: opened, followed, forced, ended, pools, sights, last } = sought;
  const openers = orders.filter(
    ({ request, orderId }) =>
      request.positionSide === positionSide && !closes(request) && request.instrument.quote === coin && !followed.has(orderId),
  );
  const ableOf = (standing: boolean) =>
    openers.flatMap((order) => {
      const { instrument, priceTicks, triggerTicks } = order.request;
      const symbol = wireSymbol(instrument.symbol);
      const { orderId } = order;
      const absent = sights.isAbsent(order) || (last && !sights.of(order).seen);
      const shown = sights.untold(order);
      const most = absent || standing ? leftOf(order) : shown;
      const ticks = priceTicks ?? triggerTicks ?? 0;
      const part = (steps: number) => ({ symbol, orderId, steps, estimate: instrument.notional(ticks, steps) });
      const step = priceTicks === undefined ? undefined : instrument.notional(priceTicks, 1);
      return most === 0 ? [] : [{ symbol, orderId, most, step, certain: { ...part(shown), shown }, open: part(most - shown) }];
    });
  const able = ableOf(false);
  const rested = able.flatMap(({ symbol, orderId, most: steps, step }) => atLimit({ symbol, orderId, steps }, step, value));
  if (rested.length > 0) return rested.slice(0, 1);
  // One that no list can have told of yet may have been it, and come nearer.
  if (!last && openers.some((order) => !sights.of(order).seen && !sights.isAbsent(order))) return [];
  const isOthers = (orderId: string) => !followed.has(orderId);
  const closable = closableSteps([...orders, ...ended], positionSide);
  const farthest = last ? Number.POSITIVE_INFINITY : NEAR;
  const chosen = (from: typeof able, fits: (choice: Choice) => boolean) => {
    // What waits in pools, or is open, has been opened by some of them too.
    const explained = new Map<string, number>();
    for (const { symbol } of from) explained.set(symbol, pools.waiting(symbol, positionSide, 'open', isOthers) + (opened.get(symbol) ?? 0));
    const certain = from.map((one) => one.certain).filter(isSome);
    const open = from.map((one) => one.open).filter(isSome);
    const choices = choicesOf(certain, open.slice(-MOST_TRIED), explained).filter(fits);
    const closed = choices.map((choice) => choice.map((one) => cutTo(closable.get(one.symbol) ?? 0, one)).filter(isSome));
    const ours = forced ? [] : nearest(closed, value, Math.min(farthest, TOO_LITTLE));
    return ours.length > 0 ? ours : nearest(choices, value, farthest);
  };
  const any = () => true;
  if (!last) return chosen(able, any);
  const worth = (choice: Choice) => isWorth(choice, value);
  // Orders that stand may have filled more than the last list shows.
  const ways = [() => chosen(able, worth), () => chosen(ableOf(true), worth), () => chosen(able, any)];
  return ways.reduce<Choice>((found, way) => (found.length > 0 ? found : way()), []);
}

/** Steps that these orders have left to close of a side, by contract. */
function closableSteps(orders: readonly TrackedOrder[], side: 'long' | 'short'): ReadonlyMap<string, number> {
  const closable = new Map<string, number>();
  for (const order of orders) {
    if (order.request.positionSide !== side || !closes(order.request)) continue;
    const symbol = wireSymbol(order.request.instrument.symbol);
    closable.set(symbol, (closable.get(symbol) ?? 0) + leftOf(order));
  }
  return closable;
}

/** An order that rests is filled at its limit: the size that comes to exactly this value. @param step what a step is worth there. */
function atLimit({ steps: most, ...whose }: Omit<HiddenOpening, 'estimate'>, step: Decimal | undefined, value: Decimal): HiddenOpening[] {
  if (step === undefined || step.isZero()) return [];
  const steps = value.div(step).round().toNumber();
  return steps <= most && step.times(steps).equals(value) ? [{ ...whose, steps, estimate: value }] : [];
}
