/** Beyond this the tail is less than a double can tell from 0 and 1. */
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
