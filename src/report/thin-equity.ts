import type { EquityPoint } from '../statistics/run-record.ts';

/**
 * At most `limit` points of an equity curve, evenly spaced as it is: each stands for a stretch of it, with
 * the last equity and the deepest drawdown there, so that no fall is lost. Shorter curves stay as they are.
 */
export function thinEquity(points: readonly EquityPoint[], limit: number): readonly EquityPoint[] {
  if (points.length <= limit) return points;
  const stretch = Math.ceil(points.length / limit);
  return Array.from({ length: Math.ceil(points.length / stretch) }, (_, index) => {
    const part = points.slice(index * stretch, (index + 1) * stretch);
    return { ...part.at(-1)!, drawdown: Math.max(...part.map((point) => point.drawdown)) };
  });
}
