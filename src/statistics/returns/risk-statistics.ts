import type { Sample, Statistic } from '../statistic.ts';
import { largest, probabilisticSharpe, quantile, smallest, standardMoment, worstMean } from './moments.ts';

/** A week: fewer daily returns do not show their spread. */
const SPREAD_SAMPLE = { count: 7, of: 'dailyReturns' } as const;
const ONE_DAY = { count: 1, of: 'dailyReturns' } as const;
/** A month: with fewer days, the largest one alone decides the third and fourth powers. */
const SHAPE_SAMPLE = { count: 30, of: 'dailyReturns' } as const;
/** With fewer days, the worst twentieth is empty. */
const TWENTIETH = { count: 20, of: 'dailyReturns' } as const;
/** With fewer days, the worst hundredth is empty. */
const HUNDREDTH = { count: 100, of: 'dailyReturns' } as const;

/**
 * The distribution of the daily returns r1..rn, and how much of the result may be luck. Quantiles are interpolated between the two nearest
 * returns.
 */
export const RISK_STATISTICS = [
  {
    key: 'probabilisticSharpe',
    label: 'Probabilistic Sharpe ratio',
    group: 'risk',
    unit: 'share',
    meaning: 'Probability that the true Sharpe ratio is above 0, given the number of days and their skew (Bailey and Lopez de Prado 2012).',
    formula:
      'N(s x sqrt(n - 1) / sqrt(1 - skew x s + (kurtosis + 2) / 4 x s^2)), where s = mean(r) / sd(r) and N is the normal distribution',
    smallestSample: SHAPE_SAMPLE,
    compute: ({ dailyReturns }) => probabilisticSharpe(dailyReturns),
  },
  {
    key: 'omega',
    label: 'Omega ratio',
    group: 'risk',
    unit: 'ratio',
    meaning: 'Sum of gains divided by sum of losses of the daily returns (Keating and Shadwick 2002).',
    formula: 'sum of r > 0 / |sum of r < 0|',
    smallestSample: SPREAD_SAMPLE,
    compute: ({ dailyReturns }) => above(dailyReturns) / above(dailyReturns.map((value) => -value)),
  },
  {
    key: 'skew',
    label: 'Skew',
    group: 'risk',
    unit: 'ratio',
    meaning: 'Asymmetry of the daily returns: above 0 the tail of gains is longer.',
    formula: 'mean((r - mean(r))^3) / s^3, where s divides by n',
    smallestSample: SHAPE_SAMPLE,
    compute: ({ dailyReturns }) => standardMoment(dailyReturns, 3),
  },
  {
    key: 'kurtosis',
    label: 'Kurtosis (excess)',
    group: 'risk',
    unit: 'ratio',
    meaning: 'How fat the tails are: 0 for a normal distribution.',
    formula: 'mean((r - mean(r))^4) / s^4 - 3, where s divides by n',
    smallestSample: SHAPE_SAMPLE,
    compute: ({ dailyReturns }) => standardMoment(dailyReturns, 4) - 3,
  },
  {
    key: 'valueAtRisk95',
    label: 'VaR 95 % (1 day)',
    group: 'risk',
    unit: 'share',
    meaning: 'One day in twenty was worse than this return; a loss is negative.',
    formula: '5 % quantile of r',
    smallestSample: TWENTIETH,
    compute: ({ dailyReturns }) => quantile(dailyReturns, 0.05),
  },
  {
    key: 'valueAtRisk99',
    label: 'VaR 99 % (1 day)',
    group: 'risk',
    unit: 'share',
    meaning: 'One day in a hundred was worse than this return.',
    formula: '1 % quantile of r',
    smallestSample: HUNDREDTH,
    compute: ({ dailyReturns }) => quantile(dailyReturns, 0.01),
  },
  {
    key: 'conditionalValueAtRisk95',
    label: 'CVaR 95 % (1 day)',
    group: 'risk',
    unit: 'share',
    meaning: 'The mean of the worst twentieth of the days, also called expected shortfall.',
    formula: 'mean of the worst floor((n - 1) x 0.05) + 1 of r',
    smallestSample: TWENTIETH,
    compute: ({ dailyReturns }) => worstMean(dailyReturns, 0.05),
  },
  {
    key: 'tailRatio',
    label: 'Tail ratio',
    group: 'risk',
    unit: 'ratio',
    meaning: 'Size of the best days relative to the worst.',
    formula: '|95 % quantile of r| / |5 % quantile of r|',
    smallestSample: TWENTIETH,
    compute: ({ dailyReturns }) => Math.abs(quantile(dailyReturns, 0.95) / quantile(dailyReturns, 0.05)),
  },
  {
    key: 'bestDay',
    label: 'Best day',
    group: 'risk',
    unit: 'share',
    meaning: 'The largest daily return.',
    formula: 'max(r)',
    smallestSample: ONE_DAY,
    compute: ({ dailyReturns }) => largest(dailyReturns),
  },
  {
    key: 'worstDay',
    label: 'Worst day',
    group: 'risk',
    unit: 'share',
    meaning: 'The smallest daily return.',
    formula: 'min(r)',
    smallestSample: ONE_DAY,
    compute: ({ dailyReturns }) => smallest(dailyReturns),
  },
  {
    key: 'winningDays',
    label: 'Winning days',
    group: 'risk',
    unit: 'count',
    meaning: 'Days on which equity rose.',
    formula: 'number of r > 0, of days with a position or a fill',
    smallestSample: undefined,
    compute: (sample) => activeReturns(sample).filter((value) => value > 0).length,
  },
  {
    key: 'losingDays',
    label: 'Losing days',
    group: 'risk',
    unit: 'count',
    meaning: 'Days on which equity fell.',
    formula: 'number of r < 0, of days with a position or a fill',
    smallestSample: undefined,
    compute: (sample) => activeReturns(sample).filter((value) => value < 0).length,
  },
  {
    key: 'flatDays',
    label: 'Flat days',
    group: 'risk',
    unit: 'count',
    meaning: 'Days on which equity did not change, or on which there was neither a position nor a trade.',
    formula: 'number of r = 0, and of days without a position and without a fill',
    smallestSample: undefined,
    compute: (sample) => sample.dailyReturns.length - activeReturns(sample).filter((value) => value !== 0).length,
  },
] as const satisfies readonly Statistic[];

/** Without days on which only coins too few to sell changed in value. */
function activeReturns({ record, dailyReturns }: Sample): number[] {
  return dailyReturns.filter((_, index) => !record.dayEquity[index]!.idle);
}

/** The sum of the positive values. */
function above(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.max(value, 0), 0);
}
