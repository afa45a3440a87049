import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { TrackedOrder } from '../../tracked-orders.ts';
import { forcedSizes, wholeValue } from '../sums/sizes.ts';

/** An order that may have made what a pool holds. */
export interface Candidate {
  readonly order: TrackedOrder;
  /** Steps that are not told as filled. */
  readonly left: number;
  /** Steps that the lists show as filled and that are not told: certain. */
  readonly shown: number;
  /** Steps beyond these that it may have filled, as far as the lists go. */
  readonly more: number;
  /**
   * `gone`: over, and in no list. `doubtful`: in no list either, and nobody knows whether it ever arrived. `unheard`: in no
   * list, but maybe only too new. `standing`: listed, or on its way.
   */
  readonly state: 'gone' | 'doubtful' | 'unheard' | 'standing';
  /** What it would fill at, in ticks. */
  readonly ticks: number;
}

export interface Allotment {
  readonly order: TrackedOrder;
  readonly steps: number;
}

/** What is to be given to whom. */
interface Lot {
  readonly steps: number;
  /** Of these, traded long enough ago that the lists show all of it. */
  readonly due: number;
  /** Which orders may have traded it hangs on no guess that the lists will still clear up. */
  readonly sure: boolean;
  /** Average price, in ticks. */
  readonly ticks: number;
}

/** Above this many orders choices are not tried out. */
const MOST_TRIED = 12;

/**
 * Whose fills a number of traded steps are.
 *
 * - What the lists show as filled is certain, and given as far as the steps go.
 * - The rest is given at once where there is one way to do it: one order alone may have filled it, or all that may have
 *   filled anything did so whole, and which may have hangs on no guess; and of what still stands the lists will say themselves.
 * - Otherwise it waits until the lists must show it. Then it is of orders that are gone: of one, or of those whose sizes
 *   add up to it, or, where that is open too (a close is trimmed to the position, a limit may have filled in part), of
 *   those whose prices lie nearest, the oldest first. Orders that are equal in all of these cannot be told apart.
 * - While a part of it is too new for the lists to have to show it, sizes add up to all of it only where none was cut: one
 *   that asked for more fits whatever is there, and an order that stands may have traded the new part.
 */
export function allot({ steps, due, sure, ticks }: Lot, candidates: readonly Candidate[]): Allotment[] {
  const given = cut(
    candidates.filter(({ shown }) => shown > 0).map(({ order, shown }) => ({ order, steps: shown })),
    steps,
  );
  const taken = given.reduce((sum, one) => sum + one.steps, 0);
  const rest = steps - taken;
  if (rest === 0) return given;
  const able = candidates.filter(({ more }) => more > 0);
  const most = able.reduce((sum, { more }) => sum + more, 0);
  const ended = able.filter(({ state }) => state !== 'standing');
  const only = able.length === 1 && rest <= most;
  if (sure && ended.length === able.length && (only || rest === most)) return [...given, ...cut(ended.map(whole), rest)];
  const owed = due - taken;
  if (owed <= 0) return given;
  const known = able.filter(({ state }) => state === 'gone');
  const gone = [...known, ...able.filter(({ state }) => state === 'doubtful')];
  for (const among of [known, gone]) {
    const some = owed < rest ? (nearest(among.filter(isWhole), rest, ticks) ?? nearest(among, owed, ticks)) : nearest(among, rest, ticks);
    if (some !== undefined) return [...given, ...some.map(whole)];
  }
  // More is on its way: what is owed may come to add up with it.
  if (owed < rest) return given;
  return [
    ...given,
    ...cut([...byPrice(known, ticks), ...byPrice(gone, ticks)].filter((one, at, all) => all.indexOf(one) === at).map(whole), rest),
  ];
}

/** It may have filled all that it asked for: its size is its own, and not that of what is there to be given. */
function isWhole({ left, shown, more }: Candidate): boolean {
  return shown + more === left;
}

function whole({ order, more }: Candidate): Allotment {
  return { order, steps: more };
}

/** Not more than there is. */
function cut(allotments: readonly Allotment[], steps: number): Allotment[] {
  let left = steps;
  return allotments.flatMap(({ order, steps: wanted }) => {
    const part = Math.min(left, wanted);
    left -= part;
    return part > 0 ? [{ order, steps: part }] : [];
  });
}

