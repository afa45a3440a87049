import type { EquitySamplePoint } from '../../statistics/comparison/compared-run.ts';
import type { SeriesPicture } from '../html/page/page-data.ts';
import { thinExtremes } from '../thin-extremes.ts';

/** More than a screen has columns. */
const POINTS = 4_000;

interface Both {
  /** Epoch seconds. */
  readonly t: number;
  readonly a: number;
  readonly b: number;
}

/** The equities of two runs over one another, and how much more the second has: two pictures, or none where a run has no equity. */
export function equityPictures(a: readonly EquitySamplePoint[], b: readonly EquitySamplePoint[]): SeriesPicture[] {
  if (a.length === 0 || b.length === 0) return [];
  const points = thinExtremes(merged(a, b), POINTS, [(point) => point.a, (point) => point.b, (point) => point.b - point.a]);
  const t = points.map((point) => point.t);
  const stepSeconds = Math.max(1, (t.at(-1)! - t[0]!) / Math.max(1, t.length - 1));
  const lines = (['a', 'b'] as const).map((name) => ({
    label: `equity of ${name.toUpperCase()}`,
    values: points.map((point) => point[name]),
  }));
  const more = { label: 'B less A', values: points.map((point) => Number((point.b - point.a).toFixed(8))) };
  return [
    { places: 2, t, stepSeconds, lines },
    { places: 2, t, stepSeconds, lines: [more] },
  ];
}

/** A point at each second at which either has one; the other stands as it last stood, before its first point as it began. */
function merged(a: readonly EquitySamplePoint[], b: readonly EquitySamplePoint[]): Both[] {
  const [byA, byB] = [bySecond(a), bySecond(b)];
  const times = [...new Set([...byA.keys(), ...byB.keys()])].sort((one, other) => one - other);
  let [lastA, lastB] = [a[0]!.equity.toNumber(), b[0]!.equity.toNumber()];
  return times.map((t) => {
    lastA = byA.get(t) ?? lastA;
    lastB = byB.get(t) ?? lastB;
    return { t, a: lastA, b: lastB };
  });
}

function bySecond(points: readonly EquitySamplePoint[]): Map<number, number> {
  return new Map(points.map(({ time, equity }) => [Math.floor(time / 1_000), equity.toNumber()]));
}
