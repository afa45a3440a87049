import { largest, mean, quantile, smallest } from '../returns/moments.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { AVERAGE_PLACES, type ClosedTrade, netProfitOf, sumOf, winRate } from './trade.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;
const WINS = { count: 1, of: 'wins' } as const;
const LOSSES = { count: 1, of: 'losses' } as const;

/** What closed trades returned on what they were entered with. */
export const TRADE_RETURN_STATISTICS = [
  {
    key: 'averageReturn',
    label: 'Average return',
    group: 'trade',
    unit: 'share',
    meaning: 'What a trade returned on average on what it was entered with.',
    formula: 'mean of net profit / value of the entries',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => mean(trades.closed.map(({ returnOnEntry }) => returnOnEntry)),
  },
  {
    key: 'averageWinReturn',
    label: 'Average winning return',
    group: 'trade',
    unit: 'share',
    meaning: 'The same of winning trades.',
    formula: 'mean of net profit / value of the entries, where net profit > 0',
    smallestSample: WINS,
    compute: ({ wins }) => mean(wins.map(({ returnOnEntry }) => returnOnEntry)),
  },
  {
    key: 'averageLossReturn',
    label: 'Average losing return',
    group: 'trade',
    unit: 'share',
    meaning: 'The same of losing trades.',
    formula: 'mean of net profit / value of the entries, where net profit < 0',
    smallestSample: LOSSES,
    compute: ({ losses }) => mean(losses.map(({ returnOnEntry }) => returnOnEntry)),
  },
  {
    key: 'bestReturn',
    label: 'Best return',
    group: 'trade',
    unit: 'share',
    meaning: 'The trade that returned most.',
    formula: 'largest net profit / value of the entries',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => largest(trades.closed.map(({ returnOnEntry }) => returnOnEntry)),
  },
  {
    key: 'worstReturn',
    label: 'Worst return',
    group: 'trade',
    unit: 'share',
    meaning: 'The trade that returned least.',
    formula: 'smallest net profit / value of the entries',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => smallest(trades.closed.map(({ returnOnEntry }) => returnOnEntry)),
  },
  {
    key: 'averageEntryValue',
    label: 'Average entry value',
    group: 'trade',
    unit: 'money',
    meaning: 'What a trade was entered with on average.',
    formula: 'mean of price x quantity over the entries of a trade',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => sumOf(trades.closed, 'entryValue').div(trades.closed.length).toDecimalPlaces(AVERAGE_PLACES).toFixed(),
  },
  {
    key: 'expectedReturnPer100Trades',
    label: 'Expected return per 100 trades',
    group: 'trade',
    unit: 'share',
    meaning: 'What a hundred trades would bring at this expectancy, without compounding.',
    formula: '100 x expectancy / starting equity',
    smallestSample: ONE_TRADE,
    compute: ({ trades, record }) => netProfitOf(trades.closed).div(trades.closed.length).times(100).div(record.startEquity).toNumber(),
  },
] as const satisfies readonly Statistic[];

/** How long closed trades lasted: first entry to last exit. */
export const HOLDING_STATISTICS = [
  ...of('', '', 'trades', (sample) => sample.trades.closed),
  ...of('Win', 'winning ', 'wins', (sample) => sample.wins),
  ...of('Loss', 'losing ', 'losses', (sample) => sample.losses),
] as const;

function of<Which extends '' | 'Win' | 'Loss'>(
  which: Which,
  word: string,
  sampleOf: 'trades' | 'wins' | 'losses',
  take: (sample: Sample) => readonly ClosedTrade[],
) {
  const common = { group: 'holding', unit: 'duration', smallestSample: { count: 1, of: sampleOf } } as const;
  const durations = (sample: Sample) => take(sample).map(({ holdingMs }) => holdingMs);
  return [
    {
      ...common,
      key: `average${which}HoldingMs`,
      label: `Average ${word}holding time`,
      meaning: `How long a ${word}trade lasted on average.`,
      formula: `mean of last exit - first entry, of ${word}trades`,
      compute: (sample) => mean(durations(sample)),
    },
    {
      ...common,
      key: `median${which}HoldingMs`,
      label: `Median ${word}holding time`,
      meaning: `Half of the ${word}trades lasted longer.`,
      formula: `median of last exit - first entry, of ${word}trades`,
      compute: (sample) => quantile(durations(sample), 0.5),
    },
    {
      ...common,
      key: `min${which}HoldingMs`,
      label: `Shortest ${word}holding time`,
      meaning: `The ${word}trade that was over first.`,
      formula: `smallest last exit - first entry, of ${word}trades`,
      compute: (sample) => smallest(durations(sample)),
    },
    {
      ...common,
      key: `max${which}HoldingMs`,
      label: `Longest ${word}holding time`,
      meaning: `The ${word}trade that lasted longest.`,
      formula: `largest last exit - first entry, of ${word}trades`,
      compute: (sample) => largest(durations(sample)),
    },
  ] as const satisfies readonly Statistic[];
}

/** The long and the short side of a futures account, apart. */
export const SIDE_STATISTICS = [...ofSide('long', 'Long', 'longs'), ...ofSide('short', 'Short', 'shorts')] as const;

function ofSide<Side extends 'long' | 'short'>(side: Side, name: string, closed: 'longs' | 'shorts') {
  return [
    {
      key: `${side}Trades`,
      label: `${name} trades`,
      group: side,
      unit: 'count',
      meaning: 'How many trades of the side were closed.',
      formula: `closed trades of the ${side} side`,
      smallestSample: undefined,
      compute: (sample) => sample[closed].length,
    },
    {
      key: `${side}WinRate`,
      label: `${name} win rate`,
      group: side,
      unit: 'share',
      meaning: 'Share of them that won.',
      formula: `${side} trades with net profit > 0 / ${side} trades`,
      smallestSample: { count: 1, of: closed },
      compute: (sample) => winRate(sample[closed]) ?? null,
    },
    {
      key: `${side}NetProfit`,
      label: `${name} net profit`,
      group: side,
      unit: 'money',
      meaning: 'What they won together.',
      formula: `sum of the net profits of ${side} trades, fees and funding included`,
      smallestSample: undefined,
      compute: (sample) => netProfitOf(sample[closed]).toFixed(),
    },
    {
      key: `${side}Fees`,
      label: `${name} fees`,
      group: side,
      unit: 'money',
      meaning: 'What the side cost in fees.',
      formula: `sum of the fees of ${side} trades, those still open included`,
      smallestSample: undefined,
      compute: (sample) => sumOfSide(sample, side, 'fees'),
    },
    {
      key: `${side}Funding`,
      label: `${name} funding`,
      group: side,
      unit: 'money',
      meaning: 'What funding brought or cost on the side.',
      formula: `sum of the funding of ${side} trades, those still open included; negative: paid`,
      smallestSample: undefined,
      compute: (sample) => sumOfSide(sample, side, 'funding'),
    },
  ] as const satisfies readonly Statistic[];
}

/** Of all trades of the side, those still open included. */
function sumOfSide({ trades }: Sample, side: 'long' | 'short', figure: 'fees' | 'funding'): string {
  const own = [...trades.closed, ...trades.open].filter((trade) => trade.side === side);
  return sumOf(own, figure).toFixed();
}
