import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import { type SideChange, unchanged } from '../../../../../src/venues/rest/futures/snapshot/side-change.ts';
import { solveCloses } from '../../../../../src/venues/rest/futures/sums/close-splits.ts';
import { BTC, ETH } from '../world.ts';

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

const solved = (closers: readonly SideChange[], fee: string, liquidationFee: string, insured = false) => [
  solveCloses(closers, { fee: new Decimal(fee), liquidationFee: new Decimal(liquidationFee), insured }, INSTRUMENTS),
  ...closers.map((one) => [one.closed.value, one.closed.fee, one.liquidationFee].map(String).join(' ')),
];

test('finds the value of each close of partly forced positions, the oldest by own orders', () => {
  // Ours: 0.3 BTC at 100 and the short at 50. Forced: 2.2 BTC at 98.
  expect(solved(gone(), '0.048', '0.2156')).toEqual([true, '20 0.012 0', '176.6 0.006 0.1666', '49 0 0.049', '50 0.03 0']);
});

test('takes all of a close for forced before a part of one', () => {
  // 50 of the short, and all of the longs ours.
  expect(solved(gone(), '0.14736', '0.05')).toEqual([true, '19.648 0.0117888 0', '176.832 0.1060992 0', '49.12 0.029472 0', '50 0 0.05']);
});

test('finds the forced part if the liquidation got only half of its fee: the part without another fee', () => {
  const halved = ['20 0.012 0', '176.6 0.006 0.0833', '49 0 0.0245', '50 0.03 0'];
  expect(solved(gone(), '0.048', '0.1078')).toEqual([true, ...halved]);
});

test('finds which closes paid no trading fee, if the insurance fund paid and there is no liquidation fee', () => {
  // The longs forced as a whole at 98.24, the short ours at 50: what the longs brought is theirs by size.
  const free = ['19.648 0 0', '176.832 0 0', '49.12 0 0', '50 0.03 0'];
  expect(solved(gone(), '0.03', '0', true)).toEqual([true, ...free]);
});

test('gives for each position how much of it was forced, and whether the sums fit another split', () => {
  // Of 2.503 BTC 2.203 at 97.9, both prime to all sizes near them.
  const sure = gone().with(2, closed('cmt_btcusdt', 'long', '3', 503, '49.1937'));
  solved(sure, '0.048', '0.2156737');
  expect(sure.map(({ forcedSteps, guessed }) => [forcedSteps, guessed])).toEqual([0, 1_700, 503, 0].map((steps) => [steps, false]));
  const open = [closed('cmt_btcusdt', 'long', '', 1_000, '98'), closed('cmt_ethusdt', 'short', '', 2_000, '98')];
  // One of them was ours, the other was forced.
  solved(open, '0.0588', '0.098');
  expect(open.map(({ guessed }) => guessed)).toEqual([true, true]);
});

test('gives nothing for closes whose fees fit no rates', () => {
  expect(solved(gone(), '0.0481', '0.1078')).toEqual([false, '19.648 0 0', '176.832 0 0', '49.12 0 0', '50 0 0']);
});

test('gives nothing for several contracts on one side, whose values are guesses', () => {
  const both = [closed('cmt_btcusdt', 'long', '', 2_500, '245.6'), closed('cmt_ethusdt', 'long', '', 1_000, '50')];
  expect(solved(both, '0.048', '0.2156')).toEqual([false, '245.6 0 0', '50 0 0']);
});

test('divides the fee of a liquidation by its closed values, without a rest', () => {
  // A third of it has no end.
  const both = [closed('cmt_btcusdt', 'long', '', 300, '30'), closed('cmt_ethusdt', 'short', '', 1_000, '60')];
  expect(solved(both, '0', '0.0499999')).toEqual([true, '30 0 0.016666633333333333', '60 0 0.033333266666666667']);
});
