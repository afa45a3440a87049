import { type Curve, curveChart } from './curve-chart.ts';
import { byId, data } from './page.ts';
import { number } from './text.ts';

const percent = (value: number) => `${number(value, 1)} %`;
/** Of the windows, the shortest first. */
const COLOURS = ['accent', 'benchmark', 'buy'] as const;
const exactPercent = (value: number) => `${number(value, 2)} %`;

/** Equity and its benchmark over the fall from the peak; the exposure; the rolling Sharpe ratio and volatility: each where the page has it. */
export function drawCurves(): void {
  const { equity, rolling, currency } = data;
  if (equity !== undefined) {
    const { t, underwater, benchmark, benchmarkLabel = 'Benchmark', gross, net } = equity;
    const reach = Math.max(...equity.equity) - Math.min(...equity.equity);
    const money = (value: number) => number(value, reach < 20 ? 2 : 0);
    const start = equity.equity[0]!;
    draw('equity', t, [
      { label: 'Equity', values: equity.equity, shape: 'area', color: 'accent', format: money, unit: ` ${currency}`, level: start },
      ...(benchmark === undefined ? [] : [line(benchmarkLabel, benchmark, 'benchmark', money, ` ${currency}`, false)]),
      { label: 'Underwater', values: underwater, shape: 'under', color: 'loss', format: exactPercent, pane: 1 },
    ]);
    if (gross !== undefined) {
      draw('exposure', t, [
        { label: 'Gross', values: gross, shape: 'area', color: 'accent', format: percent, fromZero: true },
        ...(net === undefined ? [] : [{ ...line('Net', net, 'buy', percent, '', false), level: 0 }]),
      ]);
    }
  }
  if (rolling !== undefined) {
    const ratio = (value: number) => number(value, 2);
    draw('rolling', rolling.t, [
      ...rolling.windows.map(({ days, sharpe }, index) => ({
        ...line(`Sharpe ${days} d`, sharpe, COLOURS[index % COLOURS.length]!, ratio, '', index > 0),
        ...(index === 0 && { level: 0 }),
      })),
      ...rolling.windows.map(({ days, volatility }, index) => ({
        ...line(`Volatility ${days} d`, volatility, COLOURS[index % COLOURS.length]!, percent, '', index > 0),
        pane: 1,
      })),
    ]);
  }
}

function line(
  label: string,
  values: Curve['values'],
  color: Curve['color'],
  format: Curve['format'],
  unit: string,
  dashed: boolean,
): Curve {
  return { label, values, shape: 'line', color, format, unit, dashed };
}

function draw(name: string, times: readonly number[], curves: readonly Curve[]): void {
  const [element, legend] = [byId(`${name}-chart`), byId(`${name}-legend`)];
  if (element !== undefined && legend !== undefined && times.length > 0) curveChart(element, legend, times, curves);
}
