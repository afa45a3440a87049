import { Decimal, ZERO } from '../../model/decimal.ts';
import type { ComparedFill } from './compared-run.ts';
import type { Slice } from './end-worth.ts';

/** The same quantity, as one run filled it and as the other did. */
export interface SlicePair {
  readonly a: Slice;
  readonly b: Slice;
}

/**
 * The fills of one order beside those of another: piece by piece of equal quantity from the first fill on, and what one of
 * them has more. A fill that is cut gives its notional and fee by quantity; the last piece gets the rest, so that
 * nothing is lost to rounding.
 */
export function sideBySide(
  fillsA: readonly ComparedFill[],
  fillsB: readonly ComparedFill[],
): { readonly both: SlicePair[]; readonly moreA: Slice[]; readonly moreB: Slice[] } {
  const [a, b] = [[...fillsA].reverse() as Slice[], [...fillsB].reverse() as Slice[]];
  const both: SlicePair[] = [];
  while (a.length > 0 && b.length > 0) {
    const quantity = Decimal.min(a.at(-1)!.quantity, b.at(-1)!.quantity);
    both.push({ a: take(a, quantity), b: take(b, quantity) });
  }
  return { both, moreA: a.reverse(), moreB: b.reverse() };
}

/** Takes this much off the last slice. */
function take(slices: Slice[], quantity: Decimal): Slice {
  const whole = slices.pop()!;
  if (whole.quantity.eq(quantity)) return whole;
  const [first, rest] = cut(whole, quantity);
  slices.push(rest);
  return first;
}

/** Finer than any fee, and coarse enough that sums of shares keep every digit. */
const PLACES = 30;

/** The first `quantity` of a slice, and the rest. */
export function cut(slice: Slice, quantity: Decimal): [first: Slice, rest: Slice] {
  const share = (amount: Decimal) => amount.times(quantity).div(slice.quantity).toDecimalPlaces(PLACES);
  const first = { ...slice, quantity, notional: share(slice.notional), fee: share(slice.fee) };
  const rest = {
    ...slice,
    quantity: slice.quantity.minus(quantity),
    notional: slice.notional.minus(first.notional),
    fee: slice.fee.minus(first.fee),
  };
  return [first, rest];
}

/** The quantity of them all. */
export function filledOf(slices: readonly Slice[]): Decimal {
  return slices.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
}
