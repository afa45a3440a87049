import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../src/model/decimal.ts';
import { type SideChange, unchanged } from '../../../../src/venues/rest/futures/side-change.ts';
import { solveCloses } from '../../../../src/venues/rest/futures/solve-closes.ts';
import { BTC, ETH } from './world.ts';

// 0.001 a step, a taker's fee of 0.06 %, a liquidation's of 0.1 %.
const INSTRUMENTS = new Map([
  ['cmt_btcusdt', BTC],
  ['cmt_ethusdt', ETH],
]);

function closed(symbol: string, positionSide: 'long' | 'short', orderId: string, steps: number, value: string): SideChange {
  const side = unchanged({ symbol, positionSide, orderId });
  side.closed.steps = steps;
  side.closed.value = new Decimal(value);
  return side;
}

/** Three separated longs, the oldest first, of which the sum is known, 245.6; and a short, of which all is. */
const gone = () => [
  closed('cmt_btcusdt', 'long', '1', 200, '19.648'),
  closed('cmt_btcusdt', 'long', '2', 1_800, '176.832'),
  closed('cmt_btcusdt', 'long', '3', 500, '49.12'),
  closed('cmt_ethusdt', 'short', '4', 1_000, '50'),
];

const solved = (closers: readonly SideChange[], fee: string, liquidationFee: string) => [
  solveCloses(closers, new Decimal(fee), new Decimal(liquidationFee), INSTRUMENTS),
  ...closers.map((one) => [one.closed.value, one.closed.fee, one.liquidationFee].map(String).join(' ')),
];

test('tells of closes that were partly forced what each position was closed for, the oldest by us', () => {
  // Ours: 0.3 BTC at 100 and the short at 50. Forced: 2.2 BTC at 98.
  expect(solved(gone(), '0.048', '0.2156')).toEqual([true, '20 0.012 0', '176.6 0.006 0.1666', '49 0 0.049', '50 0.03 0']);
});

test('takes all of a close for forced before a part of one', () => {
  // 50 of the short, and all of the longs ours.
  expect(solved(gone(), '0.14736', '0.05')).toEqual([true, '19.648 0.0117888 0', '176.832 0.1060992 0', '49.12 0.029472 0', '50 0 0.05']);
});

test('says nothing of closes whose fees fit no rates', () => {
  // The liquidation got but a half of its fee.
  expect(solved(gone(), '0.048', '0.1078')).toEqual([false, '19.648 0 0', '176.832 0 0', '49.12 0 0', '50 0 0']);
});

test('says nothing of several contracts on one side, whose values are guesses', () => {
  const both = [closed('cmt_btcusdt', 'long', '', 2_500, '245.6'), closed('cmt_ethusdt', 'long', '', 1_000, '50')];
  expect(solved(both, '0.048', '0.2156')).toEqual([false, '245.6 0 0', '50 0 0']);
});
