import { Decimal, ZERO } from '../model/decimal.ts';
import { largest, mean, quantile } from './returns/moments.ts';
import { worthOf } from './run-record.ts';
import type { Sample, Statistic, VolumeDay } from './statistic.ts';
import { AVERAGE_PLACES, type Trades } from './trades/trade.ts';

const ONE_DAY = { count: 1, of: 'dailyReturns' } as const;
const VOLUME_DAY = { count: 1, of: 'volumeDays' } as const;
/** A hundredth of what the market trades is what is commonly thought not to move it. */
const CAPACITY_SHARE = 0.01;
const CAPACITY_QUANTILE = 0.1;

/** How much was done, and what it cost. */
export const ACTIVITY_STATISTICS = [
  {
    key: 'exposure',
    label: 'Exposure',
    group: 'activity',
    unit: 'share',
    meaning: 'Share of the time in the market.',
    formula: 'time with any position open / (last - first market event)',
    smallestSample: undefined,
    compute: ({ record }) => record.timeInMarketMs / (record.to - record.from),
  },
  {
    key: 'turnover',
    label: 'Turnover',
    group: 'activity',
    unit: 'ratio',
    meaning: 'How often the equity was traded.',
    formula: 'sum of price x quantity over all fills / mean of the daily last equity; not annualised',
    smallestSample: { count: 1, of: 'dailyReturns' },
    compute: (sample) => turnover(sample),
  },
  {
    key: 'fees',
    label: 'Fees',
    group: 'activity',
    unit: 'money',
    meaning: 'What trading cost in fees.',
    formula: 'sum of the fees of all fills; a fee in base counts at the fill price',
    smallestSample: undefined,
    compute: ({ record }) => record.totalFees.toFixed(),
  },
  {
    key: 'dailyTurnover',
    label: 'Daily turnover',
    group: 'activity',
    unit: 'ratio',
    meaning: 'How much of the equity was traded on an average day.',
    formula: 'turnover / n',
    smallestSample: ONE_DAY,
    compute: (sample) => turnover(sample) / sample.dailyReturns.length,
  },
  {
    key: 'volume',
    label: 'Traded volume',
    group: 'activity',
    unit: 'money',
    meaning: 'All that was bought and sold.',
    formula: 'sum of price x quantity over all fills',
    smallestSample: undefined,
    compute: (sample) => traded(sample).toFixed(),
  },
  {
    key: 'tradesPerDay',
    label: 'Trades per day',
    group: 'activity',
    unit: 'ratio',
    meaning: 'Closed trades on an average day.',
    formula: 'trades / n',
    smallestSample: ONE_DAY,
    compute: ({ trades, dailyReturns }) => trades.closed.length / dailyReturns.length,
  },
  {
    key: 'maxOpenTrades',
    label: 'Max open trades',
    group: 'activity',
    unit: 'count',
    meaning: 'The most trades that were open at once.',
    formula: 'largest number of trades entered and not yet exited, those open at the end included',
    smallestSample: undefined,
    compute: ({ trades }) => maxOpenTrades(trades),
  },
  {
    key: 'averageExposure',
    label: 'Average exposure',
    group: 'activity',
    unit: 'ratio',
    meaning: 'Mean size of the positions against the equity, both sides counted.',
    formula: 'mean of exposure / equity over the points of the equity curve with equity > 0',
    smallestSample: ONE_DAY,
    compute: ({ record }) => averageExposure(record),
  },
  {
    key: 'largestVolumeShare',
    label: 'Largest share of volume',
    group: 'activity',
    unit: 'share',
    meaning: "The largest part that the run had in what a symbol's market traded in a day.",
    formula: 'largest, over symbols and UTC days with fills, of quote traded by the run / quote traded by the market',
    smallestSample: VOLUME_DAY,
    compute: ({ volumeDays }) => largest(volumeDays.map(({ share }) => share)),
  },
  {
    key: 'capacity',
    label: 'Capacity',
    group: 'activity',
    unit: 'money',
    meaning: "The equity up to which the run would have stayed below 1 % of the market's volume on nine days in ten.",
    formula: '10 % quantile, over symbols and UTC days with fills, of equity x 0.01 / (quote traded by the run / by the market)',
    smallestSample: VOLUME_DAY,
    compute: ({ volumeDays }) =>
      new Decimal(quantile(volumeDays.map(capacityOf), CAPACITY_QUANTILE)).toDecimalPlaces(AVERAGE_PLACES).toFixed(),
  },
] as const satisfies readonly Statistic[];

/** Equity at which the day's trading would be its admitted share of the market's. */
function capacityOf({ share, equity }: VolumeDay): number {
  return (equity * CAPACITY_SHARE) / share;
}

function averageExposure({ equity }: Sample['record']): number {
  const solvent = equity.filter((point) => point.equity.gt(0));
  return mean(solvent.map((point) => point.exposure / point.equity.toNumber()));
}

/** At equal times exits go first: a position that is turned was never two. */
function maxOpenTrades({ closed, open }: Trades): number {
  const changes = [
    ...[...closed, ...open].map(({ entryTime }) => ({ time: entryTime, by: 1 })),
    ...closed.map(({ exitTime }) => ({ time: exitTime, by: -1 })),
  ].sort((a, b) => a.time - b.time || a.by - b.by);
  let [count, most] = [0, 0];
  for (const { by } of changes) {
    count += by;
    most = Math.max(most, count);
  }
  return most;
}

function traded({ record }: Sample): Decimal {
  return record.fills.reduce((sum, fill) => sum.plus(worthOf(fill.notional, record.rates.get(fill))), ZERO);
}

function turnover(sample: Sample): number {
  const { record } = sample;
  const equity = record.dayEquity.reduce((sum, day) => sum.plus(day.equity), ZERO).div(record.dayEquity.length);
  return traded(sample).div(equity).toNumber();
}
