import { deviation, mean } from './moments.ts';
import type { Sample, Statistic } from './statistic.ts';

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
    formula: 'equity before the first market event',
    smallestSample: undefined,
    compute: ({ record }) => record.startEquity.toFixed(),
  },
  {
    key: 'finalEquity',
    label: 'Final equity',
    group: 'return',
    unit: 'money',
    formula: 'equity after the last market event, open positions at their last price, futures at their mark price',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.toFixed(),
  },
  {
    key: 'totalReturn',
    label: 'Total return',
    group: 'return',
    unit: 'share',
    formula: 'final equity / starting equity - 1',
    smallestSample: undefined,
    compute: ({ record }) => record.finalEquity.div(record.startEquity).minus(1).toNumber(),
  },
  {
    key: 'cagr',
    label: 'CAGR',
    group: 'return',
    unit: 'share',
    formula: '((1 + r1) x ... x (1 + rn)) ^ (A / n) - 1',
    smallestSample: ANNUAL_SAMPLE,
    compute: (sample) => cagr(sample),
  },
  {
    key: 'annualVolatility',
    label: 'Volatility (annual)',
    group: 'return',
    unit: 'share',
    formula: 'sd(r) x sqrt(A), where sd divides by n - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ dailyReturns, record }) => deviation(dailyReturns) * Math.sqrt(record.annualDays),
  },
  {
    key: 'sharpe',
    label: 'Sharpe ratio',
    group: 'return',
    unit: 'ratio',
    formula: 'mean(r) / sd(r) x sqrt(A), where sd divides by n - 1; riskless rate 0',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ dailyReturns, record }) => (mean(dailyReturns) / deviation(dailyReturns)) * Math.sqrt(record.annualDays),
  },
  {
    key: 'sortino',
    label: 'Sortino ratio',
    group: 'return',
    unit: 'ratio',
    formula: 'mean(r) x A / (sqrt(mean(min(r, 0)^2)) x sqrt(A)); the mean square is over all n days',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ dailyReturns, record }) => (mean(dailyReturns) * record.annualDays) / downsideRisk(dailyReturns, record.annualDays),
  },
  {
    key: 'calmar',
    label: 'Calmar ratio',
    group: 'return',
    unit: 'ratio',
    formula: 'CAGR / max drawdown',
    smallestSample: ANNUAL_SAMPLE,
    compute: (sample) => cagr(sample) / sample.record.drawdown.depth,
  },
] as const satisfies readonly Statistic[];

function cagr({ dailyReturns, record }: Sample): number {
  const growth = dailyReturns.reduce((product, dayReturn) => product * (1 + dayReturn), 1);
  return growth ** (record.annualDays / dailyReturns.length) - 1;
}

/** Annualised root mean square of the negative returns, the others counting as zero. */
function downsideRisk(values: readonly number[], annualDays: number): number {
  return Math.sqrt(mean(values.map((value) => Math.min(value, 0) ** 2))) * Math.sqrt(annualDays);
}
