import { Decimal, ZERO } from '../../model/decimal.ts';
import { isoTime } from '../../model/time.ts';
import type { ComparedFill, ComparedOrder, ComparedRun, Slice } from './compared-run.ts';
import type { Cause, CompareOptions, DifferencePart } from './comparison.ts';
import type { EndWorth } from './end-worth.ts';
import { missingAt, type Pause } from './price-coverage.ts';

/**
 * Matches the fills of one order with those of another: pieces of equal quantity from the first fill on, and then the rest of the order
 * that filled more. A fill that is cut is divided by quantity in notional and fee; the last piece gets the rest, so that rounding loses
 * nothing.
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

/** The same quantity, as each run filled it. */
interface SlicePair {
  readonly a: Slice;
  readonly b: Slice;
}

/** Takes this quantity off the last slice. */
function take(slices: Slice[], quantity: Decimal): Slice {
  const whole = slices.pop()!;
  if (whole.quantity.eq(quantity)) return whole;
  const [first, rest] = cut(whole, quantity);
  slices.push(rest);
  return first;
}

/** The first `quantity` of a slice, and the rest. */
export function cut(slice: Slice, quantity: Decimal): [first: Slice, rest: Slice] {
  const share = (amount: Decimal) => amount.times(quantity).div(slice.quantity).toDecimalPlaces(CUT_PLACES);
  const first = { ...slice, quantity, notional: share(slice.notional), fee: share(slice.fee) };
  const rest = {
    ...slice,
    quantity: slice.quantity.minus(quantity),
    notional: slice.notional.minus(first.notional),
    fee: slice.fee.minus(first.fee),
  };
  return [first, rest];
}

/** Finer than any fee, and coarse enough that sums of shares keep every digit. */
const CUT_PLACES = 30;

/**
 * Why the same quantity cost one run more than the other.
 *
 * - Filled at another moment: `latency`, or `missingData` where the later run lacked data in between.
 * - At the same moment at another price: `price`; where the two asked for different prices, the cause is unknown: `unexplained`.
 * - A fee that differs only because the notional differs has the same cause. The rest of a difference of fees is `fee`.
 */
export function fillDifferences(pair: FilledPair, { a, b }: SlicePair, worth: EndWorth, options: CompareOptions): DifferencePart[] {
  const { symbol, side } = pair.a;
  const paid = worth.paid(symbol, b.notional.minus(a.notional));
  const money = side === 'sell' ? paid : paid.negated();
  const fees = worth.fee(a).minus(worth.fee(b));
  const follows = money.isZero() || a.feeAsset === baseOf(symbol) ? ZERO : followingFee(a, b, worth);
  const reason = reasonOf(pair, { a, b }, options);
  const parts: DifferencePart[] = [
    { ...reason, amount: money.plus(follows) },
    { cause: 'fee', amount: fees.minus(follows), note: `fee ${feeText(a)} in A, ${feeText(b)} in B` },
  ];
  return parts.filter(({ amount }) => !amount.isZero());
}

/** Two orders with equal requests, and their runs. */
interface FilledPair {
  readonly a: ComparedOrder;
  readonly b: ComparedOrder;
  readonly runA: ComparedRun;
  readonly runB: ComparedRun;
}

function reasonOf({ a, b, runA, runB }: FilledPair, slices: SlicePair, { toleranceMs }: CompareOptions): { cause: Cause; note: string } {
  const apart = slices.b.time - slices.a.time;
  if (Math.abs(apart) > toleranceMs) {
    const [late, early, own, other] = apart > 0 ? [runB, runA, b, a] : [runA, runB, a, b];
    const [ofLate, ofEarly] = [late.coverage.get(a.symbol), early.coverage.get(a.symbol)];
    const between = (slices.a.time + slices.b.time) / 2;
    const gap = missingAt(ofLate, ofEarly, between) ?? (own.time > other.time ? missingAt(ofLate, ofEarly, other.time) : undefined);
    const who = apart > 0 ? 'B' : 'A';
    if (gap !== undefined) return { cause: 'missingData', note: `${who} ${gapText(gap)}` };
    return { cause: 'latency', note: `${who} filled it ${Math.abs(apart)} ms later` };
  }
  if (a.price !== b.price) return { cause: 'unexplained', note: `asked for a price of ${a.price} in A, ${b.price} in B` };
  return { cause: 'price', note: `at ${priceText(slices.a)} in A, ${priceText(slices.b)} in B at the same moment` };
}

