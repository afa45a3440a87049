/** Equal returns differ by this much at most when they are quotients of doubles near 1. */
const ROUNDING = 1e-14;

/** The arithmetic mean; `NaN` of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample standard deviation: the squares are divided by n - 1. Zero where there is nothing but rounding. */
export function deviation(values: readonly number[]): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  const result = Math.sqrt(squares / (values.length - 1));
  return result < ROUNDING ? 0 : result;
}

/** The mean of the n-th powers of the distances from the mean, by the same power of their spread (dividing by n). */
export function standardMoment(values: readonly number[], n: number): number {
  const centre = mean(values);
  const spread = Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
  return spread < ROUNDING ? Number.NaN : mean(values.map((value) => ((value - centre) / spread) ** n));
}

/** How two series of equal length move together; dividing by n - 1. */
export function covariance(a: readonly number[], b: readonly number[]): number {
  const [centreA, centreB] = [mean(a), mean(b)];
  return a.reduce((sum, value, index) => sum + (value - centreA) * (b[index]! - centreB), 0) / (a.length - 1);
}

/** Between the two values beside its place, in proportion (as numpy's default); `NaN` of nothing. @param share in [0, 1]. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  return low + ((sorted[below + 1] ?? low) - low) * (place - below);
}

/** The mean of the worst `floor((n - 1) x share) + 1` values. */
export function worstMean(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return mean(sorted.slice(0, Math.floor((sorted.length - 1) * share) + 1));
}

/** The largest of any number of values (the spread of `Math.max` has a limit); `-Infinity` of nothing. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

/** The smallest; `Infinity` of nothing. */
export function smallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}
