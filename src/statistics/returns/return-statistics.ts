import { ZERO } from '../../model/decimal.ts';
import { worthOf } from '../run-record.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { AVERAGE_PLACES, netProfitOf } from '../trades/trade.ts';
import { covariance, deviation, mean } from './moments.ts';

/** A week: fewer daily returns say nothing of their spread. */
const SPREAD_SAMPLE = { count: 7, of: 'dailyReturns' } as const;
/** A month: fewer days annualised are an exponent, not a figure. */
const ANNUAL_SAMPLE = { count: 30, of: 'dailyReturns' } as const;

/** Statistics of the daily returns r1..rn; A is the number of days a year (`annualDays`). */
export const RETURN_STATISTICS = [
  {
    key: 'startEquity',
    label: 'Starting equity',
    group: 'return',
    unit: 'money',
    meaning: 'What the run began with.',
    formula: 'equity before the first market event',
    smallestSample: undefined,
    compute: ({ record }) => record.startEquity.toFixed(),
  },
  {
    key: 'finalEquity',
    label: 'Final equity',
    group: 'return',
    unit: 'money',
    meaning: 'What it ended with.',
    formula: 'equity after the last market event, open positions at their last price, futures at their mark price',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.toFixed(),
  },
  {
    key: 'totalReturn',
    label: 'Total return',
    group: 'return',
    unit: 'share',
    meaning: 'What the run gained, as a share of what it began with.',
    formula: 'final equity / starting equity - 1',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.div(record.startEquity).minus(1).toNumber(),
  },
  {
    key: 'cagr',
    label: 'CAGR',
    group: 'return',
    unit: 'share',
    meaning: 'The yearly growth that compounds to the return of the run.',
    formula: '((1 + r1) x ... x (1 + rn)) ^ (A / n) - 1',
    smallestSample: ANNUAL_SAMPLE,
    compute: (sample) => cagr(sample),
  },
  {
    key: 'annualVolatility',
    label: 'Volatility (annual)',
    group: 'return',
    unit: 'share',
    meaning: 'How widely the daily returns spread, per year.',
    formula: 'sd(r) x sqrt(A), where sd divides by n - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ dailyReturns, record }) => deviation(dailyReturns) * Math.sqrt(record.annualDays),
  },
  {
    key: 'sharpe',
    label: 'Sharpe ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'Mean return per unit of volatility, annualised (Sharpe 1994).',
    formula: 'mean(r) / sd(r) x sqrt(A), where sd divides by n - 1; riskless rate 0',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sharpe(sample),
  },
  {
    key: 'sortino',
    label: 'Sortino ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'Mean return per unit of downside deviation, annualised (Sortino and Price 1994).',
    formula: 'mean(r) x A / (sqrt(mean(min(r, 0)^2)) x sqrt(A)); the mean square is over all n days',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sortino(sample),
  },
  {
    key: 'calmar',
    label: 'Calmar ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'Yearly growth per unit of max drawdown (Young 1991).',
    formula: 'CAGR / max drawdown',
    smallestSample: ANNUAL_SAMPLE,
    compute: (sample) => cagr(sample) / sample.record.drawdown.depth,
  },
  {
    key: 'netProfit',
    label: 'Net profit',
    group: 'return',
    unit: 'money',
    meaning: 'What the run gained in money: closed trades, open ones and all costs.',
    formula: 'final equity - starting equity',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.minus(record.startEquity).toFixed(),
  },
  {
    key: 'profitBeforeCosts',
    label: 'Profit before costs',
    group: 'return',
    unit: 'money',
    meaning: 'What the run would have gained if trading and holding had cost nothing, all else equal.',
    formula: 'net profit + fees + what holding futures cost',
    smallestSample: undefined,
    compute: (sample) => profitBeforeCosts(sample),
  },
  {
    key: 'openProfit',
    label: 'Open profit',
    group: 'return',
    unit: 'money',
    meaning: 'What the equity gained beyond the closed trades: open trades and what closed ones left.',
    formula: 'net profit - sum of the net profits of closed trades',
    smallestSample: undefined,
    compute: ({ record, trades }) => record.finalEquity.minus(record.startEquity).minus(netProfitOf(trades.closed)).toFixed(),
  },
  {
    key: 'averageDailyProfit',
    label: 'Average daily profit',
    group: 'return',
    unit: 'money',
    meaning: 'What a day brought on average.',
    formula: 'net profit / n',
    smallestSample: { count: 1, of: 'dailyReturns' },
    compute: ({ record, dailyReturns }) =>
      record.finalEquity.minus(record.startEquity).div(dailyReturns.length).toDecimalPlaces(AVERAGE_PLACES).toFixed(),
  },
  {
    key: 'annualVariance',
    label: 'Variance (annual)',
    group: 'return',
    unit: 'ratio',
    meaning: 'The square of the annual volatility.',
    formula: 'sd(r)^2 x A',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ dailyReturns, record }) => deviation(dailyReturns) ** 2 * record.annualDays,
  },
  {
    key: 'smartSharpe',
    label: 'Smart Sharpe ratio',
    group: 'return',
    unit: 'ratio',
    meaning: "Sharpe ratio made smaller where a day's return tells of the next one's (Lopez de Prado; as quantstats and jesse).",
    formula: 'sharpe / p, where p = sqrt(1 + 2 x sum over x = 1..n-1 of (n - x) / n x |correlation of r1..rn-1 with r2..rn|^x)',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sharpe(sample) / autocorrelationPenalty(sample.dailyReturns),
  },
  {
    key: 'smartSortino',
    label: 'Smart Sortino ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'Sortino ratio made smaller in the same way.',
    formula: 'sortino / p',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sortino(sample) / autocorrelationPenalty(sample.dailyReturns),
  },
] as const satisfies readonly Statistic[];

function cagr({ dailyReturns, record }: Sample): number {
  const growth = dailyReturns.reduce((product, dayReturn) => product * (1 + dayReturn), 1);
  return growth ** (record.annualDays / dailyReturns.length) - 1;
}

function sharpe({ dailyReturns, record }: Sample): number {
  return (mean(dailyReturns) / deviation(dailyReturns)) * Math.sqrt(record.annualDays);
}

function sortino({ dailyReturns, record }: Sample): number {
  return (mean(dailyReturns) * record.annualDays) / downsideRisk(dailyReturns, record.annualDays);
}

/** At least 1: how much the spread of many days is more than that of one times the root of their number. */
function autocorrelationPenalty(values: readonly number[]): number {
  const n = values.length;
  const [earlier, later] = [values.slice(0, -1), values.slice(1)];
  const correlation = Math.abs(covariance(earlier, later) / (deviation(earlier) * deviation(later)));
  let sum = 0;
  for (let lag = 1; lag < n; lag++) sum += ((n - lag) / n) * correlation ** lag;
  return Math.sqrt(1 + 2 * sum);
}

function profitBeforeCosts({ record }: Sample): string {
  const { futures, rates } = record;
  const funding = (futures?.funding ?? []).reduce((sum, { charged }) => sum.plus(worthOf(charged.amount, rates.get(charged))), ZERO);
  return record.finalEquity.minus(record.startEquity).plus(record.totalFees).minus(funding).toFixed();
}

/** Annualised root mean square of the negative returns, the others counting as zero. */
function downsideRisk(values: readonly number[], annualDays: number): number {
  return Math.sqrt(mean(values.map((value) => Math.min(value, 0) ** 2))) * Math.sqrt(annualDays);
}
