/** Lanczos' approximation with g = 7 and nine terms (Godfrey 2001), good to some 15 digits. */
const LANCZOS = [
  0.999_999_999_999_809_93, 676.520_368_121_885_1, -1_259.139_216_722_402_8, 771.323_428_777_653_13, -176.615_029_162_140_6,
  12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_571_6e-6, 1.505_632_735_149_311_6e-7,
];

/** The logarithm of the gamma function, of x above 0.5. */
function logGamma(x: number): number {
  let sum = LANCZOS[0]!;
  for (let term = 1; term < LANCZOS.length; term++) sum += LANCZOS[term]! / (x - 1 + term);
  const base = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
}

/** The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, 6.4). */
function betaFraction(x: number, a: number, b: number): number {
  const least = 1e-300;
  const away = (value: number) => (Math.abs(value) < least ? least : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    product *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    product *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return product;
}

/** The regularised incomplete beta function. */
function betaShare(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** The probability that a value of Student's distribution is at least this far from zero, on either side. */
export function studentBeyond(t: number, freedom: number): number {
  return betaShare(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** The distance from zero that a value of Student's distribution exceeds with this probability, on either side. */
export function studentDistance(probability: number, freedom: number): number {
  if (probability >= 1) return 0;
  let [low, high] = [0, 1];
  while (studentBeyond(high, freedom) > probability) [low, high] = [high, 2 * high];
  // Bisection: as many steps as a double has digits, and no derivative that could mislead in the tail.
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (studentBeyond(middle, freedom) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
