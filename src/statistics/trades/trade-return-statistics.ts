import type { Sample, Statistic } from '../statistic.ts';
import { averageText, sumOf } from './trade.ts';
import type { TradeGroup } from './trade-groups.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;
const WINS = { count: 1, of: 'wins' } as const;
const LOSSES = { count: 1, of: 'losses' } as const;

/** Returns of closed trades on the value of their entries. */
export const TRADE_RETURN_STATISTICS = [
  {
    key: 'averageReturn',
    label: 'Average return',
    group: 'trade',
    unit: 'share',
    meaning: 'Average return of a trade on the value of its entries.',
    formula: 'mean of net profit / value of the entries',
    smallestSample: ONE_TRADE,
    compute: ({ all }) => all.meanReturn,
  },
  {
    key: 'averageWinReturn',
    label: 'Average winning return',
    group: 'trade',
    unit: 'share',
    meaning: 'Average return of a winning trade.',
    formula: 'mean of net profit / value of the entries, where net profit > 0',
    smallestSample: WINS,
    compute: ({ wins }) => wins.meanReturn,
  },
  {
    key: 'averageLossReturn',
    label: 'Average losing return',
    group: 'trade',
    unit: 'share',
    meaning: 'Average return of a losing trade.',
    formula: 'mean of net profit / value of the entries, where net profit < 0',
    smallestSample: LOSSES,
    compute: ({ losses }) => losses.meanReturn,
  },
  {
    key: 'bestReturn',
    label: 'Best return',
    group: 'trade',
    unit: 'share',
    meaning: 'Highest return of a trade.',
    formula: 'largest net profit / value of the entries',
    smallestSample: ONE_TRADE,
    compute: ({ all }) => all.mostReturn,
  },
  {
    key: 'worstReturn',
    label: 'Worst return',
    group: 'trade',
    unit: 'share',
    meaning: 'Lowest return of a trade.',
    formula: 'smallest net profit / value of the entries',
    smallestSample: ONE_TRADE,
    compute: ({ all }) => all.leastReturn,
  },
  {
    key: 'averageEntryValue',
    label: 'Average entry value',
    group: 'trade',
    unit: 'money',
    meaning: 'Average value of the entries of a trade.',
    formula: 'mean of price x quantity over the entries of a trade',
    smallestSample: ONE_TRADE,
    compute: ({ all }) => averageText(all.entryValue.div(all.length)),
  },
  {
    key: 'expectedReturnPer100Trades',
    label: 'Expected return per 100 trades',
    group: 'trade',
    unit: 'share',
    meaning: 'Return of a hundred trades at this expectancy, without compounding.',
    formula: '100 x expectancy / starting equity',
    smallestSample: ONE_TRADE,
    compute: ({ all, record }) => all.netProfit.div(all.length).times(100).div(record.startEquity).toNumber(),
  },
] as const satisfies readonly Statistic[];

/** Duration of closed trades: first entry to last exit. */
export const HOLDING_STATISTICS = [
  ...of('', '', 'trades', (sample) => sample.all),
  ...of('Win', 'winning ', 'wins', (sample) => sample.wins),
  ...of('Loss', 'losing ', 'losses', (sample) => sample.losses),
] as const;

function of<Which extends '' | 'Win' | 'Loss'>(
  which: Which,
  word: string,
  sampleOf: 'trades' | 'wins' | 'losses',
  take: (sample: Sample) => TradeGroup,
) {
  const common = { group: 'holding', unit: 'duration', smallestSample: { count: 1, of: sampleOf } } as const;
  return [
    {
      ...common,
      key: `average${which}HoldingMs`,
      label: `Average ${word}holding time`,
      meaning: `How long a ${word}trade lasted on average.`,
      formula: `mean of last exit - first entry, of ${word}trades`,
      compute: (sample) => take(sample).meanHoldingMs,
    },
    {
      ...common,
      key: `median${which}HoldingMs`,
      label: `Median ${word}holding time`,
      meaning: `Half of the ${word}trades lasted longer.`,
      formula: `median of last exit - first entry, of ${word}trades`,
      compute: (sample) => take(sample).medianHoldingMs,
    },
    {
      ...common,
      key: `min${which}HoldingMs`,
      label: `Shortest ${word}holding time`,
      meaning: `The ${word}trade that was over first.`,
      formula: `smallest last exit - first entry, of ${word}trades`,
      compute: (sample) => take(sample).leastHoldingMs,
    },
    {
      ...common,
      key: `max${which}HoldingMs`,
      label: `Longest ${word}holding time`,
      meaning: `The ${word}trade that lasted longest.`,
      formula: `largest last exit - first entry, of ${word}trades`,
      compute: (sample) => take(sample).mostHoldingMs,
    },
  ] as const satisfies readonly Statistic[];
}

/** The long and the short side of a futures account, separately. */
export const SIDE_STATISTICS = [...ofSide('long', 'Long', 'longs'), ...ofSide('short', 'Short', 'shorts')] as const;

function ofSide<Side extends 'long' | 'short'>(side: Side, name: string, closed: 'longs' | 'shorts') {
  return [
    {
      key: `${side}Trades`,
      label: `${name} trades`,
      group: side,
      unit: 'count',
      meaning: 'Number of closed trades of this side.',
      formula: `closed trades of the ${side} side`,
      smallestSample: undefined,
      compute: (sample) => sample[closed].length,
    },
    {
      key: `${side}WinRate`,
      label: `${name} win rate`,
      group: side,
      unit: 'share',
      meaning: 'Share of these trades that won.',
      formula: `${side} trades with net profit > 0 / ${side} trades`,
      smallestSample: { count: 1, of: closed },
      compute: (sample) => sample[`${side}Wins`] / sample[closed].length,
    },
    {
      key: `${side}NetProfit`,
      label: `${name} net profit`,
      group: side,
      unit: 'money',
      meaning: 'Total net profit of these trades.',
      formula: `sum of the net profits of ${side} trades, fees and funding included`,
      smallestSample: undefined,
      compute: (sample) => sample[closed].netProfit.toFixed(),
    },
    {
      key: `${side}Fees`,
      label: `${name} fees`,
      group: side,
      unit: 'money',
      meaning: 'Fees of this side.',
      formula: `sum of the fees of ${side} trades, those still open included`,
      smallestSample: undefined,
      compute: (sample) => sumOfSide(sample, side, 'fees'),
    },
    {
      key: `${side}Funding`,
      label: `${name} funding`,
      group: side,
      unit: 'money',
      meaning: 'Funding received less paid on this side.',
      formula: `sum of the funding of ${side} trades, those still open included; negative: paid`,
      smallestSample: undefined,
      compute: (sample) => sumOfSide(sample, side, 'funding'),
    },
  ] as const satisfies readonly Statistic[];
}

/** For all trades of the side, those still open included. */
function sumOfSide(sample: Sample, side: 'long' | 'short', figure: 'fees' | 'funding'): string {
  const open = sample.trades.open.filter((trade) => trade.side === side);
  return sample[`${side}s`][figure].plus(sumOf(open, figure)).toFixed();
}
