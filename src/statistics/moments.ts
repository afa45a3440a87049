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
