import { wireSymbol } from '../../../../exchange/symbols.ts';
import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder } from '../../tracked-orders.ts';
import type { Unseen } from '../picture/picture-change.ts';
import type { HiddenOpening } from '../picture/side-change.ts';
import { sized, wholeValue } from '../sums/sizes.ts';
import type { Pools } from './pools.ts';
import type { Sights } from './sights.ts';

/** What may have been opened together: of each contract so much. */
type Choice = readonly HiddenOpening[];

/** How far what orders are reckoned to be worth may lie from what was traded, as a share. */
const NEAR = 0.02;
/** Ranks choices that are worth less than what was traded behind all others. */
const TOO_LITTLE = 1e9;

/** What is certain, with all or nothing of each of the others. */
function choicesOf(certain: readonly HiddenOpening[], open: readonly HiddenOpening[], explained: ReadonlyMap<string, number>): Choice[] {
  return Array.from({ length: 2 ** open.length }, (_, bits) =>
    together([...certain, ...open.filter((_one, index) => (bits >> index) & 1)], explained),
  );
}

/** The choice whose worth lies nearest to the value, ranked below `farthest`; none where there is none. */
function nearest(choices: readonly Choice[], value: Decimal, farthest: number): Choice {
  const wanted = value.toNumber();
  let best: Choice = [];
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

/** Whether a whole number of steps of it, at about the prices that its orders name, is worth so much. */
function isWorth(choice: Choice, value: Decimal): boolean {
  const [only] = choice;
  if (only === undefined || choice.length > 1) return choice.length > 1;
  const share = value.div(only.estimate).toNumber();
  const steps = Math.min(only.steps, Math.round(only.steps * share));
  return steps > 0 && Math.abs((only.steps * share) / steps - 1) < NEAR;
}

/** No more than these steps, but what lists have shown. */
function cutTo(steps: number, opening: HiddenOpening): HiddenOpening {
  const most = Math.max(steps, opening.shown ?? 0);
  return opening.steps > most ? sized(opening, most) : opening;
}

function isSome({ steps }: HiddenOpening): boolean {
  return steps > 0;
}

/** By contract, less what these orders have opened otherwise. */
function together(openings: readonly HiddenOpening[], explained: ReadonlyMap<string, number>): HiddenOpening[] {
  const bySymbol = new Map<string, HiddenOpening>();
  for (const { symbol, orderId, steps, shown = 0, estimate } of openings) {
    const sum = bySymbol.get(symbol);
    // One order's is its own; several of one contract are nobody's yet.
    const whose = orderId !== undefined && (sum === undefined || sum.orderId === orderId) ? { orderId } : {};
    const both = { steps: steps + (sum?.steps ?? 0), shown: shown + (sum?.shown ?? 0), estimate: estimate.plus(sum?.estimate ?? 0) };
    bySymbol.set(symbol, { symbol, ...whose, ...both });
  }
  return [...bySymbol.values()].flatMap(({ symbol, steps, shown = 0, estimate, ...whose }) => {
    const known = explained.get(symbol) ?? 0;
    const left = steps - known;
    return left > 0
      ? [{ symbol, ...whose, steps: left, shown: Math.max(0, shown - known), estimate: estimate.times(left).div(steps) }]
      : [];
  });
}

/** Where more sizes than that come near a value it says nothing of them. */
const MOST_TRIED = 200;

/** An order that may have rested, and so been filled at its limit. */
interface Rested {
  readonly symbol: string;
  readonly orderId: string;
  /** Steps that it may have filled unseen at most. */
  readonly most: number;
  /** What a step is worth at its limit, in quote; `undefined` of one without a limit. */
  readonly step: Decimal | undefined;
  readonly instrument: Instrument;
}

/** An order that rests is filled at its limit: the size that comes to exactly this value. */
function atLimit(able: readonly Rested[], value: Decimal): Choice {
  for (const { symbol, orderId, most, step } of able) {
    if (step === undefined || step.isZero()) continue;
    const steps = value.div(step).round().toNumber();
    if (steps > 0 && steps <= most && step.times(steps).equals(value)) return [{ symbol, orderId, steps, estimate: value }];
  }
  return [];
}

/**
 * An order that rested, filled in part, and another of another contract, filled whole: of the sizes of the first those count that
 * leave the second a whole price, and of these the one where that lies nearest to the price that it names.
 * @param explained steps of a contract that are known to have been opened otherwise. @param choicesFrom all or nothing of these.
 */
function besideLimit<T extends Rested>(
  able: readonly T[],
  value: Decimal,
  explained: (symbol: string) => number,
  choicesFrom: (others: readonly T[]) => readonly Choice[],
): Choice {
  let best: Choice = [];
  let least = NEAR;
  for (const { symbol, orderId, most, step } of able) {
    if (step === undefined || step.isZero()) continue;
    const others = able.filter((one) => one.symbol !== symbol);
    for (const [other, more] of choicesFrom(others)) {
      const instrument = others.find((one) => one.symbol === other?.symbol)?.instrument;
      if (other === undefined || more !== undefined || instrument === undefined) continue;
      const sizeFor = (share: number) => value.minus(other.estimate.times(share)).div(step);
      const first = Math.max(
        1,
        sizeFor(1 + NEAR)
          .ceil()
          .toNumber(),
      );
      const last = Math.min(
        most - explained(symbol),
        sizeFor(1 - NEAR)
          .floor()
          .toNumber(),
      );
      for (let steps = first; steps <= last && last - first < MOST_TRIED; steps++) {
        const estimate = step.times(steps);
        const rest = value.minus(estimate);
        const away = rest.div(other.estimate).minus(1).abs().toNumber();
        if (away >= least || wholeValue(rest, other.steps, instrument)?.equals(rest) !== true) continue;
        least = away;
        best = [
          { symbol, orderId, steps, estimate },
          { ...other, estimate: rest },
        ];
      }
    }
  }
  return best;
}

/** Above this many orders choices are not tried out. */
const HIDDEN_OPENERS_MOST_TRIED = 12;

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
    return choicesOf(certain, open.slice(-HIDDEN_OPENERS_MOST_TRIED), new Map(from.map(({ symbol }) => [symbol, explained(symbol)])));
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
