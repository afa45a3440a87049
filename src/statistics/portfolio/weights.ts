import { covariance, deviation } from '../returns/moments.ts';

/** How equity is split: evenly, by 1 / volatility, or so that every run has the same part in the risk. */
export const WEIGHTINGS = ['equal', 'inverseVolatility', 'riskParity'] as const;
export type Weighting = (typeof WEIGHTINGS)[number];

/** Weights that change less than this are found. */
const FOUND = 1e-14;
const MOST_ROUNDS = 10_000;

/**
 * The weights of several runs from these daily returns; their sum is 1. A run that did not move has no risk to share, and gets none of the
 * equity, unless none has moved.
 */
export function weightsOf(weighting: Weighting, past: readonly (readonly number[])[]): number[] {
  const even = past.map(() => 1 / past.length);
  if (weighting === 'equal') return even;
  const spreads = past.map(deviation);
  const moving = [...spreads.keys()].filter((run) => spreads[run]! > 0);
  if (moving.length === 0) return even;
  const raw = weighting === 'riskParity' ? parity(moving.map((run) => past[run]!)) : moving.map((run) => 1 / spreads[run]!);
  const sum = raw.reduce((total, one) => total + one, 0);
  const weights = past.map(() => 0);
  for (const [place, run] of moving.entries()) weights[run] = raw[place]! / sum;
  return weights;
}

/**
 * Weights with w x (C w) equal for all, up to a factor: the minimum of w'Cw / 2 - sum of ln w, one coordinate after the other (Griveau-Billion,
 * Richard and Roncalli 2013).
 */
function parity(past: readonly (readonly number[])[]): number[] {
  const matrix = past.map((one) => past.map((other) => covariance(one, other)));
  const weights = matrix.map((row, run) => 1 / Math.sqrt(row[run]!));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    let change = 0;
    for (const [run, row] of matrix.entries()) {
      const others = row.reduce((sum, one, other) => (other === run ? sum : sum + one * weights[other]!), 0);
      const own = row[run]!;
      const next = (Math.sqrt(others ** 2 + 4 * own) - others) / (2 * own);
      change = Math.max(change, Math.abs(next / weights[run]! - 1));
      weights[run] = next;
    }
    if (change < FOUND) break;
  }
  return weights;
}
