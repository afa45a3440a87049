import { type Decimal, ratioOf } from '../../model/decimal.ts';
import type { Statistic } from '../statistic.ts';
import { averageText } from './trade.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;

/** The worst (MAE) and the best (MFE) unrealised result of closed trades before they ended (Sweeney 1996), without fees and funding. */
export const EXCURSION_STATISTICS = [
  {
    key: 'averageMae',
    label: 'Average MAE',
    group: 'excursion',
    unit: 'money',
    meaning: 'Average of the worst open result of a trade.',
    formula: 'mean of the worst open result, at most 0',
    smallestSample: ONE_TRADE,
    compute: ({ all, excursions }) => averageOf(excursions.mae, all.length),
  },
  {
    key: 'largestMae',
    label: 'Largest MAE',
    group: 'excursion',
    unit: 'money',
    meaning: 'Worst open result of any trade.',
    formula: 'smallest worst open result',
    smallestSample: ONE_TRADE,
    compute: ({ excursions }) => excursions.leastMae.toFixed(),
  },
  {
    key: 'averageMfe',
    label: 'Average MFE',
    group: 'excursion',
    unit: 'money',
    meaning: 'Average of the best open result of a trade.',
    formula: 'mean of the best open result, at least 0',
    smallestSample: ONE_TRADE,
    compute: ({ all, excursions }) => averageOf(excursions.mfe, all.length),
  },
  {
    key: 'largestMfe',
    label: 'Largest MFE',
    group: 'excursion',
    unit: 'money',
    meaning: 'Best open result of any trade.',
    formula: 'largest best open result',
    smallestSample: ONE_TRADE,
    compute: ({ excursions }) => excursions.mostMfe.toFixed(),
  },
  {
    key: 'averageGivenBack',
    label: 'Average given back',
    group: 'excursion',
    unit: 'money',
    meaning: 'Average amount that a trade lost from its best result until its end.',
    formula: 'mean of MFE - profit before costs',
    smallestSample: ONE_TRADE,
    compute: ({ all, excursions }) => averageOf(excursions.givenBack, all.length),
  },
  {
    key: 'largestGivenBack',
    label: 'Largest given back',
    group: 'excursion',
    unit: 'money',
    meaning: 'Largest amount that a trade lost from its best result until its end.',
    formula: 'largest MFE - profit before costs',
    smallestSample: ONE_TRADE,
    compute: ({ excursions }) => excursions.mostGivenBack.toFixed(),
  },
  {
    key: 'closedTradeDrawdown',
    label: 'Closed trade drawdown',
    group: 'excursion',
    unit: 'money',
    meaning: 'The deepest fall of the sum of closed trades.',
    formula: 'largest (highest so far - now) of the running sum of net profits, by exit',
    smallestSample: ONE_TRADE,
    compute: ({ falls }) => falls.deepest.toFixed(),
  },
  {
    key: 'intraTradeDrawdown',
    label: 'Intra-trade drawdown',
    group: 'excursion',
    unit: 'money',
    meaning: 'The same, with the worst open result of each trade included.',
    formula: 'largest (highest so far - (sum before the trade + its MAE)) of the running sum of net profits, by exit',
    smallestSample: ONE_TRADE,
    compute: ({ falls }) => falls.deepestInside.toFixed(),
  },
  {
    key: 'closedTradeDrawdownMs',
    label: 'Closed trade drawdown length',
    group: 'excursion',
    unit: 'duration',
    meaning: 'The longest time between two peaks of the sum of closed trades.',
    formula: 'longest from the exit at a peak of the running sum to the next exit at or above it, or to the last exit',
    smallestSample: ONE_TRADE,
    compute: ({ falls }) => falls.longestMs,
  },
  {
    key: 'profitToClosedTradeDrawdown',
    label: 'Profit to closed trade drawdown',
    group: 'excursion',
    unit: 'ratio',
    meaning: 'Net profit of closed trades per unit of their deepest fall.',
    formula: 'sum of net profits / closed trade drawdown',
    smallestSample: ONE_TRADE,
    compute: ({ all, falls }) => ratioOf(all.netProfit, falls.deepest),
  },
] as const satisfies readonly Statistic[];

function averageOf(sum: Decimal, count: number): string {
  return averageText(sum.div(count));
}
