import { normalQuantile } from '../../model/random.ts';
import { deviation, mean } from '../returns/moments.ts';
import { studentBeyond, studentDistance } from './student.ts';

const EULER = 0.577_215_664_901_532_9;

/**
 * The largest of `n` independent values of a standard normal distribution, as it is to be expected (Bailey and Lopez de Prado 2014): 2.53 for
 * a hundred. Zero for one.
 */
export function expectedMaximum(n: number): number {
  if (n <= 1) return 0;
  return (1 - EULER) * normalQuantile(1 - 1 / n) + EULER * normalQuantile(1 - 1 / (n * Math.E));
}

/**
 * The Sharpe ratio that the best of `n` independent trials without skill reaches: the benchmark of the deflated Sharpe ratio (Bailey and
 * Lopez de Prado 2014).
 * @param sharpes of all trials.
 */
export function luckySharpe(sharpes: readonly number[], n: number): number {
  return sharpes.length < 2 ? 0 : deviation(sharpes) * expectedMaximum(n);
}

/**
 * The years of data with which the best of `n` independent trials without skill is expected to stay below an annual Sharpe ratio (Bailey,
 * Borwein, Lopez de Prado and Zhu 2014): 5 years for 45 trials and a ratio of 1.
 */
export function minimumBacktestYears(n: number, annualSharpe: number): number {
  return annualSharpe > 0 ? (expectedMaximum(n) / annualSharpe) ** 2 : Number.POSITIVE_INFINITY;
}

/** Two groups of trials are one where their returns correlate this much on average. */
export const SAME_TRIAL = 0.8;

/**
 * The number of groups of trials whose daily returns move together: agglomerative clustering by average linkage on 1 - correlation, cut
 * where two groups correlate by less than `SAME_TRIAL` on average. The chain of nearest neighbours finds the same merges in steps of
 * the square of the number (Murtagh 1983).
 */
export function independentTrials(trials: readonly (readonly number[])[]): number {
  const scaled = trials.map(standardised);
  const count = scaled.length;
  const far = scaled.map((one) => Float64Array.from(scaled, (other) => 1 - dot(one, other)));
  const sizes = new Array<number>(count).fill(1);
  const open = new Set(sizes.keys());
  const chain: number[] = [];
  let groups = count;
  while (open.size > 1) {
    if (chain.length === 0) chain.push(open.values().next().value!);
    const last = chain.at(-1)!;
    const before = chain.at(-2);
    let nearest = before ?? -1;
    // The one before wins ties, so that the chain ends.
    for (const other of open) if (other !== last && (nearest < 0 || far[last]![other]! < far[last]![nearest]!)) nearest = other;
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    if (far[last]![nearest]! <= 1 - SAME_TRIAL) groups--;
    open.delete(last);
    for (const other of open) {
      if (other === nearest) continue;
      const joined = (sizes[last]! * far[last]![other]! + sizes[nearest]! * far[nearest]![other]!) / (sizes[last]! + sizes[nearest]!);
      far[nearest]![other] = joined;
      far[other]![nearest] = joined;
    }
    sizes[nearest]! += sizes[last]!;
  }
  return groups;
}

/** With a mean of zero and a sum of squares of one, so that the product of two is their correlation. */
function standardised(values: readonly number[]): Float64Array {
  const centre = mean(values);
  const length = Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0));
  return Float64Array.from(values, (value) => (value - centre) / length);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let place = 0; place < a.length; place++) sum += a[place]! * b[place]!;
  return sum;
}

/** The best trial after a correction for the number of tests. */
export interface Haircut {
  /** The probability of a ratio so far from zero without skill, among so many trials. */
  readonly probability: number;
  /** Per return. */
  readonly sharpe: number;
  /** The part of the ratio that is cut off, in [0, 1]. */
  readonly share: number;
}

/** By Bonferroni, which is Holm's correction too for the best trial, and by Benjamini, Hochberg and Yekutieli. */
export interface Haircuts {
  readonly bonferroni: Haircut;
  readonly bhy: Haircut;
}

/**
 * Harvey and Liu's haircut of a Sharpe ratio (2015, "Backtesting"): Student's test of each trial on both sides, corrected for the number of
 * tests. A trial that lost counts as one with a probability of 1: it is no discovery.
 * @param chosen the Sharpe ratio per return that is cut, one of `sharpes`.
 * @param sharpes of the trials with figures.
 * @param trials all trials, also those without figures.
 * @param days daily returns of each.
 */
export function haircuts(chosen: number, sharpes: readonly number[], trials: number, days: number): Haircuts {
  // Trials without figures come last, and change no one before them.
  const sorted = sharpes.map((one) => probabilityOf(one, days)).sort((a, b) => a - b);
  const own = probabilityOf(chosen, days);
  const cut = (probability: number): Haircut => {
    const least = Math.min(1, probability);
    const sharpe = studentDistance(least, days - 1) / Math.sqrt(days);
    return { probability: least, sharpe, share: chosen > 0 ? 1 - sharpe / chosen : 1 };
  };
  const scale = trials * harmonic(trials);
  const stepped = sorted.map((one, place) => (one * scale) / (place + 1)).slice(sorted.indexOf(own));
  return { bonferroni: cut(own * trials), bhy: cut(Math.min(...stepped)) };
}

/** The sum of 1 / k up to n; by its series where n is large, to 15 digits. */
function harmonic(n: number): number {
  if (n > 1000) return Math.log(n) + EULER + 1 / (2 * n) - 1 / (12 * n * n);
  let sum = 0;
  for (let k = 1; k <= n; k++) sum += 1 / k;
  return sum;
}

/** The probability of a Sharpe ratio so far from zero without skill, by Student's test on both sides; 1 for a loss. */
function probabilityOf(sharpe: number, days: number): number {
  return sharpe > 0 ? studentBeyond(sharpe * Math.sqrt(days), days - 1) : 1;
}
