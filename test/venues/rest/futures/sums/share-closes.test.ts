import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import { type SideChange, unchanged } from '../../../../../src/venues/rest/futures/snapshot/side-change.ts';
import { shareCloses } from '../../../../../src/venues/rest/futures/sums/sizes.ts';
import { BTC, ETH } from '../world.ts';

/** Separated longs of 0.5 and 0.4 BTC that cost 105 and 101. */
function gone(): SideChange[] {
  return [
    { ...unchanged({ symbol: 'cmt_btcusdt', positionSide: 'long', orderId: '1' }), cost: new Decimal('52.5') },
    { ...unchanged({ symbol: 'cmt_btcusdt', positionSide: 'long', orderId: '2' }), cost: new Decimal('40.4') },
  ].map((one, index) => ({ ...one, closed: { ...one.closed, steps: [500, 400][index]! } }));
}

test.each([
  // 0.1 % of 0.4 BTC at 98: nothing was left of the other's margin to take a fee from.
  ['what its liquidation fee says, where that is for all of it', '0.0392', ['49', '39.2']],
  // 0.5 and 0.4 at 98.
  ['its part by cost, where the fee is for both', '0.0882', ['49.844', '38.356']],
  ['its part by cost, where no fee was paid', '0', ['49.844', '38.356']],
])('a position that was gone together with another brought %s', (_, liquidationFee, values) => {
  const closers = gone();
  shareCloses(new Decimal('88.2'), closers, new Decimal(liquidationFee), new Map([['cmt_btcusdt', BTC]]));
  expect(closers.map(({ closed }) => closed.value.toDecimalPlaces(3).toFixed())).toEqual(values);
});

test.each([
  // 0.1 % of 1 ETH at 48.5.
  ['what its liquidation fee says, where that is for all of it', '0.0485', ['38.7', '48.5']],
  // 0.1 % of 0.39 BTC at 96.8: 37.752 is no whole price of 0.4 BTC, and too little for 1 ETH.
  ['its part by cost, where the fee is for a part of the other', '0.037752', ['38.97', '48.23']],
])('a position that was gone together with one of another contract brought %s', (_, liquidationFee, values) => {
  const btc = { ...unchanged({ symbol: 'cmt_btcusdt', positionSide: 'long' }), cost: new Decimal('40.4') };
  const eth = { ...unchanged({ symbol: 'cmt_ethusdt', positionSide: 'long' }), cost: new Decimal('50') };
  btc.closed.steps = 400;
  eth.closed.steps = 1_000;
  const instruments = new Map([
    ['cmt_btcusdt', BTC],
    ['cmt_ethusdt', ETH],
  ]);
  shareCloses(new Decimal('87.2'), [btc, eth], new Decimal(liquidationFee), instruments);
  expect([btc, eth].map(({ closed }) => closed.value.toDecimalPlaces(3).toFixed())).toEqual(values);
});
