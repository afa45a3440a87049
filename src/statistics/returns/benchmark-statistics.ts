import type { Sample, Statistic } from '../statistic.ts';
import { covariance, deviation, growth, mean, over, slope } from './moments.ts';
import { annualGrowth, totalReturn } from './return-statistics.ts';

const ONE_DAY = { count: 1, of: 'benchmarkReturns' } as const;
/** A week: fewer daily returns do not show their spread. */
const SPREAD_SAMPLE = { count: 7, of: 'benchmarkReturns' } as const;
/** A month: with fewer days, the slope is that of the largest one alone. */
const SLOPE_SAMPLE = { count: 30, of: 'benchmarkReturns' } as const;

/**
 * Statistics that compare the daily returns r1..rn with the benchmark's, b1..bn. Without a benchmark all are n/a. The risk-free rate is 0.
 */
export const BENCHMARK_STATISTICS = [
  {
    key: 'benchmarkReturn',
    label: 'Benchmark return',
    group: 'benchmark',
    unit: 'share',
    meaning: 'Gain of the benchmark; for buy and hold, the change of the market.',
    formula: 'last value / first value - 1, of the benchmark',
    smallestSample: ONE_DAY,
    compute: ({ record }) => benchmarkReturn(record),
  },
  {
    key: 'benchmarkCagr',
    label: 'Benchmark CAGR',
    group: 'benchmark',
    unit: 'share',
    meaning: 'The yearly growth that compounds to the return of the benchmark.',
    formula: '(1 + benchmark return) ^ (1 / years) - 1, with the years of CAGR',
    smallestSample: SLOPE_SAMPLE,
    compute: ({ record }) =>
      annualGrowth(record.startEquity.toNumber(), record.benchmark?.dayEquity.at(-1) ?? Number.NaN, record.to - record.from),
  },
  {
    key: 'benchmarkVolatility',
    label: 'Benchmark volatility (annual)',
    group: 'benchmark',
    unit: 'share',
    meaning: 'How widely the daily returns of the benchmark spread, per year.',
    formula: 'sd(b) x sqrt(A), where sd divides by n - 1',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ benchmarkReturns, record }) => deviation(benchmarkReturns) * Math.sqrt(record.annualDays),
  },
  {
    key: 'benchmarkSharpe',
    label: 'Benchmark Sharpe ratio',
    group: 'benchmark',
    unit: 'ratio',
    meaning: 'Mean return of the benchmark per unit of its volatility, annualised.',
    formula: 'mean(b) / sd(b) x sqrt(A)',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ benchmarkReturns, record }) => (mean(benchmarkReturns) / deviation(benchmarkReturns)) * Math.sqrt(record.annualDays),
  },
  {
    key: 'benchmarkMaxDrawdown',
    label: 'Benchmark max drawdown',
    group: 'benchmark',
    unit: 'share',
    meaning: 'The deepest fall of the benchmark below an earlier peak.',
    formula: 'largest (peak - value) / peak, over the points of the equity curve',
    smallestSample: ONE_DAY,
    compute: ({ record }) => benchmarkDrawdown(record),
  },
  {
    key: 'excessReturn',
    label: 'Excess return',
    group: 'benchmark',
    unit: 'share',
    meaning: 'Gain of the run above that of the benchmark.',
    formula: 'total return - benchmark return',
    smallestSample: ONE_DAY,
    compute: ({ record }) => totalReturn(record) - benchmarkReturn(record),
  },
  {
    key: 'beta',
    label: 'Beta',
    group: 'benchmark',
    unit: 'ratio',
    meaning: 'Move of the run when the benchmark moves by one (Sharpe 1964).',
    formula: 'cov(r, b) / var(b)',
    smallestSample: SLOPE_SAMPLE,
    compute: (sample) => beta(sample),
  },
  {
    key: 'alpha',
    label: 'Alpha (annual)',
    group: 'benchmark',
    unit: 'share',
    meaning: 'The yearly return that beta does not explain (Jensen 1968).',
    formula: '(1 + mean(r - beta x b)) ^ A - 1',
    smallestSample: SLOPE_SAMPLE,
    compute: (sample) => (1 + mean(sample.dailyReturns) - beta(sample) * mean(sample.benchmarkReturns)) ** sample.record.annualDays - 1,
  },
  {
    key: 'benchmarkCorrelation',
    label: 'Correlation',
    group: 'benchmark',
    unit: 'ratio',
    meaning: 'Correlation of the daily returns of run and benchmark, from -1 to 1.',
    formula: 'cov(r, b) / (sd(r) x sd(b))',
    smallestSample: SLOPE_SAMPLE,
    compute: ({ dailyReturns, benchmarkReturns }) =>
      covariance(dailyReturns, benchmarkReturns) / (deviation(dailyReturns) * deviation(benchmarkReturns)),
  },
  {
    key: 'trackingError',
    label: 'Tracking error',
    group: 'benchmark',
    unit: 'share',
    meaning: 'Annual deviation of the run from the benchmark.',
    formula: 'sd(r - b) x sqrt(A)',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => deviation(active(sample)) * Math.sqrt(sample.record.annualDays),
  },
  {
    key: 'informationRatio',
    label: 'Information ratio',
    group: 'benchmark',
    unit: 'ratio',
    meaning: 'Return above the benchmark per unit of tracking error, annualised (Goodwin 1998).',
    formula: 'mean(r - b) / sd(r - b) x sqrt(A)',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => (mean(active(sample)) / deviation(active(sample))) * Math.sqrt(sample.record.annualDays),
  },
  {
    key: 'treynor',
    label: 'Treynor ratio',
    group: 'benchmark',
    unit: 'share',
    meaning: 'Yearly return per unit of beta (Treynor 1965).',
    formula: 'mean(r) x A / beta',
    smallestSample: SLOPE_SAMPLE,
    compute: (sample) => (mean(sample.dailyReturns) * sample.record.annualDays) / beta(sample),
  },
] as const satisfies readonly Statistic[];

function benchmarkReturn({ benchmark, startEquity }: Sample['record']): number {
  return growth(startEquity.toNumber(), benchmark?.dayEquity.at(-1) ?? Number.NaN);
}

function benchmarkDrawdown({ benchmark, startEquity }: Sample['record']): number {
  let [peak, depth] = [startEquity.toNumber(), 0];
  for (const value of benchmark?.equity ?? []) {
    peak = Math.max(peak, value);
    depth = Math.max(depth, over(peak - value, peak));
  }
  return depth;
}

function active({ dailyReturns, benchmarkReturns }: Sample): number[] {
  return dailyReturns.map((value, index) => value - benchmarkReturns[index]!);
}

function beta({ dailyReturns, benchmarkReturns }: Sample): number {
  return slope(dailyReturns, benchmarkReturns);
}
