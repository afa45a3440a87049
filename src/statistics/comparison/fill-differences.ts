import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Cause } from './cause.ts';
import type { ComparedOrder, ComparedRun } from './compared-run.ts';
import type { CompareOptions, DifferencePart } from './comparison.ts';
import type { EndWorth, Slice } from './end-worth.ts';
import { missingAt } from './price-coverage.ts';
import { gapText } from './shortfall.ts';
import type { SlicePair } from './slices.ts';

/** Two orders that asked for the same, and the runs that they are of. */
export interface FilledPair {
  readonly a: ComparedOrder;
  readonly b: ComparedOrder;
  readonly runA: ComparedRun;
  readonly runB: ComparedRun;
}

/**
 * Why the same quantity cost one run more than the other.
 *
 * - Filled at another moment: `latency`, or `missingData` where the later one lacked data in between.
 * - At the same moment at another price: `price`; where the two asked for different prices, nobody knows why: `unexplained`.
 * - A fee that is the same share of another notional goes with that; what is beyond it is `fee`.
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

/** The asset that a symbol trades: a fee in it follows the quantity, whatever the price. */
export function baseOf(symbol: string): string {
  return symbol.split('-')[0] ?? '';
}

/** What of the difference of fees comes from the notional alone, at the first run's rate. */
function followingFee(a: Slice, b: Slice, worth: EndWorth): Decimal {
  if (a.feeAsset !== b.feeAsset || a.notional.isZero()) return ZERO;
  const sameRate = a.fee.times(b.notional).eq(b.fee.times(a.notional));
  const expected = sameRate ? b.fee : a.fee.times(b.notional).div(a.notional).toDecimalPlaces(FEE_PLACES);
  return worth.fee({ ...a, fee: a.fee.minus(expected) });
}

/** Of a fee that would be charged at another run's rate: more places than any venue charges. */
const FEE_PLACES = 18;

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

function priceText({ notional, quantity }: Slice): string {
  return notional.div(quantity).toSignificantDigits(12).toFixed();
}

function feeText({ fee, feeAsset }: Slice): string {
  return `${fee.toFixed()} ${feeAsset}`;
}
