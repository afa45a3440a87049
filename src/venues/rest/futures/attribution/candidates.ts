import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { TrackedOrder } from '../../../reconcile/order-record.ts';
import { forcedSizes, wholeValue } from '../sums/sizes.ts';

/** An order that may have made the trades in a pool. */
export interface Candidate {
  readonly order: TrackedOrder;
  /** Steps that have not been reported as filled. */
  readonly left: number;
  /** Steps that the lists show as filled and that have not been reported: certain. */
  readonly shown: number;
  /** Steps beyond these that it may have filled, as far as the lists show. */
  readonly more: number;
  /**
   * `gone`: ended, and in no list. `uncertain`: in no list either, and it may never have arrived. `unconfirmed`: in no
   * list, but maybe only too new. `open`: listed, or on its way.
   */
  readonly state: 'gone' | 'uncertain' | 'unconfirmed' | 'open';
  /** The price at which it would fill, in ticks. */
  readonly ticks: number;
}

export interface Allotment {
  readonly order: TrackedOrder;
  readonly steps: number;
}

/** Trades to attribute. */
interface Lot {
  readonly steps: number;
  /** How many of these were traded so long ago that the lists show them all. */
  readonly due: number;
  /** The set of orders that may have made it does not depend on a guess that later lists may correct. */
  readonly sure: boolean;
  /** Average price, in ticks. */
  readonly ticks: number;
}

/** With more orders than this, combinations are not tried. */
const MOST_TRIED = 12;

/**
 * Attributes a number of traded steps to orders.
 *
 * - Steps that the lists show as filled are certain, and attributed first.
 * - The rest is attributed at once if there is one way to do it: only one order may have filled it, or all that may have
 *   filled anything filled completely, and no guess is involved. Lists will show the fills of orders that are still open.
 * - Otherwise it waits until the lists must show it. Then it belongs to orders that are gone: to one, or to those whose sizes
 *   add up to it. If that is ambiguous too (a close is trimmed to the position, a limit order may fill partly), to
 *   those with the nearest prices, oldest first. Orders that are equal in all of these cannot be distinguished.
 * - While a part is too new for the lists, sizes must add up to all of it only where none was cut: an order
 *   with a larger size fits any amount, and an open order may have traded the new part.
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
  const ended = able.filter(({ state }) => state !== 'open');
  const only = able.length === 1 && rest <= most;
  if (sure && ended.length === able.length && (only || rest === most)) return [...given, ...cut(ended.map(whole), rest)];
  const owed = due - taken;
  if (owed <= 0) return given;
  const known = able.filter(({ state }) => state === 'gone');
  const gone = [...known, ...able.filter(({ state }) => state === 'uncertain')];
  for (const among of [known, gone]) {
    const some = owed < rest ? (nearest(among.filter(isWhole), rest, ticks) ?? nearest(among, owed, ticks)) : nearest(among, rest, ticks);
    if (some !== undefined) return [...given, ...some.map(whole)];
  }
  // More trades will follow: together with them, sizes may add up.
  if (owed < rest) return given;
  return [
    ...given,
    ...cut([...byPrice(known, ticks), ...byPrice(gone, ticks)].filter((one, at, all) => all.indexOf(one) === at).map(whole), rest),
  ];
}

/** It may have filled completely: its size is its own, not the amount to attribute. */
function isWhole({ left, shown, more }: Candidate): boolean {
  return shown + more === left;
}

function whole({ order, more }: Candidate): Allotment {
  return { order, steps: more };
}

/** Limits the total of the allotments to `steps`. */
function cut(allotments: readonly Allotment[], steps: number): Allotment[] {
  let left = steps;
  return allotments.flatMap(({ order, steps: wanted }) => {
    const part = Math.min(left, wanted);
    left -= part;
    return part > 0 ? [{ order, steps: part }] : [];
  });
}

/** Sorted by distance of the price, the nearest first. Where two are equally near, the older one is first. */
function byPrice(among: readonly Candidate[], ticks: number): Candidate[] {
  return [...among].sort((a, b) => Math.abs(a.ticks - ticks) - Math.abs(b.ticks - ticks));
}

/** Orders whose sizes add up to exactly these steps. If several combinations do, the one with the nearest average price. */
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

/** How far prices of one moment may differ, as a share. */
const NEAR = 0.1;

/** A close on one side, partly by own orders and partly by the exchange. */
interface MixedClose {
  readonly steps: number;
  /** In quote. */
  readonly value: Decimal;
  /** Trading fees, in quote; above zero. */
  readonly fee: Decimal;
  /** In quote; zero if nothing was left to pay it. */
  readonly liquidationFee: Decimal;
}

/** The own steps of a close. */
interface OwnPart {
  readonly steps: number;
  /** The sums allow nothing else. */
  readonly proved: boolean;
}

/**
 * The own steps of a close that the exchange made partly. Only own orders pay a trading fee, so the fee separates the parts. The first
 * of these that applies is used, and it is never less than the steps that lists show:
 *
 * 1. The listed steps and the rest of some own orders, if the fee gives a whole price for them, and the remaining value a whole price for
 *    the remaining steps. If several combinations do, the one whose price is nearest to the average price.
 * 2. All steps but those that the exchange closed: the size at which the value behind the liquidation fee has a whole price.
 * 3. All steps but the size at which the value that paid no trading fee has a whole price.
 * 4. The steps that the taker's fee pays for at the average price.
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

/** Steps that lists show as filled, which are certain. */
function shownOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { shown }) => sum + shown, 0);
}

/** The totals that these orders can have closed: the certain steps, and for each order all or nothing of its rest. */
function sizesOf(candidates: readonly Candidate[]): number[] {
  let sizes = new Set([shownOf(candidates)]);
  for (const { more } of candidates.slice(-MOST_TRIED)) sizes = new Set([...sizes, ...[...sizes].map((size) => size + more)]);
  return [...sizes];
}