/** Nearest to the price first; of equals the older. */
function byPrice(among: readonly Candidate[], ticks: number): Candidate[] {
  return [...among].sort((a, b) => Math.abs(a.ticks - ticks) - Math.abs(b.ticks - ticks));
}

/** Those that together make exactly these steps; of several choices the one whose average price lies nearest. */
function nearest(among: readonly Candidate[], steps: number, ticks: number): Candidate[] | undefined {
  if (among.length > MOST_TRIED) return undefined;
  let best: Candidate[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let bits = 1; bits < 2 ** among.length; bits++) {
    const chosen = among.filter((_, index) => (bits >> index) & 1);
    if (chosen.reduce((sum, { more }) => sum + more, 0) !== steps) continue;
    const away = Math.abs(chosen.reduce((sum, one) => sum + one.ticks * one.more, 0) / steps - ticks);
    if (away >= least) continue;
    least = away;
    best = chosen;
  }
  return best;
}

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;

/** What was closed on one side, by orders of ours and by the exchange together. */
interface MixedClose {
  readonly steps: number;
  /** In quote. */
  readonly value: Decimal;
  /** Trading fees, in quote; above zero. */
  readonly fee: Decimal;
  /** In quote; zero where nothing was left to take it from. */
  readonly liquidationFee: Decimal;
}

/** How many steps of a close were ours. */
interface OwnPart {
  readonly steps: number;
  /** Nothing else fits the sums. */
  readonly proved: boolean;
}

/**
 * How many steps of what the exchange closed as well were ours: only our own pay a trading fee. At least what lists show; and
 * with that, what some of our orders had left to close, where the fee is that of a whole price for so much and the rest was
 * closed at a whole price as well (of several the one that lies nearest to the average price). Else what is left of it when
 * the size is taken away that gives a whole price to the value that the liquidation's fee is for, or to that which no trading
 * fee was paid for, or what the taker's fee pays for at the average price.
 */
export function ownPart(close: MixedClose, candidates: readonly Candidate[], instrument: Instrument): OwnPart {
  const { steps, value, fee, liquidationFee } = close;
  const { takerFee, makerFee } = instrument;
  const average = value.div(steps);
  const sizes = sizesOf(candidates).filter((size) => size > 0 && size < steps);
  const rates = [takerFee, makerFee].filter((rate) => rate.greaterThan(ZERO));
  const shown = shownOf(candidates);
  const rate = instrument.contract?.liquidationFee ?? ZERO;
  const inFull = rate.isZero() ? [] : forcedSizes(close, liquidationFee.div(rate), instrument);
  const unpaid = rates.flatMap((one) => forcedSizes(close, value.minus(fee.div(one)), instrument));
  const fitting = new Set([...inFull, ...unpaid].map((size) => steps - size).filter((size) => size >= shown));
  const proving = (size: number): OwnPart => ({ steps: size, proved: fitting.size === 1 && fitting.has(size) });
  const choices = rates.flatMap((one) => {
    const own = fee.div(one);
    const fits = (size: number) =>
      wholeValue(own, size, instrument) !== undefined && wholeValue(value.minus(own), steps - size, instrument) !== undefined;
    return sizes.filter(fits).map((size) => ({ size, away: own.div(size).minus(average).abs().toNumber() }));
  });
  const [best] = choices.filter(({ away }) => away < average.toNumber() * NEAR).sort((a, b) => a.away - b.away);
  if (best !== undefined) return proving(best.size);
  const [first] = fitting;
  if (first !== undefined) return proving(first);
  const whole = takerFee.isZero() ? value : value.times(takerFee);
  return proving(Math.min(steps, Math.max(shown, fee.div(whole).times(steps).round().toNumber())));
}

/** What lists show, which is certain. */
function shownOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { shown }) => sum + shown, 0);
}

/** What they may have closed together: what is certain, and beyond it all or nothing of what each had left. */
function sizesOf(candidates: readonly Candidate[]): number[] {
  let sizes = new Set([shownOf(candidates)]);
  for (const { more } of candidates.slice(-MOST_TRIED)) sizes = new Set([...sizes, ...[...sizes].map((size) => size + more)]);
  return [...sizes];
}
