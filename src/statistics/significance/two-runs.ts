import { Random } from '../../model/random.ts';
import type { DayReturn } from '../returns/daily-returns.ts';
import { covariance, deviation, mean } from '../returns/moments.ts';
import { blockLength, stationaryDraw } from './bootstrap.ts';
import { inferSharpe, type SharpeInference } from './sharpe-inference.ts';
import { LEAST_DAYS, type SignificanceTerms } from './significance.ts';
import { studentBeyond } from './student.ts';
import { superiorityTests } from './superiority.ts';

/** Two runs on the days that both have. */
export interface RunDifference {
  readonly days: number;
  /** Days that only one of them has. */
  readonly daysLeftOut: number;
  /** Absent with too few shared days, or where the two never differ. */
  readonly computed: ComputedDifference | undefined;
  /** Which run is the better one by both tests. */
  readonly better: 'first' | 'second' | 'undecided';
}

interface ComputedDifference {
  readonly correlation: number;
  readonly first: SharpeInference;
  readonly second: SharpeInference;
  /** The first run's mean daily return less that of the second, times the days of a year. */
  readonly annualLead: number;
  /** The probability of a lead so far from zero, on either side, without a true one: Student's paired test. */
  readonly student: number;
  /** The same, on one side, by the stationary bootstrap: that the first is not better, and that the second is not. */
  readonly firstByLuck: number;
  readonly secondByLuck: number;
  readonly blockLength: number;
}

/** A lead counts at this probability of luck; the bootstrap looks at one side. */
const RARE = 0.05;

/** Compares the daily returns of two runs, pair by pair. */
export function differenceOf(a: readonly DayReturn[], b: readonly DayReturn[], terms: SignificanceTerms): RunDifference {
  const theirs = new Map(b.map(({ time, value }) => [time, value]));
  const shared = a.filter(({ time }) => theirs.has(time));
  const first = shared.map(({ value }) => value);
  const second = shared.map(({ time }) => theirs.get(time)!);
  const days = shared.length;
  const daysLeftOut = a.length + b.length - 2 * days;
  const leads = first.map((value, day) => value - second[day]!);
  const isUsable = [first, second, leads].every((values) => values.every(Number.isFinite) && deviation(values) > 0);
  if (days < LEAST_DAYS || !isUsable) return { days, daysLeftOut, computed: undefined, better: 'undecided' };
  const block = blockLength(leads);
  // Both sides see the same draws.
  const luck = (values: readonly number[]) => {
    const draw = stationaryDraw(new Random(terms.seed, 'difference'), block);
    return superiorityTests([values], { draw, blockLength: block, draws: terms.draws }).studentized.consistent;
  };
  const t = (mean(leads) / deviation(leads)) * Math.sqrt(days);
  const [student, firstByLuck, secondByLuck] = [studentBeyond(t, days - 1), luck(leads), luck(leads.map((lead) => -lead))];
  const computed: ComputedDifference = {
    correlation: covariance(first, second) / (deviation(first) * deviation(second)),
    first: inferSharpe(first, terms),
    second: inferSharpe(second, terms),
    annualLead: mean(leads) * terms.annualDays,
    student,
    firstByLuck,
    secondByLuck,
    blockLength: block,
  };
  const isRare = student <= RARE;
  const better = isRare && firstByLuck <= RARE / 2 ? 'first' : isRare && secondByLuck <= RARE / 2 ? 'second' : 'undecided';
  return { days, daysLeftOut, computed, better };
}
