import { expect, test } from '@jest/globals';
import { Decimal, ZERO } from '../../../../src/model/decimal.ts';
import { TrackedOrder } from '../../../../src/venues/reconcile/order-record.ts';
import { type Candidate, ownPart } from '../../../../src/venues/rest/futures/attribution/candidates.ts';
import { type HiddenOpening, unchanged } from '../../../../src/venues/rest/futures/snapshot/side-change.ts';
import { fitOpening, fitOpenings } from '../../../../src/venues/rest/futures/sums/sizes.ts';
import { order } from '../../../builders.ts';
import { BTC, ETH } from './world.ts';

const candidate = (shown: number, more: number): Candidate => ({
  order: new TrackedOrder(order({ instrument: BTC })),
  left: shown + more,
  shown,
  more,
  state: 'gone',
  ticks: 1_000,
});

// 0.001 BTC a step, a taker's fee of 0.06 %, a maker's of 0.02 %.
const CLOSES: readonly [
  what: string,
  close: [steps: number, value: string, fee: string, liquidationFee: string],
  candidates: Candidate[],
  own: number,
  proved: boolean,
][] = [
  // 4 of 10 BTC at 111, all at one price. For 5 it would be 88.8, a whole price as well, but far from it.
  [
    'the size of a gone order at the price of all',
    [10_000, '1110', '0.2664', '0'],
    [candidate(0, 4_000), candidate(0, 5_000)],
    4_000,
    false,
  ],
  // 5 BTC rested at 105, 2 were forced at 106.
  ["the size of a resting order that pays the maker's fee", [7_000, '737', '0.105', '0'], [candidate(0, 5_000)], 5_000, false],
  // 3 steps at 100 as a taker and 107 at 110 as a maker, 19 forced at 101: no one rate fits.
  ['what lists show, where no one rate fits', [129, '13.989', '0.002534', '0'], [candidate(110, 0)], 110, false],
  // 0.701 BTC forced at 101 pay 0.1 % of 70.801; 0.3 of ours at 100 and 0.1 at 104 fill two orders in part.
  ['what the fee of the liquidation leaves', [1_101, '111.201', '0.02424', '0.070801'], [candidate(0, 900), candidate(0, 950)], 400, true],
  // 0.06 % of 100 for a BTC: no order was to close as much.
  ['what the fee pays for, where no order fits', [4_000, '400', '0.06', '0'], [candidate(0, 2_900)], 1_000, false],
  // 613 steps: 25 forced at 298.2 got less than the whole fee; 588 of ours in six parts, each at its own price, paid the taker's.
  ['what paid no trading fee leaves, at its whole price', [613, '187.0', '0.107727', '0.001'], [candidate(0, 613)], 588, true],
];

test.each(CLOSES)('takes for our part of a forced close %s', (_, [steps, value, fee, liquidationFee], candidates, own, proved) => {
  const close = { steps, value: new Decimal(value), fee: new Decimal(fee), liquidationFee: new Decimal(liquidationFee) };
  expect(ownPart(close, candidates, BTC)).toEqual({ steps: own, proved });
});

const OPENINGS: readonly [what: string, opened: string, closed: string | undefined, heldBefore: number, shown: number, steps: number][] = [
  // 1.701 BTC at 101: 1.7 or 1.702 BTC would have brought a price between two ticks.
  ['the size whose close has a whole price', '70.1', '171.801', 1_000, 0, 701],
  // All 1.4 BTC at 101, closed with the 1 BTC of before at 99.
  ['all of the order, where that fits', '141.4', '237.6', 1_000, 0, 1_400],
  // 1.4 BTC in parts while the price fell by 4 %, all 2.4 BTC forced at 95.
  ['all of the order, though the price ran, where that has a whole price', '135.7433', '228', 1_000, 0, 1_400],
  // Closed in parts at several prices: 70.801 of 141.4 is what is known.
  ['its share of the value, where no size fits', '70.801', '171.8013', 1_000, 0, 701],
  // 0.701 BTC at 100.8; at 101 it would be 0.7. Of the sizes near that none else has a whole price.
  ['the size that was opened at a whole price', '70.6608', undefined, 1_000, 0, 701],
  // 0.701 BTC at 100.3; at 101 it would be 0.696. So far off it may have been opened in parts.
  ['its share of the value, where a size with a whole price is far off', '70.3103', undefined, 1_000, 0, 696],
  // 0.701 BTC at 100.3 and 100.4; at 101 it would be 0.696.
  ['no less than lists have shown', '70.3104', undefined, 1_000, 701, 701],
];

test.each(OPENINGS)('finds for an unseen opening %s', (_, opened, closed, heldBefore, shown, steps) => {
  // 1.4 BTC at 101.
  const opening = { symbol: 'cmt_btcusdt', steps: 1_400, shown, estimate: new Decimal('141.4') };
  const trade = { opened: new Decimal(opened), closed: closed === undefined ? undefined : new Decimal(closed), heldBefore };
  expect(fitOpening(opening, trade, BTC).steps).toBe(steps);
});

const INSTRUMENTS = new Map([
  ['cmt_btcusdt', BTC],
  ['cmt_ethusdt', ETH],
]);
const closedHere = (symbol: string) => ({
  ...unchanged({ symbol, positionSide: 'long' }),
  closed: { steps: 1_000, value: ZERO, fee: ZERO },
});
const sizes = (openers: readonly HiddenOpening[], opened: string, closed: string) => {
  const here = [closedHere('cmt_btcusdt'), closedHere('cmt_ethusdt')];
  return fitOpenings(openers, here, new Decimal(opened), new Decimal(closed), INSTRUMENTS).map(({ symbol, steps }) => `${symbol} ${steps}`);
};

test('makes an unseen opening no larger than its value, whatever else was closed with it', () => {
  // 0.701 ETH at 49.9, of an order for 1.4 at 50: about 0.7. With the other two that makes 2.7 at 75, which says nothing.
  const openers = [{ symbol: 'cmt_ethusdt', steps: 1_400, estimate: new Decimal('70') }];
  expect(sizes(openers, '34.9799', '202.5')).toEqual(['cmt_ethusdt 701']);
});

test('of openings on several contracts, leaves those that lists show, and of the rest as much as the value pays for', () => {
  // 0.076 BTC at 599.9 are 45.5924; the 4.7 that are left are a tenth of 0.94 ETH at 50.
  const openers = [
    { symbol: 'cmt_btcusdt', steps: 76, shown: 76, estimate: new Decimal('45.5924') },
    { symbol: 'cmt_ethusdt', steps: 940, estimate: new Decimal('47') },
  ];
  expect(sizes(openers, '50.2924', '150')).toEqual(['cmt_btcusdt 76', 'cmt_ethusdt 94']);
  // As near as prices of one moment are.
  expect(sizes(openers, '92', '150')).toEqual(['cmt_btcusdt 76', 'cmt_ethusdt 940']);
});
