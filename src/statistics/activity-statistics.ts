import { ZERO } from '../model/decimal.ts';
import type { Sample, Statistic } from './statistic.ts';
import { worthOf } from './worth.ts';

/** How much was done, and what it cost. */
export const ACTIVITY_STATISTICS = [
  {
    key: 'exposure',
    label: 'Exposure',
    group: 'activity',
    unit: 'share',
    formula: 'time with any position open / (last - first market event)',
    smallestSample: undefined,
    compute: ({ record }) => record.timeInMarketMs / (record.to - record.from),
  },
  {
    key: 'turnover',
    label: 'Turnover',
    group: 'activity',
    unit: 'ratio',
    formula: 'sum of price x quantity over all fills / mean of the daily last equity; not annualised',
    smallestSample: { count: 1, of: 'dailyReturns' },
    compute: (sample) => turnover(sample),
  },
  {
    key: 'fees',
    label: 'Fees',
    group: 'activity',
    unit: 'money',
    formula: 'sum of the fees of all fills; a fee in base counts at the fill price',
    smallestSample: undefined,
    compute: ({ record }) => record.totalFees.toFixed(),
  },
] as const satisfies readonly Statistic[];

function turnover({ record }: Sample): number {
  const traded = record.fills.reduce((sum, fill) => sum.plus(worthOf(fill.notional, record.rates.get(fill))), ZERO);
  const equity = record.dayEquity.reduce((sum, day) => sum.plus(day.equity), ZERO).div(record.dayEquity.length);
  return traded.div(equity).toNumber();
}