/** The part of the fee difference that comes from the notional alone, at the first run's rate. */
function followingFee(a: Slice, b: Slice, worth: EndWorth): Decimal {
  if (a.feeAsset !== b.feeAsset || a.notional.isZero()) return ZERO;
  const sameRate = a.fee.times(b.notional).eq(b.fee.times(a.notional));
  const expected = sameRate ? b.fee : a.fee.times(b.notional).div(a.notional).toDecimalPlaces(FEE_PLACES);
  return worth.fee({ ...a, fee: a.fee.minus(expected) });
}

/** Decimal places of a fee at the other run's rate: more than any venue charges. */
const FEE_PLACES = 18;

/** The asset that a symbol trades: a fee in it follows the quantity, whatever the price. */
export function baseOf(symbol: string): string {
  return symbol.split('-')[0] ?? '';
}

function priceText({ notional, quantity }: Slice): string {
  return notional.div(quantity).toSignificantDigits(12).toFixed();
}

function feeText({ fee, feeAsset }: Slice): string {
  return `${fee.toFixed()} ${feeAsset}`;
}

/** Explains, piece by piece, why one run filled less than the other. */
export class Shortfall {
  /** The quantity that the order requested and did not get. So much of the difference is a partial fill; the rest was not requested. */
  #unfilled: Decimal | undefined;

  /**
   * @param less the order of the run that filled less; absent where it placed none.
   * @param who the name of that run; `other` is the name of the run that filled more.
   * @param known `gap`: the time without data of that run when the order was decided. `sized`: the two quantities have the ratio of the
   * equities.
   */
  constructor(
    private readonly less: ComparedOrder | undefined,
    private readonly more: ComparedOrder,
    private readonly words: { readonly who: string; readonly other: string },
    private readonly known: { readonly gap: Pause | undefined; readonly sized: boolean },
  ) {
    if (less?.quantity !== undefined) this.#unfilled = Decimal.max(ZERO, less.quantity.minus(filledOf(less.fills)));
    else if (less?.status === 'filled') this.#unfilled = ZERO;
  }

  /** @returns the causes of this missing quantity, with the part of each. */
  next(quantity: Decimal): (ShortReason & { readonly quantity: Decimal })[] {
    const whole = this.#whole();
    if (whole !== undefined) return [{ ...whole, quantity }];
    const partial = Decimal.min(quantity, this.#unfilled ?? quantity);
    const rest = quantity.minus(partial);
    this.#unfilled = this.#unfilled?.minus(partial);
    const { who } = this.words;
    const { less } = this;
    const reasons: (ShortReason & { quantity: Decimal })[] = [
      { cause: 'partialFill', quantity: partial, note: `${who} filled ${filledOf(less!.fills).toFixed()} of it: ${ended(less!)}` },
      { cause: this.known.sized ? 'size' : 'unexplained', quantity: rest, note: this.#sizes() },
    ];
    return reasons.filter((reason) => !reason.quantity.isZero());
  }

  #sizes(): string {
    const { who, other } = this.words;
    const sizes = `${who} asked for ${asked(this.less!)}, ${other} for ${asked(this.more)}`;
    return this.known.sized ? `${sizes}, as their equities differ` : sizes;
  }

  #whole(): ShortReason | undefined {
    const { less, more } = this;
    const { gap } = this.known;
    const { who, other } = this.words;
    if (more.foreign) return { cause: 'foreign', note: `somebody else placed it, and ${other} took it in` };
    if (less === undefined) {
      return gap === undefined
        ? { cause: 'unexplained', note: `${who} placed no such order` }
        : { cause: 'missingData', note: `${who} ${gapText(gap)}` };
    }
    return REFUSED.has(less.status)
      ? { cause: 'refused', note: `${less.status} in ${who}: ${less.reason || 'no reason given'}` }
      : undefined;
  }
}

/** Why a run filled less of an order than the other, or nothing, as far as its own records show. */
interface ShortReason {
  readonly cause: Cause;
  readonly note: string;
}

const REFUSED: ReadonlySet<string> = new Set(['denied', 'rejected']);

/** The quantity of them all. */
export function filledOf(slices: readonly Slice[]): Decimal {
  return slices.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
}

/** The missing data of a run, in words. */
function gapText([from, to]: Pause): string {
  if (!Number.isFinite(from)) return Number.isFinite(to) ? `had no prices before ${isoTime(to)}` : 'had no prices of it';
  return Number.isFinite(to) ? `had no prices between ${isoTime(from)} and ${isoTime(to)}` : `had no prices after ${isoTime(from)}`;
}

function asked({ quantity }: ComparedOrder): string {
  return quantity === undefined ? 'an amount of quote' : quantity.toFixed();
}

function ended({ status, reason }: ComparedOrder): string {
  return reason === '' ? status : `${status}, ${reason}`;
}
