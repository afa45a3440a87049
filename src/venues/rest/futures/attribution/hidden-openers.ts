import { wireSymbol } from '../../../../exchange/symbols.ts';
import type { Decimal } from '../../../../model/decimal.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder } from '../../tracked-order.ts';
import type { AccountPicture } from '../picture/account-picture.ts';
import type { HiddenOpening } from '../picture/unlisted.ts';
import { sized } from '../sums/fit-opening.ts';
import type { Pools } from './pools.ts';
import type { Sights } from './sights.ts';

/** How far what orders are reckoned to be worth may lie from what was traded, as a share. */
const NEAR = 0.02;
/** Ranks choices that are worth less than what was traded behind all others. */
const TOO_LITTLE = 1e9;
/** Above this many orders choices are not tried out. */
const MOST_TRIED = 12;

export interface Unseen {
  readonly orders: readonly TrackedOrder[];
  readonly picture: AccountPicture;
  readonly positionSide: 'long' | 'short';
  /** Of what was opened and closed again, in quote. */
  readonly value: Decimal;
  /** Steps opened in sight that no pool holds yet, by contract. */
  readonly seen: ReadonlyMap<string, number>;
  /** The exchange may have closed some of it. */
  readonly forced: boolean;
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
 * what orders that stand have left. Of a contract it was no more than our orders could close again, unless the exchange may have.
 */
export function hiddenOpeners({
  orders,
  picture,
  positionSide,
  value,
  seen: opened,
  forced,
  ended,
  pools,
  sights,
  last,
}: Unseen): readonly HiddenOpening[] {
  const openers = orders.filter(
    ({ request }) => request.positionSide === positionSide && !closes(request) && request.instrument.quote === picture.coin,
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
  const closable = closableSteps([...orders, ...ended], positionSide);
  const farthest = last ? Number.POSITIVE_INFINITY : NEAR;
  const chosen = (from: typeof able, fits: (choice: readonly HiddenOpening[]) => boolean) => {
    // What waits in pools, or is open, has been opened by some of them too.
    const explained = new Map<string, number>();
    for (const { symbol } of from) explained.set(symbol, pools.waiting(symbol, positionSide, 'open') + (opened.get(symbol) ?? 0));
    const certain = from.map((one) => one.certain).filter(isSome);
    const open = from.map((one) => one.open).filter(isSome);
    const choices = choicesOf(certain, open.slice(-MOST_TRIED), explained).filter(fits);
    const closed = choices.map((choice) => choice.map((one) => cutTo(closable.get(one.symbol) ?? 0, one)).filter(isSome));
    const ours = forced ? [] : nearest(closed, value, Math.min(farthest, TOO_LITTLE));
    return ours.length > 0 ? ours : nearest(choices, value, farthest);
  };
  const any = () => true;
  if (!last) return chosen(able, any);
  const worth = (choice: readonly HiddenOpening[]) => isWorth(choice, value);
  // Orders that stand may have filled more than the last list shows.
  const ways = [() => chosen(able, worth), () => chosen(ableOf(true), worth), () => chosen(able, any)];
  return ways.reduce<readonly HiddenOpening[]>((found, way) => (found.length > 0 ? found : way()), []);
}

/** Whether a whole number of steps of it, at about the prices that its orders name, is worth so much. */
function isWorth(choice: readonly HiddenOpening[], value: Decimal): boolean {
  const [only] = choice;
  if (only === undefined || choice.length > 1) return choice.length > 1;
  const share = value.div(only.estimate).toNumber();
  const steps = Math.min(only.steps, Math.round(only.steps * share));
  return steps > 0 && Math.abs((only.steps * share) / steps - 1) < NEAR;
}

/** What is certain, with all or nothing of each of the others. */
function choicesOf(
  certain: readonly HiddenOpening[],
  open: readonly HiddenOpening[],
  explained: ReadonlyMap<string, number>,
): HiddenOpening[][] {
  return Array.from({ length: 2 ** open.length }, (_, bits) =>
    together([...certain, ...open.filter((_one, index) => (bits >> index) & 1)], explained),
  );
}

/** The choice whose worth lies nearest to the value, ranked below `farthest`; none where there is none. */
function nearest(choices: readonly HiddenOpening[][], value: Decimal, farthest: number): readonly HiddenOpening[] {
  const wanted = value.toNumber();
  let best: readonly HiddenOpening[] = [];
  let least = farthest;
  for (const choice of choices) {
    if (choice.length === 0) continue;
    const ratio = choice.reduce((sum, { estimate }) => sum + estimate.toNumber(), 0) / wanted;
    const near = Math.abs(ratio - 1);
    // Orders may have filled in part, but not more than they asked for.
    const away = near < NEAR ? near : ratio > 1 ? ratio : TOO_LITTLE / ratio;
    if (away >= least) continue;
    least = away;
    best = choice;
  }
  return best;
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

/** No more than these steps, but what lists have shown. */
function cutTo(steps: number, opening: HiddenOpening): HiddenOpening {
  const most = Math.max(steps, opening.shown ?? 0);
  return opening.steps > most ? sized(opening, most) : opening;
}

function isSome({ steps }: HiddenOpening): boolean {
  return steps > 0;
}

/** An order that rests is filled at its limit: the size that comes to exactly this value. @param step what a step is worth there. */
function atLimit({ steps: most, ...whose }: Omit<HiddenOpening, 'estimate'>, step: Decimal | undefined, value: Decimal): HiddenOpening[] {
  if (step === undefined || step.isZero()) return [];
  const steps = value.div(step).round().toNumber();
  return steps <= most && step.times(steps).equals(value) ? [{ ...whose, steps, estimate: value }] : [];
}

/** By contract, less what these orders have opened otherwise. */
function together(openings: readonly HiddenOpening[], explained: ReadonlyMap<string, number>): HiddenOpening[] {
  const bySymbol = new Map<string, HiddenOpening>();
  for (const { symbol, steps, shown = 0, estimate } of openings) {
    const sum = bySymbol.get(symbol);
    const both = { steps: steps + (sum?.steps ?? 0), shown: shown + (sum?.shown ?? 0), estimate: estimate.plus(sum?.estimate ?? 0) };
    bySymbol.set(symbol, { symbol, ...both });
  }
  return [...bySymbol.values()].flatMap(({ symbol, steps, shown = 0, estimate }) => {
    const known = explained.get(symbol) ?? 0;
    const left = steps - known;
    return left > 0 ? [{ symbol, steps: left, shown: Math.max(0, shown - known), estimate: estimate.times(left).div(steps) }] : [];
  });
}
