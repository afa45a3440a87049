import { Decimal } from '../../model/decimal.ts';
import type { RunRecord } from '../run-record.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { averageText } from '../trades/trade.ts';
import { deviation, growth, mean, RESOLUTION } from './moments.ts';

/** A week and a month of daily returns, as for the ratios of returns. */
const SPREAD_SAMPLE = { count: 7, of: 'dailyReturns' } as const;
const SHAPE_SAMPLE = { count: 30, of: 'dailyReturns' } as const;

/** The deepest drawdown of equity, measured at every market event rather than at day ends. */
export const DRAWDOWN_STATISTICS = [
  {
    key: 'maxDrawdown',
    label: 'Max drawdown',
    group: 'drawdown',
    unit: 'share',
    meaning: 'The deepest fall of equity below an earlier peak.',
    formula: 'largest (peak - equity) / peak, where peak is the highest equity so far, over every market event',
    smallestSample: undefined,
    compute: ({ record }) => record.drawdown.depth,
  },
  {
    key: 'maxDrawdownMs',
    label: 'Max drawdown length',
    group: 'drawdown',
    unit: 'duration',
    meaning: 'Duration of the max drawdown, recovery included.',
    formula: 'from the peak of the max drawdown to the first return to it, or to the end of the run',
    smallestSample: undefined,
    compute: ({ record: { drawdown, to } }) => (drawdown.depth > 0 ? (drawdown.recoveredTime ?? to) - drawdown.peakTime : null),
  },
  {
    key: 'maxDrawdownPeakTime',
    label: 'Max drawdown peak',
    group: 'drawdown',
    unit: 'time',
    meaning: 'Time of the peak before the max drawdown.',
    formula: 'time of the peak that the max drawdown fell from',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? drawdown.peakTime : null),
  },
  {
    key: 'maxDrawdownTroughTime',
    label: 'Max drawdown trough',
    group: 'drawdown',
    unit: 'time',
    meaning: 'Time of the lowest equity in the max drawdown.',
    formula: 'time of its lowest equity',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? drawdown.troughTime : null),
  },
  {
    key: 'maxDrawdownRecoveredTime',
    label: 'Max drawdown recovered',
    group: 'drawdown',
    unit: 'time',
    meaning: 'Time at which equity was back at the peak.',
    formula: 'time of the first market event back at its peak; n/a when the run ended below it',
    smallestSample: undefined,
    compute: ({ record }) => record.drawdown.recoveredTime ?? null,
  },
  {
    key: 'longestDrawdownMs',
    label: 'Longest drawdown',
    group: 'drawdown',
    unit: 'duration',
    meaning: 'The longest time below an earlier peak.',
    formula: 'longest time from a peak to the return to it, of any drawdown; one still open runs to the end of the run',
    smallestSample: undefined,
    compute: ({ record }) => record.drawdown.longestMs,
  },
  {
    key: 'maxDrawdownMoney',
    label: 'Max drawdown (money)',
    group: 'drawdown',
    unit: 'money',
    meaning: 'The max drawdown in money.',
    formula: 'equity at its peak - equity at its trough',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? toMoney(drawdown.peakEquity - drawdown.troughEquity) : '0'),
  },
  {
    key: 'maxDrawdownPeakEquity',
    label: 'Max drawdown peak equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'Equity before the max drawdown.',
    formula: 'equity at the peak of the max drawdown',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? toMoney(drawdown.peakEquity) : null),
  },
  {
    key: 'maxDrawdownTroughEquity',
    label: 'Max drawdown trough equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'Equity at the trough of the max drawdown.',
    formula: 'equity at the trough of the max drawdown',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? toMoney(drawdown.troughEquity) : null),
  },
  {
    key: 'recoveryFactor',
    label: 'Recovery factor',
    group: 'drawdown',
    unit: 'ratio',
    meaning: 'Net profit as a multiple of the max drawdown.',
    formula: 'net profit / max drawdown in money',
    smallestSample: undefined,
    compute: ({ record: { drawdown, startEquity, finalEquity } }) =>
      drawdown.depth > 0 ? finalEquity.minus(startEquity).toNumber() / (drawdown.peakEquity - drawdown.troughEquity) : null,
  },
  {
    key: 'ulcerIndex',
    label: 'Ulcer index',
    group: 'drawdown',
    unit: 'share',
    meaning: 'Depth and length of all drawdowns in one figure (Martin and McCann 1989).',
    formula:
      'sqrt(mean(d^2)), where d is the last equity of a day / the highest of them so far (the starting equity included) - 1; n/a if a day ended without equity',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => ulcerIndex(dailyDrawdowns(sample)),
  },
  {
    key: 'serenity',
    label: 'Serenity index',
    group: 'drawdown',
    unit: 'ratio',
    meaning: 'Return against the depth, the length and the worst of the drawdowns (KeyQuant; as quantstats 0.0.86).',
    formula:
      'sum(r) / (sqrt(sum(d^2) / (n - 1)) x pitfall), with d of the ulcer index; pitfall = (2.0627 x sd(d) - mean(d)) / sd(r), where 2.0627 is the mean of the worst twentieth of a normal distribution',
    smallestSample: SHAPE_SAMPLE,
    compute: (sample) => serenity(sample),
  },
  {
    key: 'drawdowns',
    label: 'Drawdowns',
    group: 'drawdown',
    unit: 'count',
    meaning: 'Number of falls of equity below an earlier peak.',
    formula: 'falls below the highest point so far of the equity curve; each lasts until a point is back at its peak',
    smallestSample: undefined,
    compute: ({ record }) => drawdownPeriods(record).length,
  },
  {
    key: 'averageDrawdown',
    label: 'Average drawdown',
    group: 'drawdown',
    unit: 'share',
    meaning: 'Mean depth of all drawdowns (as quantstats).',
    formula: 'mean of (peak - lowest point) / peak, over all drawdowns of the equity curve',
    smallestSample: undefined,
    compute: ({ record }) => mean(drawdownPeriods(record).map(({ depth }) => depth)),
  },
  {
    key: 'averageDrawdownMs',
    label: 'Average drawdown length',
    group: 'drawdown',
    unit: 'duration',
    meaning: 'Mean duration of all drawdowns, recovery included.',
    formula: 'mean time from the peak to the point back at it (or to the last point), over all drawdowns of the equity curve',
    smallestSample: undefined,
    compute: ({ record }) => mean(drawdownPeriods(record).map(({ lengthMs }) => lengthMs)),
  },
  {
    key: 'ruinTime',
    label: 'Equity at zero',
    group: 'drawdown',
    unit: 'time',
    meaning: 'Time at which equity was zero or less for the first time; later ratios of equity are n/a.',
    formula: 'time of the first market event, or point of the equity curve, with equity <= 0',
    smallestSample: undefined,
    compute: ({ record }) => record.ruin?.time ?? null,
  },
  {
    key: 'lowestEquity',
    label: 'Lowest equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'Lowest equity at a point of the equity curve.',
    formula: 'smallest of the starting equity and the points of the equity curve',
    smallestSample: undefined,
    compute: ({ record }) => record.equity.reduce((least, { equity }) => Decimal.min(least, equity), record.startEquity).toFixed(),
  },
  {
    key: 'highestEquity',
    label: 'Highest equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'Highest equity at a point of the equity curve.',
    formula: 'largest of the starting equity and the points of the equity curve',
    smallestSample: undefined,
    compute: ({ record }) => record.equity.reduce((most, { equity }) => Decimal.max(most, equity), record.startEquity).toFixed(),
  },
] as const satisfies readonly Statistic[];

