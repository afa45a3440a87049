import { expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../../../../src/model/decimal.ts';
import { unchanged } from '../../../../../src/venues/rest/futures/snapshot/side-change.ts';
import { shareFees } from '../../../../../src/venues/rest/futures/sums/share-fees.ts';
import { BTC, ETH } from '../world.ts';

const side = (symbol: string, funding = '0', cost = '0') => ({
  ...unchanged({ symbol, positionSide: 'long' }),
  funding: new Decimal(funding),
  cost: new Decimal(cost),
});
const moved = (funding: string) => (name: string) => (name === 'funding' ? new Decimal(funding) : ZERO);

test('funding attributed to a position unseen is corrected by its own sums, and by nothing else', () => {
  // It was taken to have been paid 0.06 too much; the collateral has moved by nothing since.
  const relisted = side('cmt_btcusdt', '-0.06');
  const other = side('cmt_ethusdt');
  shareFees([{ sides: [relisted, other], units: [], moved: moved('0') }], [], [relisted], new Map());
  expect([relisted.funding, other.funding].map(String)).toEqual(['0', '0']);
});

test('charges of the collateral beyond its listed positions are attributed to unlisted ones, by value', () => {
  const [listed, large, small] = [side('cmt_btcusdt', '1'), side('cmt_ethusdt', '0', '300'), side('cmt_solusdt', '0', '100')];
  shareFees([{ sides: [listed, large, small], units: [large, small], moved: moved('1.8') }], [], [], new Map());
  expect([listed, large, small].map(({ funding }) => funding.toFixed())).toEqual(['1', '0.6', '0.2']);
});

test('of positions of several contracts that closed at once, the one that matches the liquidation fee paid no trading fee', () => {
  // Separated longs of BTC, ours to close at the taker's 0.06 %, which split their value of 60 by guess; and one of ETH, forced at 48.5.
  const closers = [side('cmt_btcusdt'), side('cmt_btcusdt'), side('cmt_ethusdt')].map((one, index) => {
    const value = new Decimal(['20', '40', '48.5'][index]!);
    return { ...one, closed: { steps: 1_000, value, fee: ZERO } };
  });
  const paid: Readonly<Record<string, string>> = { fee: '-0.036', liquidationFee: '-0.0485' };
  const change = { sides: closers, units: closers, moved: (name: string) => new Decimal(paid[name] ?? 0) };
  const instruments = new Map([
    ['cmt_btcusdt', BTC],
    ['cmt_ethusdt', ETH],
  ]);
  shareFees([change], [], [], instruments);
  expect(closers.map(({ closed, liquidationFee }) => [closed.fee, liquidationFee].map(String))).toEqual([
    ['0.012', '0'],
    ['0.024', '0'],
    ['0', '0.0485'],
  ]);
});
