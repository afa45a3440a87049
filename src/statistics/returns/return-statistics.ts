import { ZERO } from '../../model/decimal.ts';
import { type RunRecord, worthOf } from '../run-record.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { averageText } from '../trades/trade.ts';
import { covariance, deviation, downside, errorOf, growth, mean, over, standardMoment } from './moments.ts';
import { YEAR_MS } from './trading-calendar.ts';

/** A week: fewer daily returns do not show their spread. */
const SPREAD_SAMPLE = { count: 7, of: 'dailyReturns' } as const;
/** A month: an annual figure from fewer days says nothing. */
const ANNUAL_SAMPLE = { count: 30, of: 'dailyReturns' } as const;

/** Statistics of the daily returns r1..rn; A is the number of daily returns a year (`annualDays`). */
export const RETURN_STATISTICS = [
  {
    key: 'startEquity',
    label: 'Starting equity',
    group: 'return',
    unit: 'money',
    meaning: 'Equity at the start of the run.',
    formula: 'equity before the first market event',
    smallestSample: undefined,
    compute: ({ record }) => record.startEquity.toFixed(),
  },
  {
    key: 'finalEquity',
    label: 'Final equity',
    group: 'return',
    unit: 'money',
    meaning: 'Equity at the end of the run.',
    formula: 'equity after the last market event, open positions at their last price, futures at their mark price',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.toFixed(),
  },
  {
    key: 'totalReturn',
    label: 'Total return',
    group: 'return',
    unit: 'share',
    meaning: 'Gain of the run as a share of its starting equity.',
    formula: 'final equity / starting equity - 1',
    smallestSample: undefined,
    compute: ({ record }) => totalReturn(record),
  },
  {
    key: 'cagr',
    label: 'CAGR',
    group: 'return',
    unit: 'share',
    meaning: 'The yearly growth that compounds to the return of the run.',
    formula: '(final equity / starting equity) ^ (1 / years) - 1, where years = (last - first market event) / 365.25 days',
    smallestSample: ANNUAL_SAMPLE,
    compute: ({ record }) => cagr(record),
  },
  {
    key: 'annualDays',
    label: 'Days a year',
    group: 'return',
    unit: 'count',
    meaning: 'A, the number of daily returns a year, for volatility and ratios.',
    formula:
      '`report.annualDays`, or from the data: 365 with prices on all weekdays, 260 for FX, 252 for stocks, fewer for longer bars; 365 for less than 30 days',
    smallestSample: undefined,
    compute: ({ record }) => record.annualDays,
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
    error: 'sharpeError',
  },
  {
    key: 'sharpeError',
    label: 'Standard error of the Sharpe ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'How far the Sharpe ratio of so few days may be from that of the strategy (Lo 2002, Mertens 2002).',
    formula: 'sqrt((1 - skew x s + (kurtosis + 2) / 4 x s^2) / n) x sqrt(A), where s = mean(r) / sd(r); about sqrt(A / n) where s is small',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sharpeError(sample),
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
    error: 'sortinoError',
  },
  {
    key: 'sortinoError',
    label: 'Standard error of the Sortino ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'How far the Sortino ratio of so few days may be from that of the strategy.',
    formula: 'sd(m) / sqrt(n) x sqrt(A), where m = r / d - mean(r) / 2 x min(r, 0)^2 / d^3 and d = sqrt(mean(min(r, 0)^2))',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sortinoError(sample),
  },
  {
    key: 'calmar',
    label: 'Calmar ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'Yearly growth per unit of max drawdown (Young 1991).',
    formula: 'CAGR / max drawdown',
    smallestSample: ANNUAL_SAMPLE,
    compute: ({ record }) => over(cagr(record), record.drawdown.depth),
  },
  {
    key: 'netProfit',
    label: 'Net profit',
    group: 'return',
    unit: 'money',
    meaning: 'Gain of the run in money: closed and open trades, less all costs.',
    formula: 'final equity - starting equity',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.minus(record.startEquity).toFixed(),
  },
  {
    key: 'profitBeforeCosts',
    label: 'Profit before costs',
    group: 'return',
    unit: 'money',
    meaning: 'Gain of the run without fees and funding, all else equal.',
    formula: 'net profit + fees + what holding futures cost',
    smallestSample: undefined,
    compute: (sample) => profitBeforeCosts(sample),
  },
  {
    key: 'profitOutsideTrades',
    label: 'Profit outside closed trades',
    group: 'return',
    unit: 'money',
    meaning: 'Gain that is in no closed trade: of open trades, of coins that the account started with, of remainders.',
    formula: 'net profit - sum of the net profits of closed trades',
    smallestSample: undefined,
    compute: ({ record, all }) => record.finalEquity.minus(record.startEquity).minus(all.netProfit).toFixed(),
  },
  {
    key: 'averageDailyProfit',
    label: 'Average daily profit',
    group: 'return',
    unit: 'money',
    meaning: 'Average profit per day.',
    formula: 'net profit / n',
    smallestSample: { count: 1, of: 'dailyReturns' },
    compute: ({ record, dailyReturns }) => averageText(record.finalEquity.minus(record.startEquity).div(dailyReturns.length)),
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
    meaning: 'Sharpe ratio, reduced if the return of a day predicts that of the next (Lopez de Prado; as quantstats and jesse).',
    formula: 'sharpe / p, where p = sqrt(1 + 2 x sum over x = 1..n-1 of (n - x) / n x |correlation of r1..rn-1 with r2..rn|^x)',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sharpe(sample) / autocorrelationPenalty(sample.dailyReturns),
  },
  {
    key: 'smartSortino',
    label: 'Smart Sortino ratio',
    group: 'return',
    unit: 'ratio',
    meaning: 'Sortino ratio, reduced in the same way.',
    formula: 'sortino / p',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => sortino(sample) / autocorrelationPenalty(sample.dailyReturns),
  },
] as const satisfies readonly Statistic[];

