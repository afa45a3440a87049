import { expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../../../src/model/decimal.ts';
import { shareFees } from '../../../../src/venues/rest/futures/share-fees.ts';
import { unchanged } from '../../../../src/venues/rest/futures/side-change.ts';

const side = (symbol: string, funding = '0', cost = '0') => ({
  ...unchanged({ symbol, positionSide: 'long' }),
  funding: new Decimal(funding),
  cost: new Decimal(cost),
});
const moved = (funding: string) => (name: string) => (name === 'funding' ? new Decimal(funding) : ZERO);

test('funding that was shared out to a position unseen is corrected by its own sums, and comes from nowhere else', () => {
  // It was taken to have been paid 0.06 too much; the collateral has moved by nothing since.
  const relisted = side('cmt_btcusdt', '-0.06');
  const other = side('cmt_ethusdt');
  shareFees([{ sides: [relisted, other], units: [], moved: moved('0') }], [], [relisted], new Map());
  expect([relisted.funding, other.funding].map(String)).toEqual(['0', '0']);
});

test('what the collateral was charged beyond its listed positions goes to what is not listed, by value', () => {
  const [listed, large, small] = [side('cmt_btcusdt', '1'), side('cmt_ethusdt', '0', '300'), side('cmt_solusdt', '0', '100')];
  shareFees([{ sides: [listed, large, small], units: [large, small], moved: moved('1.8') }], [], [], new Map());
  expect([listed, large, small].map(({ funding }) => funding.toFixed())).toEqual(['1', '0.6', '0.2']);
});
