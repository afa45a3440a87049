import { ratioOf } from '../../model/decimal.ts';
import { deviation, downside, errorOf, mean } from '../returns/moments.ts';
import type { Statistic } from '../statistic.ts';
import { averageText } from './trade.ts';
import type { TradeGroup } from './trade-groups.ts';

const ONE_TRADE = { count: 1, of: 'trades' } as const;

const WINS = { count: 1, of: 'wins' } as const;

const LOSSES = { count: 1, of: 'losses' } as const;

/** Fewer trades do not show their spread; Van Tharp requires as many. */
const SPREAD_SAMPLE = { count: 30, of: 'trades' } as const;

/** Statistics of closed trades; a win has a net profit above zero, a loss one below, zero is neither. */
export const TRADE_STATISTICS = [
  {
    key: 'trades',
    label: 'Trades',
    group: 'trade',
    unit: 'count',
    meaning: 'Number of closed trades.',
    formula: 'closed trades per strategy, symbol and side, by `report.trades`: flat to flat by default',
    smallestSample: undefined,
    compute: ({ all }) => all.length,
  },
  {
    key: 'openTrades',
    label: 'Open trades',
    group: 'trade',
    unit: 'count',
    meaning: 'Number of trades still open at the end.',
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
    compute: ({ all, wins }) => wins.length / all.length,
  },
  {
    key: 'profitFactor',
    label: 'Profit factor',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Sum of wins divided by sum of losses.',
    formula: 'sum of net profits > 0 / |sum of net profits < 0|',
    smallestSample: LOSSES,
    compute: ({ wins, losses }) => ratioOf(wins.netProfit, losses.netProfit.neg()),
    error: 'profitFactorError',
  },
  {
    key: 'profitFactorError',
    label: 'Standard error of the profit factor',
    group: 'trade',
    unit: 'ratio',
    meaning: 'How far the profit factor of so many trades may be from that of the strategy.',
    formula: 'sd(m) / sqrt(trades), where m = (max(p, 0) - f x max(-p, 0)) / mean(max(-p, 0)), p = net profit and f = profit factor',
    smallestSample: LOSSES,
    compute: ({ profits }) => profitFactorError(profits),
  },
  {
    key: 'expectancy',
    label: 'Expectancy',
    group: 'trade',
    unit: 'money',
    meaning: 'Average net profit of a trade.',
    formula: 'sum of net profits / trades',
    smallestSample: ONE_TRADE,
    compute: ({ all }) => average(all),
  },
  {
    key: 'averageWin',
    label: 'Average win',
    group: 'trade',
    unit: 'money',
    meaning: 'Average net profit of a winning trade.',
    formula: 'mean of net profits > 0',
    smallestSample: WINS,
    compute: ({ wins }) => average(wins),
  },
  {
    key: 'averageLoss',
    label: 'Average loss',
    group: 'trade',
    unit: 'money',
    meaning: 'Average net profit of a losing trade (negative).',
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
    compute: ({ wins }) => wins.mostProfit.toFixed(),
  },
  {
    key: 'largestLoss',
    label: 'Largest loss',
    group: 'trade',
    unit: 'money',
    meaning: 'The worst trade, in money.',
    formula: 'smallest net profit < 0',
    smallestSample: LOSSES,
    compute: ({ losses }) => losses.leastProfit.toFixed(),
  },
  {
    key: 'wins',
    label: 'Winning trades',
    group: 'trade',
    unit: 'count',
    meaning: 'Number of winning trades.',
    formula: 'trades with net profit > 0',
    smallestSample: undefined,
    compute: ({ wins }) => wins.length,
  },
  {
    key: 'losses',
    label: 'Losing trades',
    group: 'trade',
    unit: 'count',
    meaning: 'Number of losing trades.',
    formula: 'trades with net profit < 0',
    smallestSample: undefined,
    compute: ({ losses }) => losses.length,
  },
  {
    key: 'draws',
    label: 'Drawn trades',
    group: 'trade',
    unit: 'count',
    meaning: 'Number of trades with a net profit of zero.',
    formula: 'trades with net profit = 0',
    smallestSample: undefined,
    compute: ({ all, wins, losses }) => all.length - wins.length - losses.length,
  },
  {
    key: 'lossRate',
    label: 'Loss rate',
    group: 'trade',
    unit: 'share',
    meaning: 'Share of trades that lost.',
    formula: 'trades with net profit < 0 / trades',
    smallestSample: ONE_TRADE,
    compute: ({ all, losses }) => losses.length / all.length,
  },
  {
    key: 'payoffRatio',
    label: 'Payoff ratio',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Average win relative to average loss.',
    formula: 'average win / |average loss|',
    smallestSample: LOSSES,
    compute: ({ wins, losses }) => (wins.length === 0 ? null : payoff(wins, losses)),
  },
  {
    key: 'kelly',
    label: 'Kelly fraction',
    group: 'trade',
    unit: 'share',
    meaning: 'Share of the equity to risk per trade for the fastest growth (Kelly 1956; as quantstats). Below 0 there is no edge.',
    formula: 'w - (1 - w) / payoff ratio, where w = wins / (wins + losses)',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ wins, losses }) => kelly(wins, losses),
  },
  {
    key: 'expectancyRatio',
    label: 'Expectancy ratio',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Average net profit of a trade per unit of the average loss.',
    formula: 'win rate x payoff ratio - loss rate',
    smallestSample: LOSSES,
    compute: ({ all, wins, losses }) => ((wins.length === 0 ? 0 : wins.length * payoff(wins, losses)) - losses.length) / all.length,
  },
  {
    key: 'grossProfit',
    label: 'Gross profit',
    group: 'trade',
    unit: 'money',
    meaning: 'Total net profit of winning trades.',
    formula: 'sum of net profits > 0',
    smallestSample: undefined,
    compute: ({ wins }) => wins.netProfit.toFixed(),
  },
  {
    key: 'grossLoss',
    label: 'Gross loss',
    group: 'trade',
    unit: 'money',
    meaning: 'Total net profit of losing trades (negative).',
    formula: 'sum of net profits < 0',
    smallestSample: undefined,
    compute: ({ losses }) => losses.netProfit.toFixed(),
  },
] as const satisfies readonly Statistic[];

