import { wireSymbol } from '../../../../exchange/symbols.ts';
import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder } from '../../../reconcile/order-record.ts';
import type { HiddenOpening } from '../snapshot/side-change.ts';
import type { Unseen } from '../snapshot/snapshot-change.ts';
import { sized, wholeValue } from '../sums/sizes.ts';
import type { ListedStates } from './listed-states.ts';
import type { TradePools } from './trade-pools.ts';

/** Openings that may have happened together, one for each contract. */
type Choice = readonly HiddenOpening[];

/** How far the computed value of orders may differ from the traded value, as a share. */
const NEAR = 0.02;
/** Ranks choices of a smaller value than the traded one behind all others. */
const TOO_LITTLE = 1e9;

/** The certain openings, combined with all or nothing of each other one. */
function choicesOf(certain: readonly HiddenOpening[], open: readonly HiddenOpening[], explained: ReadonlyMap<string, number>): Choice[] {
  return Array.from({ length: 2 ** open.length }, (_, bits) =>
    together([...certain, ...open.filter((_one, index) => (bits >> index) & 1)], explained),
  );
}

/** The choice whose value is nearest, ranked below `farthest`; none if there is none. */
function nearest(choices: readonly Choice[], value: Decimal, farthest: number): Choice {
  const wanted = value.toNumber();
  let best: Choice = [];
  let least = farthest;
  for (const choice of choices) {
    if (choice.length === 0) continue;
    const ratio = choice.reduce((sum, { estimate }) => sum + estimate.toNumber(), 0) / wanted;
    const near = Math.abs(ratio - 1);
    // Orders may have filled partly, but never more than their size.
    const away = near < NEAR ? near : ratio > 1 ? ratio : TOO_LITTLE / ratio;
    if (away >= least) continue;
    least = away;
    best = choice;
  }
  return best;
}

/** Whether a whole number of steps, at about the prices of its orders, has this value. */
function isWorth(choice: Choice, value: Decimal): boolean {
  const [only] = choice;
  if (only === undefined || choice.length > 1) return choice.length > 1;
  const share = value.div(only.estimate).toNumber();
  const steps = Math.min(only.steps, Math.round(only.steps * share));
  return steps > 0 && Math.abs((only.steps * share) / steps - 1) < NEAR;
}

/** Limits an opening to these steps, but not below the steps that lists have shown. */
function cutTo(steps: number, opening: HiddenOpening): HiddenOpening {
  const most = Math.max(steps, opening.shown ?? 0);
  return opening.steps > most ? sized(opening, most) : opening;
}

function isSome({ steps }: HiddenOpening): boolean {
  return steps > 0;
}