/** One fall of the equity curve below an earlier peak. Times are those of points of the curve. */
export interface DrawdownPeriod {
  /** Share of the peak lost at the lowest point; above 1 where equity went below zero. */
  readonly depth: number;
  /** Epoch ms of the peak and of the lowest point. */
  readonly peakTime: number;
  readonly troughTime: number;
  /** The first point back at the peak; null where the run ended below it. */
  readonly recoveredTime: number | null;
  /** From the peak to the recovery, or to the last point. */
  readonly lengthMs: number;
}

type CurveRecord = Pick<RunRecord, 'from' | 'startEquity' | 'equity'>;

/** Every drawdown of the equity curve, in order of time. The first peak is the starting equity; none without a positive peak. */
export function drawdownPeriods({ from, startEquity, equity }: CurveRecord): DrawdownPeriod[] {
  const periods: DrawdownPeriod[] = [];
  let [peak, peakTime] = [startEquity.toNumber(), from];
  let [lowest, troughTime] = [peak, from];
  const close = (time: number, recoveredTime: number | null) => {
    if (peak > 0 && (peak - lowest) / peak > RESOLUTION)
      periods.push({ depth: (peak - lowest) / peak, peakTime, troughTime, recoveredTime, lengthMs: time - peakTime });
  };
  for (const { time, equity: worth } of equity) {
    const value = worth.toNumber();
    if (value >= peak - RESOLUTION * Math.abs(peak)) {
      close(time, time);
      [peak, peakTime] = [Math.max(peak, value), time];
      lowest = peak;
    } else if (value < lowest) [lowest, troughTime] = [value, time];
  }
  const last = equity.at(-1);
  if (last !== undefined) close(last.time, null);
  return periods;
}

/** The deepest drawdowns, the deepest first. */
export function worstDrawdowns(record: CurveRecord, count = 10): DrawdownPeriod[] {
  return drawdownPeriods(record)
    .sort((a, b) => b.depth - a.depth)
    .slice(0, count);
}

/** Equity at every market event is a double; this many of its decimal places are shown. */
function toMoney(value: number): string {
  return averageText(new Decimal(value));
}

/** Drawdown of each day's last equity: 0 at a peak, -0.25 a quarter below it. */
function dailyDrawdowns({ record }: Sample): number[] {
  let peak = record.startEquity.toNumber();
  return record.dayEquity.map((day) => {
    const equity = day.equity.toNumber();
    peak = Math.max(peak, equity);
    if (equity <= 0) return Number.NaN;
    const fall = growth(peak, equity);
    return fall >= -RESOLUTION ? 0 : fall;
  });
}

function ulcerIndex(drawdowns: readonly number[]): number {
  return Math.sqrt(mean(drawdowns.map((value) => value ** 2)));
}

/** The mean of the worst 5 % of a normal distribution, in deviations below its mean. */
const NORMAL_TAIL = 2.0627128075074257;

function serenity(sample: Sample): number {
  const { dailyReturns } = sample;
  const drawdowns = dailyDrawdowns(sample);
  const pitfall = (NORMAL_TAIL * deviation(drawdowns) - mean(drawdowns)) / deviation(dailyReturns);
  const squares = drawdowns.reduce((sum, value) => sum + value ** 2, 0);
  return dailyReturns.reduce((sum, value) => sum + value, 0) / (Math.sqrt(squares / (drawdowns.length - 1)) * pitfall);
}
