import type { Sample, Statistic } from '../statistic.ts';
import { covariance, deviation, mean } from './moments.ts';

const ONE_DAY = { count: 1, of: 'benchmarkReturns' } as const;
/** A week: fewer daily returns say nothing of their spread. */
const SPREAD_SAMPLE = { count: 7, of: 'benchmarkReturns' } as const;
/** A month: with fewer days a slope is that of the largest one alone. */
const SLOPE_SAMPLE = { count: 30, of: 'benchmarkReturns' } as const;

/** The daily returns r1..rn against the benchmark's, b1..bn. Without a benchmark all are n/a. The riskless rate is 0. */
export const BENCHMARK_STATISTICS = [
  {
    key: 'benchmarkReturn',
    label: 'Benchmark return',
    group: 'benchmark',
    unit: 'share',
    meaning: "What the benchmark gained: the market's change, where it is buy and hold.",
    formula: 'last value / first value - 1, of the benchmark',
    smallestSample: ONE_DAY,
    compute: ({ record }) => benchmarkReturn(record),
  },
  {
    key: 'excessReturn',
    label: 'Excess return',
    group: 'benchmark',
    unit: 'share',
    meaning: 'What the run gained beyond the benchmark.',
    formula: 'total return - benchmark return',
    smallestSample: ONE_DAY,
    compute: ({ record }) => record.finalEquity.div(record.startEquity).minus(1).toNumber() - benchmarkReturn(record),
  },
  {
    key: 'beta',
    label: 'Beta',
    group: 'benchmark',
    unit: 'ratio',
    meaning: 'How far the run moves when the benchmark moves by one (Sharpe 1964).',
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
    meaning: 'How much of the movement is shared, from -1 to 1.',
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
    meaning: 'How widely the run strays from the benchmark, per year.',
    formula: 'sd(r - b) x sqrt(A)',
    smallestSample: SPREAD_SAMPLE,
    compute: (sample) => deviation(active(sample)) * Math.sqrt(sample.record.annualDays),
  },
  {
    key: 'informationRatio',
    label: 'Information ratio',
    group: 'benchmark',
    unit: 'ratio',
    meaning: 'Return beyond the benchmark per unit of straying from it, annualised (Goodwin 1998).',
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
  return (benchmark?.dayEquity.at(-1) ?? Number.NaN) / startEquity.toNumber() - 1;
}

function active({ dailyReturns, benchmarkReturns }: Sample): number[] {
  return dailyReturns.map((value, index) => value - benchmarkReturns[index]!);
}

/** `NaN` where the benchmark never moved. */
function beta({ dailyReturns, benchmarkReturns }: Sample): number {
  return covariance(dailyReturns, benchmarkReturns) / deviation(benchmarkReturns) ** 2;
}