/** Totals by contract, less the steps of these orders that other trades explain. */
function together(openings: readonly HiddenOpening[], explained: ReadonlyMap<string, number>): HiddenOpening[] {
  const bySymbol = new Map<string, HiddenOpening>();
  for (const { symbol, orderId, steps, shown = 0, estimate } of openings) {
    const sum = bySymbol.get(symbol);
    // A single order keeps its id; several of one contract are not attributed yet.
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

/** If more sizes than this have about the same value, the value proves nothing. */
const MOST_TRIED = 200;

/** An order that may have rested, and so filled at its limit. */
interface Rested {
  readonly symbol: string;
  readonly orderId: string;
  /** Most steps that it may have filled unseen. */
  readonly most: number;
  /** Value of a step at its limit, in quote; `undefined` without a limit. */
  readonly step: Decimal | undefined;
  readonly instrument: Instrument;
}

/** A resting order fills at its limit: finds the size with exactly this value. */
function atLimit(able: readonly Rested[], value: Decimal): Choice {
  for (const { symbol, orderId, most, step } of able) {
    if (step === undefined || step.isZero()) continue;
    const steps = value.div(step).round().toNumber();
    if (steps > 0 && steps <= most && step.times(steps).equals(value)) return [{ symbol, orderId, steps, estimate: value }];
  }
  return [];
}

/**
 * A resting order that filled partly, and an order of another contract that filled completely. Sizes of the first count if they
 * leave a whole price for the second. Among them, the size with the price nearest to that of the second order is used.
 * @param explained steps of a contract that other trades explain. @param choicesFrom combines all or nothing of each of these orders.
 */
function withRestingOrder<T extends Rested>(
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

/** With more orders than this, combinations are not tried. */
const HIDDEN_OPENERS_MOST_TRIED = 12;

interface Opener extends Rested {
  /** The part that lists have shown. */
  readonly certain: HiddenOpening;
  /** The rest beyond that, of which it may have opened all. */
  readonly open: HiddenOpening;
}

/** The unseen trades whose openers are sought, and the facts that limit the search. */
export interface OpenersSought extends Unseen {
  readonly orders: readonly TrackedOrder[];
  /** The coin in which it is settled. */
  readonly coin: string;
  /** Further orders that may have closed it: reported as ended since. */
  readonly ended: readonly TrackedOrder[];
  readonly pools: TradePools;
  readonly listedStates: ListedStates;
  /** No later list or reply can show more. */
  readonly last: boolean;
}

/**
 * Finds the own orders that may have opened a position that was closed again between two snapshots. It looks at contracts whose side is
 * not in the newest snapshot, or is in it again as a new position. No record has the size of the position, only its value. Each order
 * contributes the fills that lists have shown, which are certain, and all or nothing of its rest. The first of these that exists is used:
 *
 * 1. The size that has exactly this value at the limit of one resting order.
 * 2. After lists could have shown every order: the choice whose value at the orders' prices is near the value.
 * 3. At last: a resting order that filled partly, together with another order.
 * 4. At last: the choice of the nearest larger value of which some whole number of steps is worth the value, first without and then with
 *    the rest of open orders.
 * 5. At last: the choice of the nearest larger value.
 *
 * Unless the exchange may have closed the position, choices that own orders could have closed come first.
 */
export function hiddenOpeners(sought: OpenersSought): Choice {
  const { orders, coin, positionSide, value, seen: opened, followed, listed, forced, ended, pools, listedStates, last } = sought;
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
      const absent = listedStates.isAbsent(order) || (last && !listedStates.of(order).seen);
      const shown = listedStates.unreported(order);
      const most = absent || standing ? leftOf(order) : shown;
      const ticks = priceTicks ?? triggerTicks ?? 0;
      const part = (steps: number) => ({ symbol, orderId, steps, estimate: instrument.notional(ticks, steps) });
      const step = priceTicks === undefined ? undefined : instrument.notional(priceTicks, 1);
      return most === 0 ? [] : [{ symbol, orderId, instrument, most, step, certain: { ...part(shown), shown }, open: part(most - shown) }];
    });
  const able = ableOf(false);
  const rested = atLimit(able, value);
  if (rested.length > 0) return rested;
  // An order that no list can have shown yet may fit better.
  if (!last && openers.some((order) => !listedStates.of(order).seen && !listedStates.isAbsent(order))) return [];
  const isOthers = (orderId: string) => !followed.has(orderId);
  const closable = closableSteps([...orders, ...ended], positionSide);
  // Some of these orders have opened the trades that wait in pools, or the open position.
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
  const withResting = near.length > 0 ? [] : withRestingOrder(able, value, explained, choicesFrom);
  if (withResting.length > 0) return withResting;
  const worth = (choice: Choice) => isWorth(choice, value);
  // Open orders may have filled more than the last list shows.
  const ways = [() => chosen(able, worth), () => chosen(ableOf(true), worth), () => chosen(able, any)];
  return ways.reduce<Choice>((found, way) => (found.length > 0 ? found : way()), []);
}

/** Steps that these orders can still close of a side, by contract. */
function closableSteps(orders: readonly TrackedOrder[], side: 'long' | 'short'): ReadonlyMap<string, number> {
  const closable = new Map<string, number>();
  for (const order of orders) {
    if (order.request.positionSide !== side || !closes(order.request)) continue;
    const symbol = wireSymbol(order.request.instrument.symbol);
    closable.set(symbol, (closable.get(symbol) ?? 0) + leftOf(order));
  }
  return closable;
}
