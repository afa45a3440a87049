import { expect, test } from '@jest/globals';
import { causesWithin } from '../../../src/app/prove/proof.ts';
import { compareRuns } from '../../../src/statistics/comparison/compare-runs.ts';
import { comparedRun, fill, order } from '../../statistics/comparison/builders.ts';

const DAY = 86_400_000;
const OPTIONS = { windowMs: 60_000, toleranceMs: 0 };
const sell = { side: 'sell' } as const;

// On the first day the backtest buys at 101 what the bot buys at 100, later in time; on the second day it sells at 104 and not at 105.
const bot = comparedRun({
  orders: [
    order(1, [fill('1', '100')]),
    order(2, [fill('1', '100')], sell),
    order(DAY + 1, [fill('1', '100')]),
    order(DAY + 2, [fill('1', '105')], sell),
  ],
});
const backtest = comparedRun({
  orders: [
    order(1, [fill('1', '101', { time: 5 })]),
    order(2, [fill('1', '100')], sell),
    order(DAY + 1, [fill('1', '100')]),
    order(DAY + 2, [fill('1', '104', { time: DAY + 9 })], sell),
  ],
});
const comparison = compareRuns(bot, backtest, OPTIONS);
const within = (from: number, to: number, atEnd = false) => {
  const { causes, difference, unexplained } = causesWithin(comparison, from, to, atEnd);
  return { causes: causes.map(({ cause, amount }) => `${cause} ${amount.toFixed()}`), difference: difference.toFixed(), unexplained };
};

test('a day has the differences of the round trips that ended on it, and all days have the whole difference', () => {
  expect(within(0, DAY)).toMatchObject({ causes: ['latency -1'], difference: '-1' });
  expect(within(DAY, 2 * DAY, true)).toMatchObject({ causes: ['latency -1'], difference: '-1' });
  expect(within(0, 2 * DAY, true).difference).toBe(comparison.difference.toFixed());
  expect(within(2 * DAY, 3 * DAY)).toMatchObject({ causes: [], difference: '0' });
});

test('amounts without a cause do not cancel each other out', () => {
  const part = (amount: string) =>
    ({ cause: 'unexplained', amount: comparison.difference.times(0).plus(amount), note: '', time: 1 }) as const;
  const { difference, unexplained } = causesWithin({ roundTrips: [], others: [part('3'), part('-3')] }, 0, 2, false);
  expect([difference.toFixed(), unexplained.toFixed()]).toEqual(['0', '6']);
});

test('an exit without a cause that recovers its entry leaves what the round trip lost', () => {
  const amounts = (text: string) => ({ parts: [{ cause: 'unexplained', amount: comparison.difference.times(0).plus(text), note: '' }] });
  const trip = { to: 1, trades: [amounts('-700'), amounts('725.5')] } as unknown as (typeof comparison.roundTrips)[number];
  const { causes, unexplained } = causesWithin({ roundTrips: [trip], others: [] }, 0, 2, false);
  expect([causes[0]!.amount.toFixed(), unexplained.toFixed()]).toEqual(['25.5', '25.5']);
});

test('what has no time belongs to the proof that reaches the end', () => {
  const other = { cause: 'endPrice', amount: comparison.difference.times(0).plus(4), note: '', time: undefined } as const;
  const causes = (atEnd: boolean) => causesWithin({ roundTrips: [], others: [other] }, 0, 2, atEnd).causes.length;
  expect([causes(false), causes(true)]).toEqual([0, 1]);
});
