import { Decimal, ZERO } from '../../model/decimal.ts';
import { deviation, largest, mean, smallest } from '../returns/moments.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { AVERAGE_PLACES, type ClosedTrade, netProfitOf, profitFactor, winRate } from './trade.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;

const WINS = { count: 1, of: 'wins' } as const;

const LOSSES = { count: 1, of: 'losses' } as const;

/** Fewer trades say nothing of how much they differ; Van Tharp asks for as many. */
const SPREAD_SAMPLE = { count: 30, of: 'trades' } as const;

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

function average(trades: readonly ClosedTrade[]): string {
  return netProfitOf(trades).div(trades.length).toDecimalPlaces(AVERAGE_PLACES).toFixed();
}

/** Of samples that are not empty. */
function payoff(wins: readonly ClosedTrade[], losses: readonly ClosedTrade[]): number {
  return netProfitOf(wins).div(wins.length).div(netProfitOf(losses).neg().div(losses.length)).toNumber();
}

function profits({ trades }: Sample): number[] {
  return trades.closed.map(({ netProfit }) => netProfit.toNumber());
}

function downside(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => Math.min(value, 0) ** 2)));
}

/** The streak that each trade ends so far, in order of exit: n after n wins in a row, -n after n losses, 0 after neither. */
function streaks(trades: readonly ClosedTrade[]): number[] {
  let streak = 0;
  return trades.map(({ netProfit }) => {
    const sign = netProfit.isZero() ? 0 : netProfit.isNegative() ? -1 : 1;
    streak = sign === 0 || Math.sign(streak) !== sign ? sign : streak + sign;
    return streak;
  });
}
