import type { PageReport, TradeDot } from '../../page-report.ts';
import type { DotColumns } from './page-data.ts';

/** The dots in the order in which the scatters draw them: those that lost, then those that gained. */
export function drawnDots(dots: readonly TradeDot[]): readonly [lost: readonly TradeDot[], gained: readonly TradeDot[]] {
  return [dots.filter(({ returnOnEntry }) => returnOnEntry < 0), dots.filter(({ returnOnEntry }) => returnOnEntry >= 0)];
}

/** What the page's script says of each dot; `undefined` where there is none, or the run's file does not tell whose they are. */
export function dotColumns({ dots }: Pick<PageReport, 'dots'>): DotColumns | undefined {
  const drawn = drawnDots(dots).flat();
  if (drawn.length === 0 || drawn.some(({ exitTime }) => exitTime === undefined)) return undefined;
  const names = drawn.map(({ symbol = '', side = '' }) => `${symbol} ${side}`);
  const known = [...new Set(names)];
  return {
    names: known,
    name: names.map((name) => known.indexOf(name)),
    t: drawn.map(({ exitTime = 0 }) => exitTime / 1000),
    held: drawn.map(({ holdingMs }) => holdingMs / 1000),
    gain: drawn.map(({ returnOnEntry }) => percent(returnOnEntry)),
    mae: drawn.map(({ maeShare }) => percent(maeShare)),
    mfe: drawn.map(({ mfeShare }) => percent(mfeShare)),
  };
}

function percent(share: number): number {
  return Math.round(share * 10_000) / 100 + 0;
}
