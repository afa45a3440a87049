import type { TrackedOrder } from '../tracked-order.ts';

/** An order that may have made what a pool holds. */
export interface Candidate {
  readonly order: TrackedOrder;
  /** Steps that are not told as filled. */
  readonly left: number;
  /** Steps that the lists show as filled and that are not told. */
  readonly grown: number;
  /** The lists do not show it (any more). */
  readonly absent: boolean;
}

export interface Allotment {
  readonly order: TrackedOrder;
  readonly steps: number;
}

/** Above this many orders sizes are not tried out together. */
const MOST_TRIED = 14;

/**
 * Whose fills a number of traded steps are.
 *
 * - Where what the lists show and all that is gone from them add up to it, that is it.
 * - Else it is the one order that is gone; among others that still stand only where it went out to fill at once, whole.
 * - `sure` is set when nothing can be invisible any more: then lists first, orders that are gone next, of these those
 *   whose sizes add up, or the oldest.
 * - `late`: newer trades keep coming, but what the lists show has been traded for long.
 */
export function allot(steps: number, candidates: readonly Candidate[], { sure, late }: { sure: boolean; late: boolean }): Allotment[] {
  const shown = candidates.filter(({ grown }) => grown > 0);
  const gone = candidates.filter(({ absent, left }) => absent && left > 0);
  const standing = candidates.some(({ absent, left, grown }) => !absent && left > grown);
  const sumShown = shown.reduce((sum, { grown }) => sum + grown, 0);
  const rest = steps - sumShown;
  const all = [...shown.map(({ order, grown }) => ({ order, steps: grown }))];
  if (rest === 0) return all;
  const sumGone = gone.reduce((sum, { left }) => sum + left, 0);
  if (rest > 0 && rest === sumGone) return [...all, ...gone.map(({ order, left }) => ({ order, steps: left }))];
  const [only] = gone;
  if (rest > 0 && only !== undefined && gone.length === 1 && rest <= only.left) {
    if (!standing || (only.order.request.atLast === true && rest === only.left)) return [...all, { order: only.order, steps: rest }];
  }
  if (sure) return [...cut(all, steps), ...(rest > 0 ? chosen(gone, rest) : [])];
  return late ? cut(all, steps) : [];
}

/** Not more than there is. */
function cut(allotments: readonly Allotment[], steps: number): Allotment[] {
  let left = steps;
  return allotments.flatMap(({ order, steps: wanted }) => {
    const given = Math.min(left, wanted);
    left -= given;
    return given > 0 ? [{ order, steps: given }] : [];
  });
}

function chosen(gone: readonly Candidate[], steps: number): Allotment[] {
  const exact = subset(gone, (chosen) => Math.abs(chosen.reduce((sum, { left }) => sum + left, 0) - steps), 0);
  return cut(
    (exact ?? gone).map(({ order, left }) => ({ order, steps: left })),
    steps,
  );
}

/**
 * The choice among these that lies nearest, by `distance`; of equals the one with the older ones.
 * @param most how far it may lie. @returns undefined where none is near enough, or there are too many to try.
 */
export function subset<T>(among: readonly T[], distance: (chosen: readonly T[]) => number, most: number): T[] | undefined {
  if (among.length > MOST_TRIED) return undefined;
  let best: T[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let bits = 0; bits < 2 ** among.length; bits++) {
    const chosen = among.filter((_, index) => (bits >> index) & 1);
    const away = distance(chosen);
    if (away < least && away <= most) {
      least = away;
      best = chosen;
    }
  }
  return best;
}
