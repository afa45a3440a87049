import { describe, expect, test } from '@jest/globals';
import type { Plot } from '../../src/ports/plots.ts';
import { pageColumns } from '../../src/report/html/page-columns.ts';
import { PAGE_LIMITS, pageReport } from '../../src/report/page-report.ts';
import { PlotCurves, plotOnCandles } from '../../src/report/plot-curves.ts';
import { runReport } from './builders.ts';

const GAP = Number.NaN;
const MINUTE = 60_000;
const plot = (more: Partial<Plot> = {}): Plot => ({
  ...{ strategyId: 's', symbol: 'BTC-USDT', name: 'x', pane: 'price', style: 'line', color: undefined, ...more },
});

/** One curve of these values, at these times. */
function curve(of: Plot, points: readonly (readonly [time: number, value: number])[]) {
  const curves = new PlotCurves();
  for (const [time, value] of points) curves.point(of, time, value);
  return curves.of(of.symbol)[0]!;
}
const candles = (...times: number[]) => times.map((time) => ({ time, open: 1, high: 1, low: 1, close: 1 }));

describe('a curve', () => {
  test('has the last value of each time', () => {
    const { times, values, whole } = curve(plot(), [
      [1000, 1],
      [1000, 2],
      [2000, 3],
    ]);
    expect([times, values, whole]).toEqual([[1000, 2000], [2, 3], 2]);
  });

  test('belongs to its symbol, and is absent if it has only gaps', () => {
    const curves = new PlotCurves();
    curves.point(plot(), 1, 1);
    curves.point(plot({ symbol: 'ETH-USDT' }), 1, GAP);
    expect(curves.of('BTC-USDT')).toHaveLength(1);
    expect(curves.of('ETH-USDT')).toEqual([]);
  });

  test('with too many values keeps the last of each longer interval, and of bars the largest', () => {
    const points = Array.from({ length: 20_000 }, (_, index) => [(index + 1) * MINUTE, index === 7 ? -9 : index % 5] as const);
    const line = curve(plot(), points);
    expect(line.whole).toBe(20_000);
    expect(line.times.length).toBeLessThanOrEqual(10_000);
    // Intervals of 5 minutes with their ends: minutes 1 to 5, of which the last has (5 - 1) % 5.
    expect(line.times.slice(0, 2)).toEqual([5 * MINUTE, 10 * MINUTE]);
    expect(line.values.slice(0, 2)).toEqual([4, 4]);
    expect(curve(plot({ style: 'bars' }), points).values.slice(0, 3)).toEqual([4, -9, 4]);
  });
});

describe('on candles', () => {
  test('a value at the close of a bar is drawn on this bar, and one within a bar too', () => {
    const line = curve(plot(), [
      [MINUTE, 1],
      [MINUTE + 1, 2],
      [3 * MINUTE, 3],
    ]);
    expect(plotOnCandles(line, candles(0, MINUTE, 2 * MINUTE), 100)).toMatchObject({ candles: [0, 1, 2], values: [1, 2, 3] });
  });

  test('values before the first candle are on it, and those of a pause on the candle before', () => {
    const line = curve(plot(), [
      [-MINUTE, 1],
      [5 * MINUTE, 2],
      [20 * MINUTE, 3],
    ]);
    expect(plotOnCandles(line, candles(0, MINUTE, 10 * MINUTE), 100)).toMatchObject({ candles: [0, 1, 2], values: [1, 2, 3] });
  });

  test('of several values on a candle the last one is drawn, and the largest of bars', () => {
    const points = [
      [10_000, 1],
      [20_000, -5],
      [30_000, 2],
    ] as const;
    expect(plotOnCandles(curve(plot(), points), candles(0), 100).values).toEqual([2]);
    expect(plotOnCandles(curve(plot({ style: 'bars' }), points), candles(0), 100).values).toEqual([-5]);
  });

  test('gaps are null and survive thinning, and so do peaks and troughs', () => {
    const points = Array.from({ length: 1_000 }, (_, index) => {
      const value = index === 400 ? GAP : index === 123 ? 99 : index === 777 ? -99 : index % 3;
      return [(index + 1) * MINUTE, value] as const;
    });
    const bars = candles(...points.map(([time]) => time - MINUTE));
    const { candles: at, values } = plotOnCandles(curve(plot(), points), bars, 50);
    expect(at.length).toBeLessThanOrEqual(53);
    expect(at).toEqual(expect.arrayContaining([0, 123, 400, 777, 999]));
    expect([123, 400, 777].map((candle) => values[at.indexOf(candle)])).toEqual([99, null, -99]);
  });
});

describe('on the page', () => {
  const chart = (plots: readonly Plot[], count = 3) => ({
    ...{ symbol: 'BTC-USDT', bars: candles(...Array.from({ length: count }, (_, index) => index * MINUTE)), intervalMs: MINUTE, fills: [] },
    plots: plots.map((one) =>
      curve(
        one,
        Array.from({ length: count }, (_, index) => [(index + 1) * MINUTE, 0.0123456789 * (index + 1)]),
      ),
    ),
  });
  const columnsOf = (plots: readonly Plot[]) => pageColumns(pageReport(runReport({ charts: [chart(plots)] }))).charts[0]!;

  test('plots have their colour or the next free one, and the decimals of their values', () => {
    const { plots, note } = columnsOf([plot({ name: 'a', pane: 'own' }), plot({ name: 'b', color: 'red' }), plot({ name: 'c' })]);
    expect(plots!.map(({ label, color }) => `${label} ${color}`)).toEqual(['a benchmark', 'b loss', 'c sell']);
    // Four digits of 0.037...; a plot over the candles has the decimals of the prices.
    expect(plots!.map(({ places }) => places)).toEqual([5, 0, 0]);
    expect(note).toContain('3 plots of 9 values.');
  });

  test.each([
    [1e12, null],
    [-9.99e11, 0],
    [9.9e-6, null],
    [1e-5, 8],
    [0, 0],
  ])('a plot of %d in a pane of its own has %d decimal places, or null for an exponent', (value, places) => {
    const one = { ...chart([]), plots: [curve(plot({ pane: 'own' }), [[MINUTE, value]])] };
    expect(pageColumns(pageReport(runReport({ charts: [one] }))).charts[0]!.plots![0]!.places).toBe(places);
  });

  test('they name their strategy where several strategies plot for a symbol', () => {
    expect(columnsOf([plot(), plot({ strategyId: 't' })]).plots!.map(({ label }) => label)).toEqual(['s x', 't x']);
  });

  test('a page without plots has no data of them, and no box to hide them', () => {
    expect(columnsOf([])).not.toHaveProperty('plots');
  });

  test('all plots of a page share its limit', () => {
    const page = pageReport(
      runReport({
        charts: [
          chart(
            Array.from({ length: 32 }, (_, index) => plot({ name: `p${index}` })),
            4_000,
          ),
        ],
      }),
    );
    const drawn = page.charts[0]!.plots!.reduce((count, { values }) => count + values.length, 0);
    expect(drawn).toBeLessThanOrEqual(PAGE_LIMITS.plots);
    expect(page.charts[0]!.plots![0]!.whole).toBe(4_000);
  });
});
