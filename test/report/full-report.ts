import type { ChartFill, ChartOrder, ChartPlot, PriceChart, RunReport } from '../../src/report/run-report.ts';
import { sampleReport } from './sample-report.ts';

const HOUR_MS = 3_600_000;

/** The sample report with all that a page can show: a benchmark, exposure on both sides, allocation, volumes, orders, findings. */
export function fullReport(options: Parameters<typeof sampleReport>[0] = {}): RunReport {
  const sample = sampleReport(options);
  const equity = sample.equity.map((point, index) => {
    const worth = point.equity.toNumber();
    return { ...point, exposure: worth * (index % 3), netExposure: worth * (index % 3) * (index % 2 === 0 ? 1 : -1) };
  });
  return {
    ...sample,
    equity,
    benchmark: { label: 'buy and hold', equity: equity.map((_, index) => 100_000 + index), dayEquity: [] },
    allocation: allocationOf(
      sample.charts.map(({ symbol }) => symbol),
      equity.map(({ time }) => time),
    ),
    charts: sample.charts.map((chart, index) => ({
      ...chart,
      plots: index === 0 ? plotsOf(chart) : [],
      bars: chart.bars.map((bar, index) => ({ ...bar, volume: 1 + (index % 9) })),
      orders: [...chart.fills].flatMap(ordersOf),
    })),
    findings: [
      {
        id: 'fees-above-gross',
        severity: 'warning',
        title: 'Fees take most of it',
        figures: { fees: '12', gross: '15' },
        advice: 'Trade less.',
      },
      { id: 'one-trade', severity: 'critical', title: 'One trade makes the profit', figures: { share: '81 %' }, advice: 'Leave it out.' },
      { id: 'few-trades', severity: 'info', title: 'Few trades', figures: {}, advice: 'Run longer.' },
    ],
  };
}

/** Points over the candles with a gap, two plots in a pane of their own, and one of values that are too long for a price scale. */
function plotsOf({ symbol, bars }: PriceChart): ChartPlot[] {
  const times = bars.map(({ time }) => time + 1);
  const plot = { strategyId: 's', symbol, times, whole: times.length };
  return [
    {
      ...plot,
      name: 'first',
      pane: 'price',
      style: 'points',
      color: 'gold',
      values: bars.map((_, at) => (at === 9 ? Number.NaN : bars[0]!.close)),
    },
    { ...plot, name: 'height', pane: 'heights', style: 'bars', color: 'red', values: bars.map(({ high, low }) => high - low) },
    {
      ...plot,
      name: 'limit',
      pane: 'heights',
      style: 'step',
      color: 'purple',
      values: bars.map((_, at) => 40 + 10 * (Math.floor(at / 200) % 3)),
    },
    { ...plot, name: 'wide', pane: 'wide', style: 'line', color: 'teal', values: bars.map((_, at) => (at % 2 === 0 ? 1.25e300 : -1e300)) },
  ];
}

/** A third of the equity in each symbol, and a short of the last one in every second hundred of points. */
function allocationOf(symbols: readonly string[], times: readonly number[]): NonNullable<RunReport['allocation']> {
  const shares = times.map((_, index) => (index % 200 < 100 ? 0.33 : -0.33));
  return {
    times,
    each: 1,
    curves: symbols.map((label, index) => ({ label, shares: index === symbols.length - 1 ? shares : times.map(() => 0.33) })),
    symbols: symbols.map((symbol) => ({ symbol, mean: 0.33, lowest: 0, highest: 0.33, last: 0.33, held: 1 })),
  };
}

/** A limit order that filled after two hours, and a stop that was moved once and canceled. */
function ordersOf({ time, side, price, quantity, tag }: ChartFill): ChartOrder[] {
  const common = { side, tag, size: String(quantity) } as const;
  return [
    { ...common, time: time - 2 * HOUR_MS, endTime: time, type: 'limit', price, stopPrice: undefined, state: 'filled', changes: [] },
    {
      ...common,
      ...{ time, endTime: time + 4 * HOUR_MS, type: 'stop', price: undefined, stopPrice: price * 0.98, state: 'canceled (requested)' },
      changes: [{ time: time + HOUR_MS, price: undefined, stopPrice: price * 0.99, size: String(quantity) }],
    },
  ];
}