/** How evenly the closed trades won, in order of exit. */
export const CONSISTENCY_STATISTICS = [
  {
    key: 'sqn',
    label: 'SQN',
    group: 'trade',
    unit: 'ratio',
    meaning: 'System quality number: how certain it is that the average trade wins (Van Tharp; not capped at 100 trades).',
    formula: 'sqrt(trades) x mean(net profit) / sd(net profit), where sd divides by trades - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ profits }) => (Math.sqrt(profits.length) * mean(profits)) / deviation(profits),
  },
  {
    key: 'profitDeviation',
    label: 'Deviation of profits',
    group: 'trade',
    unit: 'ratio',
    meaning: "Standard deviation of the net profits of trades, in the run's currency.",
    formula: 'sd(net profit), where sd divides by trades - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ profits }) => deviation(profits),
  },
  {
    key: 'profitDownsideDeviation',
    label: 'Downside deviation of profits',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Deviation of losses only; other trades count as zero.',
    formula: 'sqrt(mean(min(net profit, 0)^2)) over all trades',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ profits }) => downside(profits),
  },
  {
    key: 'tradeSharpe',
    label: 'Sharpe ratio of trades',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Mean net profit per unit of its deviation; not annualised.',
    formula: 'mean(net profit) / sd(net profit)',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ profits }) => mean(profits) / deviation(profits),
  },
  {
    key: 'tradeSortino',
    label: 'Sortino ratio of trades',
    group: 'trade',
    unit: 'ratio',
    meaning: 'Mean net profit per unit of its downside deviation; not annualised.',
    formula: 'mean(net profit) / downside deviation of profits',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ profits }) => mean(profits) / downside(profits),
  },
  {
    key: 'maxConsecutiveWins',
    label: 'Longest winning streak',
    group: 'trade',
    unit: 'count',
    meaning: 'Most wins in a row.',
    formula: 'most consecutive trades with net profit > 0, by exit',
    smallestSample: undefined,
    compute: ({ profits }) => streaks(profits).wins,
  },
  {
    key: 'maxConsecutiveLosses',
    label: 'Longest losing streak',
    group: 'trade',
    unit: 'count',
    meaning: 'Most losses in a row.',
    formula: 'most consecutive trades with net profit < 0, by exit',
    smallestSample: undefined,
    compute: ({ profits }) => streaks(profits).losses,
  },
  {
    key: 'currentStreak',
    label: 'Last streak',
    group: 'trade',
    unit: 'count',
    meaning: 'Streak at the end of the run: positive for wins, negative for losses.',
    formula: 'consecutive wins (or losses, negative) up to the last trade; 0 when it was neither',
    smallestSample: ONE_TRADE,
    compute: ({ profits }) => streaks(profits).last,
  },
] as const satisfies readonly Statistic[];

function average({ netProfit, length }: TradeGroup): string {
  return averageText(netProfit.div(length));
}

/** The error by the influence of each trade on the quotient of the two means. */
function profitFactorError(profits: Float64Array): number {
  // One list for all three: there may be a million trades.
  const values = new Float64Array(profits.length);
  const valuesOf = (partOf: (profit: number) => number) => {
    for (let at = 0; at < values.length; at++) values[at] = partOf(profits[at]!);
    return values;
  };
  const won = mean(valuesOf((profit) => Math.max(profit, 0)));
  const lost = mean(valuesOf((profit) => Math.max(-profit, 0)));
  return errorOf(valuesOf((profit) => (Math.max(profit, 0) - (won / lost) * Math.max(-profit, 0)) / lost));
}

/** The groups must not be empty. */
function payoff(wins: TradeGroup, losses: TradeGroup): number {
  return wins.netProfit.div(wins.length).div(losses.netProfit.neg().div(losses.length)).toNumber();
}

/** `NaN` without a win or without a loss. */
function kelly(wins: TradeGroup, losses: TradeGroup): number {
  if (wins.length === 0 || losses.length === 0) return Number.NaN;
  const share = wins.length / (wins.length + losses.length);
  return share - (1 - share) / payoff(wins, losses);
}

/** The longest streaks of wins and of losses, and the last streak: n wins in a row, -n losses in a row, 0 after neither. */
function streaks(profits: Float64Array): { readonly wins: number; readonly losses: number; readonly last: number } {
  let [streak, wins, losses] = [0, 0, 0];
  for (const profit of profits) {
    const sign = Math.sign(profit);
    streak = sign === 0 || Math.sign(streak) !== sign ? sign : streak + sign;
    wins = Math.max(wins, streak);
    losses = Math.max(losses, -streak);
  }
  return { wins, losses, last: streak };
}
