import type { Decimal } from '../../model/decimal.ts';
import type { ComparedOrder, ComparedRun, EquitySamplePoint } from './compared-run.ts';
import { filledOf } from './fill-differences.ts';

/** The largest error of the expected difference of two quantities: equity is known at its samples only. */
const TOLERANCE = 0.25;
/** The largest error in units of the last decimal place: each quantity is rounded to a step. */
const ROUNDED_UNITS = 2;

/**
 * Whether two matching orders differ in quantity as the equities of their runs did. A strategy that risks a share of its equity does so.
 *
 * The ratio of the quantities is compared with that of the equities at the last sample before the decision and at the first one after it.
 * Between two samples, a result may have changed the equity of one run only. Equal equities explain nothing.
 */
export function sizesFollowEquity(one: ComparedOrder, runOfOne: ComparedRun, other: ComparedOrder, runOfOther: ComparedRun): boolean {
  const [size, otherSize] = [sizeOf(one), sizeOf(other)];
  if (size === undefined || otherSize === undefined || size.isZero()) return false;
  const places = Math.max(size.decimalPlaces(), otherSize.decimalPlaces());
  const rounding = ROUNDED_UNITS * 10 ** -places;
  const actual = otherSize.minus(size).toNumber();
  return [0, 1].some((later) => {
    const [equity, otherEquity] = [equityNear(runOfOne, one.time, later), equityNear(runOfOther, other.time, later)];
    if (equity === undefined || otherEquity === undefined || !(equity > 0) || !(otherEquity > 0) || equity === otherEquity) return false;
    const expected = size.toNumber() * (otherEquity / equity - 1);
    if (expected > 0 !== actual > 0) return false;
    return Math.abs(actual - expected) <= Math.max(rounding, TOLERANCE * Math.abs(expected));
  });
}

/** The quantity that was ordered; for an order by an amount of quote, the quantity that this bought. */
function sizeOf({ quantity, status, fills }: ComparedOrder): Decimal | undefined {
  return quantity ?? (status === 'filled' ? filledOf(fills) : undefined);
}

/** The equity at the last sample that is not after a time, or at a later one. */
function equityNear({ equity }: ComparedRun, time: number, later: number): number | undefined {
  return equity[lastUpTo(equity, time) + later]?.equity.toNumber();
}

function lastUpTo(samples: readonly EquitySamplePoint[], time: number): number {
  let [low, high] = [-1, samples.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (samples[middle]!.time <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
