import { Decimal, exactSum } from '../model/decimal.ts';
import { fillFoldOf } from './fill-fold.ts';
import { largest, mean, over, quantile } from './returns/moments.ts';
import type { Sample, Statistic, VolumeDay } from './statistic.ts';
import { averageText, type Trades } from './trades/trade.ts';

const ONE_DAY = { count: 1, of: 'dailyReturns' } as const;
const VOLUME_DAY = { count: 1, of: 'volumeDays' } as const;
/** A hundredth of the market's volume is commonly thought not to move the price. */
const CAPACITY_SHARE = 0.01;
const CAPACITY_QUANTILE = 0.1;

/** How much was traded, and its costs. */
export const ACTIVITY_STATISTICS = [
  {
    key: 'exposure',
    label: 'Exposure',
    group: 'activity',
    unit: 'share',
    meaning: 'Share of the time in the market; coins too few to sell are no position.',
    formula: 'time with any position open / (last - first market event)',
    smallestSample: undefined,
    compute: ({ record }) => over(record.timeInMarketMs, record.to - record.from),
  },
  {
    key: 'turnover',
    label: 'Turnover',
    group: 'activity',
    unit: 'ratio',
    meaning: 'How often the equity was traded.',
    formula: 'sum of price x quantity over all fills / mean of the daily last equity; not annualised; n/a if equity reached zero',
    smallestSample: { count: 1, of: 'dailyReturns' },
    compute: (sample) => turnover(sample),
  },
  {
    key: 'fees',
    label: 'Fees',
    group: 'activity',
    unit: 'money',
    meaning: 'Fees of all fills.',
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
    meaning: 'Total traded value.',
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
    meaning: 'Largest number of trades open at the same time.',
    formula: 'largest number of trades entered and not yet exited, those open at the end included',
    smallestSample: undefined,
    compute: ({ trades }) => maxOpenTrades(trades),
  },
  {
    key: 'averageExposure',
    label: 'Average exposure',
    group: 'activity',
    unit: 'ratio',
    meaning: 'Mean value of positions relative to equity, long and short added.',
    formula: 'mean of exposure / equity over the points of the equity curve with equity > 0',
    smallestSample: ONE_DAY,
    compute: ({ record }) => averageExposure(record),
  },
  {
    key: 'largestVolumeShare',
    label: 'Largest share of volume',
    group: 'activity',
    unit: 'share',
    meaning: "Largest share that the run had of a symbol's market volume in a day.",
    formula: 'largest, over symbols and days with fills, of quote traded by the run / quote traded by the market',
    smallestSample: VOLUME_DAY,
    compute: ({ volumeDays }) => largest(volumeDays.map(({ share }) => share)),
  },
  {
    key: 'capacity',
    label: 'Capacity',
    group: 'activity',
    unit: 'money',
    meaning: "The equity up to which the run would have stayed below 1 % of the market's volume on nine days in ten.",
    formula:
      '10 % quantile, over symbols and days with fills, of equity x 0.01 / (quote traded by the run / by the market); n/a if such a day ended without equity',
    smallestSample: VOLUME_DAY,
    compute: ({ volumeDays }) => {
      if (volumeDays.some(({ equity }) => equity <= 0)) return null;
      return averageText(new Decimal(quantile(volumeDays.map(capacityOf), CAPACITY_QUANTILE)));
    },
  },
] as const satisfies readonly Statistic[];

/** Equity at which the day's trading would be its allowed share of the market's. */
function capacityOf({ share, equity }: VolumeDay): number {
  return (equity * CAPACITY_SHARE) / share;
}

function averageExposure({ equity }: Sample['record']): number {
  const solvent = equity.filter((point) => point.equity.gt(0));
  return mean(solvent.map((point) => point.exposure / point.equity.toNumber()));
}

/** At equal times exits come first: a position that turns never counts as two. */
function maxOpenTrades({ closed, open }: Trades): number {
  const [entries, exits] = [new Float64Array(closed.length + open.length), new Float64Array(closed.length)];
  let index = 0;
  for (const { entryTime, exitTime } of closed) [entries[index], exits[index++]] = [entryTime, exitTime];
  for (const { entryTime } of open) entries[index++] = entryTime;
  entries.sort();
  exits.sort();
  let [exited, most] = [0, 0];
  entries.forEach((time, entered) => {
    while (exits[exited]! <= time) exited++;
    most = Math.max(most, entered + 1 - exited);
  });
  return most;
}

function traded({ record }: Sample): Decimal {
  return fillFoldOf(record).all.volume;
}

function turnover(sample: Sample): number {
  const { record } = sample;
  const equity = exactSum(record.dayEquity, (day) => day.equity).div(record.dayEquity.length);
  return equity.gt(0) && record.ruin === undefined ? traded(sample).div(equity).toNumber() : Number.NaN;
}
