import type { Sample, Statistic } from '../statistic.ts';
import { netProfitOf, sumOf, winRate } from './trade-ratios.ts';

/** The long and the short side of a futures account, apart. */
export const SIDE_STATISTICS = [...ofSide('long', 'Long', 'longs'), ...ofSide('short', 'Short', 'shorts')] as const;

function ofSide<Side extends 'long' | 'short'>(side: Side, name: string, closed: 'longs' | 'shorts') {
  return [
    {
      key: `${side}Trades`,
      label: `${name} trades`,
      group: side,
      unit: 'count',
      meaning: 'How many trades of the side were closed.',
      formula: `closed trades of the ${side} side`,
      smallestSample: undefined,
      compute: (sample) => sample[closed].length,
    },
    {
      key: `${side}WinRate`,
      label: `${name} win rate`,
      group: side,
      unit: 'share',
      meaning: 'Share of them that won.',
      formula: `${side} trades with net profit > 0 / ${side} trades`,
      smallestSample: { count: 1, of: closed },
      compute: (sample) => winRate(sample[closed]) ?? null,
    },
    {
      key: `${side}NetProfit`,
      label: `${name} net profit`,
      group: side,
      unit: 'money',
      meaning: 'What they won together.',
      formula: `sum of the net profits of ${side} trades, fees and funding included`,
      smallestSample: undefined,
      compute: (sample) => netProfitOf(sample[closed]).toFixed(),
    },
    {
      key: `${side}Fees`,
      label: `${name} fees`,
      group: side,
      unit: 'money',
      meaning: 'What the side cost in fees.',
      formula: `sum of the fees of ${side} trades, those still open included`,
      smallestSample: undefined,
      compute: (sample) => sumOfSide(sample, side, 'fees'),
    },
    {
      key: `${side}Funding`,
      label: `${name} funding`,
      group: side,
      unit: 'money',
      meaning: 'What funding brought or cost on the side.',
      formula: `sum of the funding of ${side} trades, those still open included; negative: paid`,
      smallestSample: undefined,
      compute: (sample) => sumOfSide(sample, side, 'funding'),
    },
  ] as const satisfies readonly Statistic[];
}

/** Of all trades of the side, those still open included. */
function sumOfSide({ trades }: Sample, side: 'long' | 'short', figure: 'fees' | 'funding'): string {
  const own = [...trades.closed, ...trades.open].filter((trade) => trade.side === side);
  return sumOf(own, figure).toFixed();
}
