import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Statistic } from '../statistic.ts';
import { AVERAGE_PLACES, type ClosedTrade, netProfitOf, profitFactor, winRate } from './trade.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;
const WINS = { count: 1, of: 'wins' } as const;
const LOSSES = { count: 1, of: 'losses' } as const;

/** Statistics of closed trades; a win has a net profit above zero, a loss one below, zero is neither. */
export const TRADE_STATISTICS = [
  {
    key: 'trades',
    label: 'Trades',
    group: 'trade',
    unit: 'count',
    meaning: 'How many trades were closed.',
    formula: 'closed trades: flat to flat per strategy, symbol and side',
    smallestSample: undefined,
    compute: ({ trades }) => trades.closed.length,
  },
  {
    key: 'openTrades',
    label: 'Open trades',
    group: 'trade',
    unit: 'count',
    meaning: 'How many were not.',
    formula: 'trades not yet flat at the end of the run; in none of the figures below',
    smallestSample: undefined,
    compute: ({ trades }) => trades.open.length,
  },
  {
    key: 'winRate',
    label: 'Win rate',
    group: 'trade',
    unit: 'share',
    meaning: 'Share of trades that won.',
    formula: 'trades with net profit > 0 / trades',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => winRate(trades.closed) ?? null,
  },
  {
    key: 'profitFactor',
    label: 'Profit factor',
    group: 'trade',
    unit: 'ratio',
    meaning: 'What was won for each unit lost.',
    formula: 'sum of net profits > 0 / |sum of net profits < 0|',
    smallestSample: LOSSES,
    compute: ({ trades }) => profitFactor(trades.closed) ?? null,
  },
  {
    key: 'expectancy',
    label: 'Expectancy',
    group: 'trade',
    unit: 'money',
    meaning: 'What a trade won on average.',
    formula: 'sum of net profits / trades',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => average(trades.closed),
  },
  {
    key: 'averageWin',
    label: 'Average win',
    group: 'trade',
    unit: 'money',
    meaning: 'What a winning trade won on average.',
    formula: 'mean of net profits > 0',
    smallestSample: WINS,
    compute: ({ wins }) => average(wins),
  },
  {
    key: 'averageLoss',
    label: 'Average loss',
    group: 'trade',
    unit: 'money',
    meaning: 'What a losing trade lost on average.',
    formula: 'mean of net profits < 0',
    smallestSample: LOSSES,
    compute: ({ losses }) => average(losses),
  },
  {
    key: 'largestWin',
    label: 'Largest win',
    group: 'trade',
    unit: 'money',
    meaning: 'The best trade, in money.',
    formula: 'largest net profit > 0',
    smallestSample: WINS,
    compute: ({ wins }) => wins.reduce((most, trade) => Decimal.max(most, trade.netProfit), ZERO).toFixed(),
  },
  {
    key: 'largestLoss',
    label: 'Largest loss',
    group: 'trade',
    unit: 'money',
    meaning: 'The worst trade, in money.',
    formula: 'smallest net profit < 0',
    smallestSample: LOSSES,
    compute: ({ losses }) => losses.reduce((least, trade) => Decimal.min(least, trade.netProfit), ZERO).toFixed(),
  },
  {
    key: 'wins',
    label: 'Winning trades',
    group: 'trade',
    unit: 'count',
    meaning: 'How many trades won.',
    formula: 'trades with net profit > 0',
    smallestSample: undefined,
    compute: ({ wins }) => wins.length,
  },
  {
    key: 'losses',
    label: 'Losing trades',
    group: 'trade',
    unit: 'count',
    meaning: 'How many lost.',
    formula: 'trades with net profit < 0',
    smallestSample: undefined,
    compute: ({ losses }) => losses.length,
  },
  {
    key: 'draws',
    label: 'Drawn trades',
    group: 'trade',
    unit: 'count',
    meaning: 'How many did neither.',
    formula: 'trades with net profit = 0',
    smallestSample: undefined,
    compute: ({ trades, wins, losses }) => trades.closed.length - wins.length - losses.length,
  },
  {
    key: 'lossRate',
    label: 'Loss rate',
    group: 'trade',
    unit: 'share',
    meaning: 'Share of trades that lost.',
    formula: 'trades with net profit < 0 / trades',
    smallestSample: ONE_TRADE,
    compute: ({ trades, losses }) => losses.length / trades.closed.length,
  },
  {
    key: 'payoffRatio',
    label: 'Payoff ratio',
    group: 'trade',
    unit: 'ratio',
    meaning: 'How large an average win is against an average loss.',
    formula: 'average win / |average loss|',
    smallestSample: LOSSES,
    compute: ({ wins, losses }) => (wins.length === 0 ? null : payoff(wins, losses)),
  },
  {
    key: 'expectancyRatio',
    label: 'Expectancy ratio',
    group: 'trade',
    unit: 'ratio',
    meaning: 'What a trade won on average for each unit that a losing one lost.',
    formula: 'win rate x payoff ratio - loss rate',
    smallestSample: LOSSES,
    compute: ({ trades, wins, losses }) =>
      ((wins.length === 0 ? 0 : wins.length * payoff(wins, losses)) - losses.length) / trades.closed.length,
  },
  {
    key: 'grossProfit',
    label: 'Gross profit',
    group: 'trade',
    unit: 'money',
    meaning: 'What the winning trades won together.',
    formula: 'sum of net profits > 0',
    smallestSample: undefined,
    compute: ({ wins }) => netProfitOf(wins).toFixed(),
  },
  {
    key: 'grossLoss',
    label: 'Gross loss',
    group: 'trade',
    unit: 'money',
    meaning: 'What the losing trades lost together.',
    formula: 'sum of net profits < 0',
    smallestSample: undefined,
    compute: ({ losses }) => netProfitOf(losses).toFixed(),
  },
] as const satisfies readonly Statistic[];

function average(trades: readonly ClosedTrade[]): string {
  return netProfitOf(trades).div(trades.length).toDecimalPlaces(AVERAGE_PLACES).toFixed();
}

/** Of samples that are not empty. */
function payoff(wins: readonly ClosedTrade[], losses: readonly ClosedTrade[]): number {
  return netProfitOf(wins).div(wins.length).div(netProfitOf(losses).neg().div(losses.length)).toNumber();
}
