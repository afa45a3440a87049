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

/** Beyond this the tail is less than a double can tell from 0 and 1. */
const FAR = 8;

/**
 * The share of a standard normal distribution below `x`, in [0, 1], to some 1e-15: its Taylor series about zero
 * (Marsaglia 2004, "Evaluating the Normal Distribution").
 */
function normalShare(x: number): number {
  if (Number.isNaN(x)) return Number.NaN;
  if (Math.abs(x) > FAR) return x < 0 ? 0 : 1;
  let [term, sum] = [x, x];
  for (let power = 3; Math.abs(term) > Number.EPSILON * Math.abs(sum); power += 2) {
    term *= (x * x) / power;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/**
 * How likely the true Sharpe ratio is above zero, in [0, 1], given how many returns there are, how skewed and how
 * fat-tailed (Bailey and Lopez de Prado 2012, "The Sharpe Ratio Efficient Frontier"); `NaN` without any variation. The
 * statistic of that name asks for a month of returns; a Sharpe ratio is printed from a week on, and is in doubt from there.
 */
export function probabilisticSharpe(returns: readonly number[]): number {
  const ratio = mean(returns) / deviation(returns);
  const spread = Math.sqrt(1 - standardMoment(returns, 3) * ratio + ((standardMoment(returns, 4) - 1) / 4) * ratio ** 2);
  return normalShare((ratio * Math.sqrt(returns.length - 1)) / spread);
}
