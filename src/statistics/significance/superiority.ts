import { mean } from '../returns/moments.ts';
import type { Draw } from './bootstrap.ts';

/**
 * The probability that the best of trials without skill has a mean as large as the best one here. `lower` and `upper` are the bounds of
 * Hansen's test: trials that are worse than the benchmark count as they are, or as if they were as good as it.
 */
export interface Superiority {
  readonly lower: number;
  readonly consistent: number;
  readonly upper: number;
}

/** Two tests on the same draws. */
export interface SuperiorityTests {
  /** Hansen's test for superior predictive ability (2005): each mean over its standard error. */
  readonly studentized: Superiority;
  /** Means as they are; `upper` is White's reality check (2000). */
  readonly plain: Superiority;
}

interface Terms {
  readonly draw: Draw;
  /** The mean length of the blocks that are drawn. */
  readonly blockLength: number;
  /** Samples that are drawn. */
  readonly draws: number;
}

/**
 * White's reality check and Hansen's test: whether the best of many trials is better than the benchmark, given that the best was chosen.
 * @param leads daily returns of each trial less those of the benchmark, all of the same days; a trial without variation is left out.
 */
export function superiorityTests(leads: readonly (readonly number[])[], { draw, blockLength, draws }: Terms): SuperiorityTests {
  const moving = leads.filter((one) => one.some((value) => value !== one[0]));
  const n = moving[0]?.length ?? 0;
  const means = moving.map(mean);
  const errors = moving.map((one) => Math.sqrt(longRunVariance(one, blockLength) / n));
  const threshold = Math.sqrt(2 * Math.log(Math.log(n)));
  // The part of a trial's mean that it would not have without skill.
  const centres = {
    lower: means.map((one) => Math.max(one, 0)),
    consistent: means.map((one, trial) => (one >= -errors[trial]! * threshold ? one : 0)),
    upper: means,
  };
  const largest = Math.max(...means);
  const largestRatio = Math.max(0, ...means.map((one, trial) => one / errors[trial]!));
  const above = { plain: { lower: 0, consistent: 0, upper: 0 }, studentized: { lower: 0, consistent: 0, upper: 0 } };
  const rows = rowsOf(moving, n);
  const places = new Int32Array(n);
  for (let drawn = 0; drawn < draws; drawn++) {
    draw(places);
    const drawnMeans = meansAt(rows, places, moving.length);
    for (const way of ['lower', 'consistent', 'upper'] as const) {
      let [most, mostRatio] = [Number.NEGATIVE_INFINITY, 0];
      for (let trial = 0; trial < moving.length; trial++) {
        const move = drawnMeans[trial]! - centres[way][trial]!;
        most = Math.max(most, move);
        mostRatio = Math.max(mostRatio, move / errors[trial]!);
      }
      if (most > largest) above.plain[way]++;
      if (mostRatio >= largestRatio) above.studentized[way]++;
    }
  }
  const shares = ({ lower, consistent, upper }: Superiority) => ({
    lower: lower / draws,
    consistent: consistent / draws,
    upper: upper / draws,
  });
  return { plain: shares(above.plain), studentized: shares(above.studentized) };
}

/** One row a day, so that a draw reads memory in order. */
function rowsOf(trials: readonly (readonly number[])[], n: number): Float64Array {
  const rows = new Float64Array(n * trials.length);
  for (const [trial, values] of trials.entries()) for (let day = 0; day < n; day++) rows[day * trials.length + trial] = values[day]!;
  return rows;
}

function meansAt(rows: Float64Array, places: Int32Array, trials: number): Float64Array {
  // Each day once, times how often it was drawn.
  const counts = new Int32Array(places.length);
  for (const place of places) counts[place]!++;
  const sums = new Float64Array(trials);
  for (const [day, count] of counts.entries()) {
    if (count === 0) continue;
    const from = day * trials;
    for (let trial = 0; trial < trials; trial++) sums[trial]! += count * rows[from + trial]!;
  }
  for (let trial = 0; trial < trials; trial++) sums[trial]! /= places.length;
  return sums;
}

/** Weights below this change no digit. */
const NO_WEIGHT = 1e-18;

/** The variance of the mean under the stationary bootstrap, times the number of values (Politis and Romano 1994). */
function longRunVariance(values: readonly number[], blockLength: number): number {
  const n = values.length;
  const centre = mean(values);
  const moves = values.map((value) => value - centre);
  const stays = 1 - 1 / blockLength;
  let sum = moves.reduce((total, move) => total + move ** 2, 0);
  for (let lag = 1; lag < n; lag++) {
    const weight = (1 - lag / n) * stays ** lag + (lag / n) * stays ** (n - lag);
    if (weight < NO_WEIGHT) continue;
    let product = 0;
    for (let day = lag; day < n; day++) product += moves[day]! * moves[day - lag]!;
    sum += 2 * weight * product;
  }
  return sum / n;
}
