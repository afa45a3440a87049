import type { Sample, Statistic } from '../statistic.ts';
import { streaks } from '../trades/streaks.ts';
import { deviation, largest, mean, smallest } from './moments.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;
/** Fewer trades say nothing of how much they differ; Van Tharp asks for as many. */
const SPREAD_SAMPLE = { count: 30, of: 'trades' } as const;

/** How evenly the closed trades won, in their order of exit. */
export const CONSISTENCY_STATISTICS = [
  {
    key: 'sqn',
    label: 'SQN',
    group: 'trade',
    unit: 'ratio',
    meaning: 'System quality number: how surely the average trade wins (Van Tharp; not capped at 100 trades).',
    formula: 'sqrt(trades) x mean(net profit) / sd(net profit), where sd divides by trades - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => (Math.sqrt(profits(sample).length) * mean(profits(sample))) / deviation(profits(sample)),
  },
  {
    key: 'profitDeviation',
    label: 'Deviation of profits',
    group: 'trade',
    unit: 'ratio',
    meaning: "How widely the net profits of trades spread, in the run's currency.",
    formula: 'sd(net profit), where sd divides by trades - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => deviation(profits(sample)),
  },
  {
    key: 'profitDownsideDeviation',
    label: 'Downside deviation of profits',
    group: 'trade',
    unit: 'ratio',
    meaning: 'The same of losses alone, those that did not lose counting as zero.',
    formula: 'sqrt(mean(min(net profit, 0)^2)) over all trades',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => downside(profits(sample)),
  },
  {
    key: 'tradeSharpe',
    label: 'Sharpe ratio of trades',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Mean net profit per unit of its deviation; not annualised.',
    formula: 'mean(net profit) / sd(net profit)',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => mean(profits(sample)) / deviation(profits(sample)),
  },
  {
    key: 'tradeSortino',
    label: 'Sortino ratio of trades',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Mean net profit per unit of its downside deviation; not annualised.',
    formula: 'mean(net profit) / downside deviation of profits',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => mean(profits(sample)) / downside(profits(sample)),
  },
  {
    key: 'maxConsecutiveWins',
    label: 'Longest winning streak',
    group: 'trade',
    unit: 'count',
    meaning: 'Most wins in a row.',
    formula: 'most consecutive trades with net profit > 0, by exit',
    smallestSample: undefined,
    compute: ({ trades }) => Math.max(0, largest(streaks(trades.closed))),
  },
  {
    key: 'maxConsecutiveLosses',
    label: 'Longest losing streak',
    group: 'trade',
    unit: 'count',
    meaning: 'Most losses in a row.',
    formula: 'most consecutive trades with net profit < 0, by exit',
    smallestSample: undefined,
    compute: ({ trades }) => Math.max(0, -smallest(streaks(trades.closed))),
  },
  {
    key: 'currentStreak',
    label: 'Last streak',
    group: 'trade',
    unit: 'count',
    meaning: 'The streak at the end: wins above zero, losses below.',
    formula: 'consecutive wins (or losses, negative) up to the last trade; 0 when it was neither',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => streaks(trades.closed).at(-1) ?? 0,
  },
] as const satisfies readonly Statistic[];

function profits({ trades }: Sample): number[] {
  return trades.closed.map(({ netProfit }) => netProfit.toNumber());
}

function downside(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => Math.min(value, 0) ** 2)));
}
