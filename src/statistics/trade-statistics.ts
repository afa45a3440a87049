import { Decimal, ZERO } from '../model/decimal.ts';
import type { Statistic } from './statistic.ts';
import type { ClosedTrade } from './trade.ts';
import { netProfitOf, profitFactor, winRate } from './trade-ratios.ts';

/** Averages of money divide; they are given to this many decimal places. Sums and extremes are exact. */
const AVERAGE_PLACES = 8;
const ONE_TRADE = { count: 1, of: 'trades' } as const;

/** Statistics of closed trades; a win has a net profit above zero, a loss one below, zero is neither. */
export const TRADE_STATISTICS = [
  {
    key: 'trades',
    label: 'Trades',
    group: 'trade',
    unit: 'count',
    formula: 'closed trades: flat to flat per strategy, symbol and side',
    smallestSample: undefined,
    compute: ({ trades }) => trades.closed.length,
  },
  {
    key: 'openTrades',
    label: 'Open trades',
    group: 'trade',
    unit: 'count',
    formula: 'trades not yet flat at the end of the run; in none of the figures below',
    smallestSample: undefined,
    compute: ({ trades }) => trades.open.length,
  },
  {
    key: 'winRate',
    label: 'Win rate',
    group: 'trade',
    unit: 'share',
    formula: 'trades with net profit > 0 / trades',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => winRate(trades.closed) ?? null,
  },
  {
    key: 'profitFactor',
    label: 'Profit factor',
    group: 'trade',
    unit: 'ratio',
    formula: 'sum of net profits > 0 / |sum of net profits < 0|',
    smallestSample: { count: 1, of: 'losses' },
    compute: ({ trades }) => profitFactor(trades.closed) ?? null,
  },
  {
    key: 'expectancy',
    label: 'Expectancy',
    group: 'trade',
    unit: 'money',
    formula: 'sum of net profits / trades',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => average(trades.closed),
  },
  {
    key: 'averageWin',
    label: 'Average win',
    group: 'trade',
    unit: 'money',
    formula: 'mean of net profits > 0',
    smallestSample: { count: 1, of: 'wins' },
    compute: ({ wins }) => average(wins),
  },
  {
    key: 'averageLoss',
    label: 'Average loss',
    group: 'trade',
    unit: 'money',
    formula: 'mean of net profits < 0',
    smallestSample: { count: 1, of: 'losses' },
    compute: ({ losses }) => average(losses),
  },
  {
    key: 'largestWin',
    label: 'Largest win',
    group: 'trade',
    unit: 'money',
    formula: 'largest net profit > 0',
    smallestSample: { count: 1, of: 'wins' },
    compute: ({ wins }) => wins.reduce((most, trade) => Decimal.max(most, trade.netProfit), ZERO).toFixed(),
  },
  {
    key: 'largestLoss',
    label: 'Largest loss',
    group: 'trade',
    unit: 'money',
    formula: 'smallest net profit < 0',
    smallestSample: { count: 1, of: 'losses' },
    compute: ({ losses }) => losses.reduce((least, trade) => Decimal.min(least, trade.netProfit), ZERO).toFixed(),
  },
  {
    key: 'averageHoldingMs',
    label: 'Average holding time',
    group: 'trade',
    unit: 'duration',
    formula: 'mean of last exit - first entry',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => trades.closed.reduce((sum, trade) => sum + trade.holdingMs, 0) / trades.closed.length,
  },
] as const satisfies readonly Statistic[];

function average(trades: readonly ClosedTrade[]): string {
  return netProfitOf(trades).div(trades.length).toDecimalPlaces(AVERAGE_PLACES).toFixed();
}
