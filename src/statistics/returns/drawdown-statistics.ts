import { Decimal } from '../../model/decimal.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { AVERAGE_PLACES } from '../trades/trade.ts';
import { deviation, mean, worstMean } from './moments.ts';

/** A week and a month of daily returns, as for the ratios of returns. */
const SPREAD_SAMPLE = { count: 7, of: 'dailyReturns' } as const;
const SHAPE_SAMPLE = { count: 30, of: 'dailyReturns' } as const;

/** The deepest fall of equity from a peak, marked at every market event rather than at day ends. */
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
    meaning: 'How long that fall and the way back took.',
    formula: 'from the peak of the max drawdown to the first return to it, or to the end of the run',
    smallestSample: undefined,
    compute: ({ record: { drawdown, to } }) => (drawdown.depth > 0 ? (drawdown.recoveredTime ?? to) - drawdown.peakTime : null),
  },
  {
    key: 'maxDrawdownPeakTime',
    label: 'Max drawdown peak',
    group: 'drawdown',
    unit: 'time',
    meaning: 'When equity last stood at the peak before it.',
    formula: 'time of the peak that the max drawdown fell from',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? drawdown.peakTime : null),
  },
  {
    key: 'maxDrawdownTroughTime',
    label: 'Max drawdown trough',
    group: 'drawdown',
    unit: 'time',
    meaning: 'When equity was lowest.',
    formula: 'time of its lowest equity',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? drawdown.troughTime : null),
  },
  {
    key: 'maxDrawdownRecoveredTime',
    label: 'Max drawdown recovered',
    group: 'drawdown',
    unit: 'time',
    meaning: 'When equity was back.',
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
    meaning: 'What the equity stood at before it fell.',
    formula: 'equity at the peak of the max drawdown',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? toMoney(drawdown.peakEquity) : null),
  },
  {
    key: 'maxDrawdownTroughEquity',
    label: 'Max drawdown trough equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'What was left.',
    formula: 'equity at the trough of the max drawdown',
    smallestSample: undefined,
    compute: ({ record: { drawdown } }) => (drawdown.depth > 0 ? toMoney(drawdown.troughEquity) : null),
  },
  {
    key: 'recoveryFactor',
    label: 'Recovery factor',
    group: 'drawdown',
    unit: 'ratio',
    meaning: 'How often the net profit would pay for the max drawdown.',
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
    meaning: 'How deep and how long the drawdowns are together (Martin and McCann 1989).',
    formula: 'sqrt(mean(d^2)), where d is the last equity of a day / the highest of them so far (the starting equity included) - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => ulcerIndex(dailyDrawdowns(sample)),
  },
  {
    key: 'serenity',
    label: 'Serenity index',
    group: 'drawdown',
    unit: 'ratio',
    meaning: 'Return against the depth, the length and the worst of the drawdowns (KeyQuant; as jesse and quantstats).',
    formula: 'sum(r) / (ulcer index x pitfall), where pitfall = -CVaR 95 % of d / sd(r)',
    smallestSample: SHAPE_SAMPLE,
    compute: (sample) => serenity(sample),
  },
  {
    key: 'lowestEquity',
    label: 'Lowest equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'The least that the equity was at a point of its curve.',
    formula: 'smallest of the starting equity and the points of the equity curve',
    smallestSample: undefined,
    compute: ({ record }) => record.equity.reduce((least, { equity }) => Decimal.min(least, equity), record.startEquity).toFixed(),
  },
  {
    key: 'highestEquity',
    label: 'Highest equity',
    group: 'drawdown',
    unit: 'money',
    meaning: 'The most that it was.',
    formula: 'largest of the starting equity and the points of the equity curve',
    smallestSample: undefined,
    compute: ({ record }) => record.equity.reduce((most, { equity }) => Decimal.max(most, equity), record.startEquity).toFixed(),
  },
] as const satisfies readonly Statistic[];

/** Equity over every market event is followed in doubles; so many places of them are told. */
function toMoney(value: number): string {
  return new Decimal(value).toDecimalPlaces(AVERAGE_PLACES).toFixed();
}

/** Of each day's last equity: 0 at a peak, -0.25 a quarter below it. */
function dailyDrawdowns({ record }: Sample): number[] {
  let peak = record.startEquity.toNumber();
  return record.dayEquity.map((day) => {
    const equity = day.equity.toNumber();
    peak = Math.max(peak, equity);
    return equity / peak - 1;
  });
}

function ulcerIndex(drawdowns: readonly number[]): number {
  return Math.sqrt(mean(drawdowns.map((value) => value ** 2)));
}

function serenity(sample: Sample): number {
  const { dailyReturns } = sample;
  const drawdowns = dailyDrawdowns(sample);
  const pitfall = -worstMean(drawdowns, 0.05) / deviation(dailyReturns);
  return dailyReturns.reduce((sum, value) => sum + value, 0) / (ulcerIndex(drawdowns) * pitfall);
}
