/** Equal returns differ by this much at most when they are quotients of doubles near 1. */
const ROUNDING = 1e-14;

/** Amounts that differ by less than this share of the largest are equal: a double has some sixteen digits. */
export const RESOLUTION = 1e-12;

/** Numbers in a list or in a packed array. */
type Numbers = Iterable<number> & { readonly length: number };

/** The arithmetic mean; `NaN` for an empty list. */
export function mean(values: Numbers): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** The middle value, or the mean of the two in the middle; `undefined` for an empty list. */
export function median(values: Numbers): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[half];
  return sorted.length === 0 ? undefined : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** Sample standard deviation: the squares are divided by n - 1. Zero where the values differ only by rounding. */
export function deviation(values: Numbers): number {
  if (areEqual(values)) return 0;
  const centre = mean(values);
  let squares = 0;
  for (const value of values) squares += (value - centre) ** 2;
  const result = Math.sqrt(squares / (values.length - 1));
  return result < ROUNDING ? 0 : result;
}

function areEqual(values: Numbers): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    // Not Math.min: a value that is no number decides nothing here, and makes the deviation no number.
    if (Number.isNaN(value)) return false;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return values.length > 1 && most - least <= RESOLUTION * Math.max(Math.abs(least), Math.abs(most));
}

/** The root mean square of the negative values; the others count as zero, and so do those below the resolution of the largest. */
export function downside(values: Numbers): number {
  let [squares, most] = [0, 0];
  for (const value of values) {
    squares += Math.min(value, 0) ** 2;
    most = Math.max(most, Math.abs(value));
  }
  const result = Math.sqrt(squares / values.length);
  return result <= RESOLUTION * most ? 0 : result;
}

/**
 * The standard error of a mean per unit of spread, by its influence function: how much one more value moves the ratio. It is the
 * deviation of these moves over the root of their number, and needs no assumption about the distribution (Lo 2002 and Mertens 2002 for Sharpe).
 */
export function errorOf(moves: Numbers): number {
  return deviation(moves) / Math.sqrt(moves.length);
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

/** The move of `a` when `b` moves by one (beta); `NaN` where `b` never moved. */
export function slope(a: readonly number[], b: readonly number[]): number {
  return covariance(a, b) / deviation(b) ** 2;
}

/**
 * The linear interpolation between the two nearest values (numpy's default); `NaN` for an empty list.
 * @param share in [0, 1].
 */
export function quantile(values: readonly number[], share: number): number {
  return quantileOfSorted(
    [...values].sort((a, b) => a - b),
    share,
  );
}

/** The same of values in rising order. */
export function quantileOfSorted(sorted: ArrayLike<number>, share: number): number {
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

/** A part as a share of its base, and `NaN` (shown as n/a) where the base is zero or less: after ruin, no ratio has a meaning. */
export function over(part: number, base: number): number {
  return base > 0 ? part / base : Number.NaN;
}

/** The growth from one amount to another, as a share of the first. */
export function growth(from: number, to: number): number {
  return over(to, from) - 1;
}

/** The largest of any number of values (spreading into `Math.max` has a limit); `-Infinity` for an empty list. */
export function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

/** The smallest; `Infinity` for an empty list. */
export function smallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

/** Beyond this, the tail is smaller than the precision of a double near 0 and 1. */
const FAR = 8;

/**
 * The share of a standard normal distribution below `x`, in [0, 1], to some 1e-15: its Taylor series about zero
 * (Marsaglia 2004, "Evaluating the Normal Distribution").
 */
export function normalShare(x: number): number {
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
 * The probability that the true Sharpe ratio is above a benchmark, in [0, 1], from the number of returns, their skewness and their kurtosis
 * (Bailey and Lopez de Prado 2012, "The Sharpe Ratio Efficient Frontier"); `NaN` without any variation. The statistic of that name needs a
 * month of returns. A Sharpe ratio is printed from a week on, so it is uncertain at first.
 * @param benchmark a Sharpe ratio per return, not annualised.
 */
export function probabilisticSharpe(returns: readonly number[], benchmark = 0): number {
  const ratio = mean(returns) / deviation(returns);
  return normalShare(((ratio - benchmark) * Math.sqrt(returns.length - 1)) / sharpeSpread(returns));
}

/** The standard error of the Sharpe ratio of these returns, times the root of their number less one: 1 for a normal distribution about zero. */
export function sharpeSpread(returns: readonly number[]): number {
  const ratio = mean(returns) / deviation(returns);
  return Math.sqrt(1 - standardMoment(returns, 3) * ratio + ((standardMoment(returns, 4) - 1) / 4) * ratio ** 2);
}
