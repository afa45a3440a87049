import { type Decimal, ZERO } from '../model/decimal.ts';
import { feeWorth, worthOf } from './run-record.ts';
import type { Sample, Statistic } from './statistic.ts';

/** Statistics that only futures have: funding, liquidations, and the use of the collateral. */
export const FUTURES_STATISTICS = [
  {
    key: 'funding',
    label: 'Funding',
    group: 'futures',
    unit: 'money',
    meaning: 'Funding received less paid.',
    formula: 'funding received - funding paid; negative: paid',
    smallestSample: undefined,
    compute: (sample) => fundingOf(sample, () => true).toFixed(),
  },
  {
    key: 'fundingReceived',
    label: 'Funding received',
    group: 'futures',
    unit: 'money',
    meaning: 'Funding that the account received.',
    formula: 'sum of the funding charges received',
    smallestSample: undefined,
    compute: (sample) => fundingOf(sample, (amount) => amount.gt(0)).toFixed(),
  },
  {
    key: 'fundingPaid',
    label: 'Funding paid',
    group: 'futures',
    unit: 'money',
    meaning: 'Funding that the account paid.',
    formula: '|sum of the funding charges paid|',
    smallestSample: undefined,
    compute: (sample) =>
      fundingOf(sample, (amount) => amount.lt(0))
        .abs()
        .toFixed(),
  },
  {
    key: 'liquidations',
    label: 'Liquidations',
    group: 'futures',
    unit: 'count',
    meaning: 'Number of closes by the venue because of missing margin.',
    formula: 'closes by the venue because of missing margin; each part of a position counts',
    smallestSample: undefined,
    compute: ({ record }) => record.futures?.liquidations.length ?? null,
  },
  {
    key: 'liquidationFees',
    label: 'Liquidation fees',
    group: 'futures',
    unit: 'money',
    meaning: 'Fees of liquidations.',
    formula: 'sum of the fees of liquidations; part of the fees',
    smallestSample: undefined,
    compute: ({ record }) => liquidationFees(record).toFixed(),
  },
  {
    key: 'insurancePaid',
    label: 'Paid by insurance',
    group: 'futures',
    unit: 'money',
    meaning: 'Losses beyond the collateral, which the insurance fund paid.',
    formula: 'sum of what the insurance fund paid for losses beyond the collateral; in no trade',
    smallestSample: undefined,
    compute: ({ record }) => record.futures?.insurancePaid.toFixed() ?? null,
  },
  {
    key: 'maxLeverage',
    label: 'Max leverage',
    group: 'futures',
    unit: 'ratio',
    meaning: 'Largest value of positions relative to equity.',
    formula: 'largest sum of |value of each futures position| / equity, seen once per equityEvery and after fills, while equity > 0',
    smallestSample: undefined,
    compute: ({ record }) => record.futures?.maxLeverage ?? null,
  },
  {
    key: 'maxMarginUse',
    label: 'Max margin use',
    group: 'futures',
    unit: 'share',
    meaning: 'Largest share of the collateral used as margin.',
    formula: 'largest (margin of positions + margin of opening orders) / equity of their collateral, seen at the same times',
    smallestSample: undefined,
    compute: ({ record }) => record.futures?.maxMarginUse ?? null,
  },
] as const satisfies readonly Statistic[];

function fundingOf({ record }: Sample, counts: (amount: Decimal) => boolean): Decimal {
  return (record.futures?.funding ?? []).reduce((sum, { charged }) => {
    return counts(charged.amount) ? sum.plus(worthOf(charged.amount, record.rates.get(charged))) : sum;
  }, ZERO);
}

function liquidationFees({ futures, rates }: Sample['record']): Decimal {
  return (futures?.liquidations ?? []).reduce((sum, event) => sum.plus(feeWorth(event.fill, rates.get(event))), ZERO);
}
