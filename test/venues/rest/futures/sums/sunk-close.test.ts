import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import { type SideChange, unchanged } from '../../../../../src/venues/rest/futures/snapshot/side-change.ts';
import { settleSunk } from '../../../../../src/venues/rest/futures/sums/share-fees.ts';
import { BTC } from '../world.ts';

const SYMBOL = 'cmt_btcusdt';
const close = (orderId: string, steps: number, cost: string, value: string): SideChange => ({
  ...unchanged({ symbol: SYMBOL, positionSide: 'short', orderId }),
  closed: { steps, value: new Decimal(value), fee: new Decimal(0) },
  cost: new Decimal(cost),
});

/**
 * 1 BTC short from 100 on a margin of 4 was forced at 105.2, 1.2 below nothing; 2 BTC short from 100 were closed by us for 210.1 and
 * paid 0.06 %. What is known is 315.3 for both, shared by what they had cost.
 */
function settled({ fee = '0.12606', transferIn = '1.2', margin = '4' }) {
  const [forced, ours] = [close('1', 1_000, '100', '105.1'), close('2', 2_000, '200', '210.2')];
  const sums = { fee: new Decimal(fee), transferIn: new Decimal(transferIn), funding: new Decimal('-0.05') };
  const found = settleSunk([forced, ours], [{ side: forced, margin: new Decimal(margin) }], sums, new Map([[SYMBOL, BTC]]));
  return [found, `${forced.closed.value} forced ${forced.forcedSteps}`, `${ours.closed.value} forced ${ours.forcedSteps}`];
}

test('of two closes, the one without a fee, and with the payment of the insurance fund, was forced for the rest of the other', () => {
  expect(settled({})).toEqual([true, '105.2 forced 1000', '210.1 forced undefined']);
});

test.each<[string, Parameters<typeof settled>[0]]>([
  ['the fee leaves no whole price', { fee: '0.13' }],
  ['what came in is not what it lacked, by more than funding', { transferIn: '1.26' }],
  ['it had margin left', { margin: '5.3' }],
  ['both paid for trading', { fee: '0.18918' }],
])('nothing is reported for either if %s', (_, what) => {
  expect(settled(what)).toEqual([false, '105.1 forced undefined', '210.2 forced undefined']);
});

/**
 * 2 BTC short from 100 on a margin of 8: we closed 0.8 of it for 83.2 and paid 0.06 %, the rest was forced at 104.5, 0.6 below nothing:
 * it lost 5.4 of the 4.8 that 1.2 of 2 BTC stood on. What is known is 208.6 for all of it.
 */
function settledInPart({ fee = '0.04992', transferIn = '0.6', margin = '8' }) {
  const side = close('1', 2_000, '200', '208.6');
  const sums = { fee: new Decimal(fee), transferIn: new Decimal(transferIn), funding: new Decimal('-0.05') };
  const found = settleSunk([side], [{ side, margin: new Decimal(margin) }], sums, new Map([[SYMBOL, BTC]]));
  return [found, `${side.closed.value} forced ${side.forcedSteps}`];
}

test('of a single close, the part without a fee was forced if the insurance fund paid', () => {
  expect(settledInPart({})).toEqual([true, '208.6 forced 1200']);
});

test.each<[string, Parameters<typeof settledInPart>[0]]>([
  ['what came in is not what such a part lacked', { transferIn: '0.7' }],
  ['the part had margin left', { margin: '9.1' }],
  ['all of it paid for trading', { fee: '0.12516' }],
])('nothing is reported for it if %s', (_, what) => {
  expect(settledInPart(what)).toEqual([false, '208.6 forced undefined']);
});
