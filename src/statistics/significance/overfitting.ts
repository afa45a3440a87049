import { covariance, mean } from '../returns/moments.ts';

/** How the best trial of one half of the days does in the other half, over all ways to halve blocks of days. */
export interface Overfitting {
  /** Blocks of days, and ways to take half of them. */
  readonly blocks: number;
  readonly ways: number;
  /** Days that were left out at the begin, so that blocks are equal. */
  readonly daysLeftOut: number;
  /** The probability of backtest overfitting: the share of ways in which the best trial is in the lower half of the other days. */
  readonly probability: number;
  /** The share of ways in which it loses on the other days. */
  readonly lossProbability: number;
  /** The change of the Sharpe ratio on the other days by that on its own; below 0 the better one did worse. `NaN` if all are equal. */
  readonly degradation: number;
}

/** Most and fewest blocks, and fewest days of a block. */
const MOST_BLOCKS = 16;
const LEAST_BLOCKS = 8;
const LEAST_DAYS = 10;

/** The fewest days for which the probability is computed. */
export const OVERFITTING_DAYS = LEAST_BLOCKS * LEAST_DAYS;

/**
 * Combinatorially symmetric cross-validation (Bailey, Borwein, Lopez de Prado and Zhu 2017) by Sharpe ratio.
 * @param trials daily returns, all of the same days: at least `OVERFITTING_DAYS`; at least two trials.
 * @param asked blocks; default: 16, or the largest even number whose blocks have ten days.
 */
export function overfitting(trials: readonly (readonly number[])[], asked?: number): Overfitting {
  const days = trials[0]!.length;
  const blocks = asked ?? Math.min(MOST_BLOCKS, 2 * Math.floor(days / (2 * LEAST_DAYS)));
  const size = Math.floor(days / blocks);
  const daysLeftOut = days - size * blocks;
  const sums = trials.map((one) => blockSums(one, daysLeftOut, size, blocks));
  const [inside, outside]: [number[], number[]] = [[], []];
  let [ways, low, losses] = [0, 0, 0];
  const half = (size * blocks) / 2;
  const [own, other] = [new Float64Array(trials.length), new Float64Array(trials.length)];
  for (const chosen of halves(blocks)) {
    for (const [trial, { total, squares, allTotal, allSquares }] of sums.entries()) {
      let [sum, square] = [0, 0];
      for (const block of chosen) {
        sum += total[block]!;
        square += squares[block]!;
      }
      own[trial] = ratioOf(sum, square, half);
      other[trial] = ratioOf(allTotal - sum, allSquares - square, half);
    }
    let best = 0;
    for (let trial = 1; trial < own.length; trial++) if (own[trial]! > own[best]!) best = trial;
    const reached = other[best]!;
    ways++;
    // The middle rank is no success.
    if (rankOf(reached, other) <= (trials.length + 1) / 2) low++;
    if (reached < 0) losses++;
    inside.push(own[best]!);
    outside.push(reached);
  }
  const degradation = covariance(inside, outside) / covariance(inside, inside);
  return { blocks, ways, daysLeftOut, probability: low / ways, lossProbability: losses / ways, degradation };
}

interface BlockSums {
  readonly total: Float64Array;
  readonly squares: Float64Array;
  readonly allTotal: number;
  readonly allSquares: number;
}

function blockSums(values: readonly number[], from: number, size: number, blocks: number): BlockSums {
  const [total, squares] = [new Float64Array(blocks), new Float64Array(blocks)];
  for (let block = 0; block < blocks; block++) {
    for (let day = from + block * size; day < from + (block + 1) * size; day++) {
      total[block]! += values[day]!;
      squares[block]! += values[day]! ** 2;
    }
  }
  return { total, squares, allTotal: mean(total) * blocks, allSquares: mean(squares) * blocks };
}

/** Zero without variation: a trial that did not trade has neither won nor lost. */
function ratioOf(sum: number, squares: number, n: number): number {
  const variance = (squares - sum ** 2 / n) / (n - 1);
  return variance <= 1e-13 * (squares / n) ? 0 : sum / n / Math.sqrt(variance);
}

/** From 1 for the smallest; equal ones share their mean rank. */
function rankOf(value: number, values: Float64Array): number {
  let [below, equal] = [0, 0];
  for (const one of values) {
    if (one < value) below++;
    else if (one === value) equal++;
  }
  return below + (equal + 1) / 2;
}

/** All ways to take half of the blocks. */
function* halves(blocks: number): IterableIterator<readonly number[]> {
  const chosen = Array.from({ length: blocks / 2 }, (_, index) => index);
  for (;;) {
    yield chosen;
    let place = chosen.length - 1;
    while (place >= 0 && chosen[place] === blocks - chosen.length + place) place--;
    if (place < 0) return;
    chosen[place]!++;
    for (let next = place + 1; next < chosen.length; next++) chosen[next] = chosen[next - 1]! + 1;
  }
}