/** The growth of the run; n/a from a start without equity. */
export function totalReturn({ startEquity, finalEquity }: Pick<RunRecord, 'startEquity' | 'finalEquity'>): number {
  return startEquity.gt(0) ? finalEquity.div(startEquity).minus(1).toNumber() : Number.NaN;
}

function cagr({ startEquity, finalEquity, from, to }: RunRecord): number {
  return annualGrowth(startEquity.toNumber(), finalEquity.toNumber(), to - from);
}

/** The yearly growth that leads from one amount to another in so many ms; `NaN` where one of them is not above zero. */
export function annualGrowth(from: number, to: number, ms: number): number {
  return to > 0 ? (1 + growth(from, to)) ** over(YEAR_MS, ms) - 1 : Number.NaN;
}

function sharpe({ dailyReturns, record }: Sample): number {
  return (mean(dailyReturns) / deviation(dailyReturns)) * Math.sqrt(record.annualDays);
}

function sortino({ dailyReturns, record }: Sample): number {
  return (mean(dailyReturns) * record.annualDays) / downsideRisk(dailyReturns, record.annualDays);
}

/** With moments that divide by n, so that the influences have exactly this spread. */
function sharpeError({ dailyReturns, record }: Sample): number {
  const n = dailyReturns.length;
  const ratio = mean(dailyReturns) / deviation(dailyReturns);
  const spread = 1 - standardMoment(dailyReturns, 3) * ratio + ((standardMoment(dailyReturns, 4) - 1) / 4) * ratio ** 2;
  return Math.sqrt((spread / n) * record.annualDays);
}

function sortinoError({ dailyReturns, record }: Sample): number {
  const [centre, spread] = [mean(dailyReturns), downside(dailyReturns)];
  const moves = dailyReturns.map((value) => value / spread - ((centre / 2) * Math.min(value, 0) ** 2) / spread ** 3);
  return errorOf(moves) * Math.sqrt(record.annualDays);
}

/** At least 1: the spread of the sum of many days, over the spread of one day times the square root of their number. */
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

/** Annualised root mean square of the negative returns; the others count as zero. */
function downsideRisk(values: readonly number[], annualDays: number): number {
  return downside(values) * Math.sqrt(annualDays);
}
