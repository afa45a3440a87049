import { wireSymbol } from '../../../../exchange/symbols.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder } from '../../tracked-order.ts';
import type { Unseen } from '../picture/picture-change.ts';
import type { HiddenOpening } from '../picture/unlisted.ts';
import { type Choice, choicesOf, cutTo, isSome, isWorth, NEAR, nearest, TOO_LITTLE } from './opening-choices.ts';
import type { Pools } from './pools.ts';
import { atLimit, besideLimit, type Rested } from './rested-openers.ts';
import type { Sights } from './sights.ts';

/** Above this many orders choices are not tried out. */
const MOST_TRIED = 12;

interface Opener extends Rested {
  /** What lists have shown of it. */
  readonly certain: HiddenOpening;
  /** What it had left beyond that, of which it may have opened all. */
  readonly open: HiddenOpening;
}

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
  const { orders, coin, positionSide, value, seen: opened, followed, listed, forced, ended, pools, sights, last } = sought;
  const openers = orders.filter(
    ({ request, orderId }) =>
      request.positionSide === positionSide &&
      !closes(request) &&
      request.instrument.quote === coin &&
      !followed.has(orderId) &&
      !listed.has(wireSymbol(request.instrument.symbol)),
  );
  const ableOf = (standing: boolean): Opener[] =>
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
      return most === 0 ? [] : [{ symbol, orderId, instrument, most, step, certain: { ...part(shown), shown }, open: part(most - shown) }];
    });
  const able = ableOf(false);
  const rested = atLimit(able, value);
  if (rested.length > 0) return rested;
  // One that no list can have told of yet may have been it, and come nearer.
  if (!last && openers.some((order) => !sights.of(order).seen && !sights.isAbsent(order))) return [];
  const isOthers = (orderId: string) => !followed.has(orderId);
  const closable = closableSteps([...orders, ...ended], positionSide);
  // What waits in pools, or is open, has been opened by some of them too.
  const explained = (symbol: string) => pools.waiting(symbol, positionSide, 'open', isOthers) + (opened.get(symbol) ?? 0);
  const choicesFrom = (from: readonly Opener[]) => {
    const certain = from.map((one) => one.certain).filter(isSome);
    const open = from.map((one) => one.open).filter(isSome);
    return choicesOf(certain, open.slice(-MOST_TRIED), new Map(from.map(({ symbol }) => [symbol, explained(symbol)])));
  };
  const chosen = (from: readonly Opener[], fits: (choice: Choice) => boolean, farthest = Number.POSITIVE_INFINITY) => {
    const choices = choicesFrom(from).filter(fits);
    const closed = choices.map((choice) => choice.map((one) => cutTo(closable.get(one.symbol) ?? 0, one)).filter(isSome));
    const ours = forced ? [] : nearest(closed, value, Math.min(farthest, TOO_LITTLE));
    return ours.length > 0 ? ours : nearest(choices, value, farthest);
  };
  const any = () => true;
  const near = chosen(able, any, NEAR);
  if (!last) return near;
  const beside = near.length > 0 ? [] : besideLimit(able, value, explained, choicesFrom);
  if (beside.length > 0) return beside;
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
