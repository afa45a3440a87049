import { Decimal, ZERO } from '../../model/decimal.ts';
import { type Absent, absentAt } from './absence.ts';
import type { ComparedFill, ComparedOrder, ComparedRun, Slice } from './compared-run.ts';
import type { Cause, CompareOptions, DifferencePart } from './comparison.ts';
import type { EndWorth } from './end-worth.ts';

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
 * - Filled at another moment: `latency`, or what kept the later run from it: a kill, a stop, or missing data.
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
    const at = (time: number) => absentAt(late, early, a.symbol, time);
    const absent = at((slices.a.time + slices.b.time) / 2) ?? (own.time > other.time ? at(other.time) : undefined);
    const who = apart > 0 ? 'B' : 'A';
    if (absent !== undefined) return { cause: absent.cause, note: `${who} ${absent.note}` };
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
   * @param known `decided`, `filled`: why that run could not decide the order, or could not fill it any more. `closing`: a kill of the
   * other run was in force. `sized`: the two quantities have the ratio of the equities.
   */
  constructor(
    private readonly less: ComparedOrder | undefined,
    private readonly more: ComparedOrder,
    private readonly words: { readonly who: string; readonly other: string },
    private readonly known: ShortFacts,
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
    const reasons: (ShortReason & { quantity: Decimal })[] = [
      { ...this.#unfinished(), quantity: partial },
      { cause: this.known.sized ? 'size' : 'unexplained', quantity: rest, note: this.#sizes() },
    ];
    return reasons.filter((reason) => !reason.quantity.isZero());
  }

  /** Why its order ended before it was filled. */
  #unfinished(): ShortReason {
    const { who } = this.words;
    const less = this.less!;
    const { filled } = this.known;
    if (less.status === 'open' && filled?.cause === 'stopped') return { cause: 'stopped', note: `${who} ${filled.note}` };
    const cause = less.status === 'canceled' ? (CANCELED_BY[less.reason] ?? 'partialFill') : 'partialFill';
    return { cause, note: `${who} filled ${filledOf(less.fills).toFixed()} of it: ${ended(less)}` };
  }

  #sizes(): string {
    const { who, other } = this.words;
    const sizes = `${who} asked for ${asked(this.less!)}, ${other} for ${asked(this.more)}`;
    return this.known.sized ? `${sizes}, as their equities differ` : sizes;
  }

  #whole(): ShortReason | undefined {
    const { less, more } = this;
    const { decided, closing } = this.known;
    const { who, other } = this.words;
    if (more.foreign) return { cause: 'foreign', note: `somebody else placed it, and ${other} took it in` };
    if (less === undefined) {
      if (closing) return { cause: 'killed', note: `a kill of ${other} closed it` };
      if (decided !== undefined) return { cause: decided.cause, note: `${who} ${decided.note}` };
      return { cause: 'unexplained', note: `${who} placed no such order` };
    }
    if (!REFUSED.has(less.status)) return undefined;
    const cause = less.reason === 'killed' ? 'killed' : 'refused';
    return { cause, note: `${less.status} in ${who}: ${less.reason || 'no reason given'}` };
  }
}

/** The facts of the two runs about a quantity that only one of them filled. */
interface ShortFacts {
  readonly decided: Absent | undefined;
  readonly filled: Absent | undefined;
  readonly closing: boolean;
  readonly sized: boolean;
}

/** Why a run filled less of an order than the other, or nothing, as far as its own records show. */
interface ShortReason {
  readonly cause: Cause;
  readonly note: string;
}

const REFUSED: ReadonlySet<string> = new Set(['denied', 'rejected']);
/** By the reason of a cancel of the run itself, other than one that its strategy requested. */
const CANCELED_BY: Readonly<Record<string, Cause>> = { killed: 'killed', stopping: 'stopped', riskLatch: 'refused', closing: 'refused' };

/** The quantity of them all. */
export function filledOf(slices: readonly Slice[]): Decimal {
  return slices.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
}

function asked({ quantity }: ComparedOrder): string {
  return quantity === undefined ? 'an amount of quote' : quantity.toFixed();
}

function ended({ status, reason }: ComparedOrder): string {
  return reason === '' ? status : `${status}, ${reason}`;
}
