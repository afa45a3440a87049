import { largest, mean, smallest } from '../returns/moments.ts';
import type { Statistic } from '../statistic.ts';
import { AVERAGE_PLACES, netProfitOf, sumOf } from './trade-ratios.ts';

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
