/** Steps of 1, 2, 2.5 or 5 times a power of ten, so that about `count` of them span the range. */
export function niceStep(range: number, count: number): number {
  const rough = range / Math.max(1, count);
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DURATIONS = [
  ...[1, 5, 10, 30].flatMap((count) => [count * SECOND, count * 60 * SECOND]),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 28, 56, 91, 182, 364].map((count) => count * DAY),
].sort((a, b) => a - b);

/** The same for durations in ms: seconds, minutes, hours and days that people count in. */
export function niceDuration(range: number, count: number): number {
  const rough = range / Math.max(1, count);
  return DURATIONS.find((step) => step >= rough) ?? niceStep(rough / (364 * DAY), 1) * 364 * DAY;
}

/** Multiples of `step` within [from, to]. */
export function ticksBetween(from: number, to: number, step: number): number[] {
  const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

/** Percent of a share with as many decimals as the step of its axis needs: `2.5 %` of 0.025. */
export function percentTick(value: number, step: number): string {
  const places = Math.max(0, Math.min(4, -Math.floor(Math.log10(step * 100) + 1e-9)));
  const fine = Math.abs(step * 100 * 10 ** places - Math.round(step * 100 * 10 ** places)) > 1e-6 ? places + 1 : places;
  return `${(value * 100)
    .toFixed(fine)
    .replace(/^-(0(\.0+)?)$/, '$1')
    .replace('-', '\u2212')} %`;
}
