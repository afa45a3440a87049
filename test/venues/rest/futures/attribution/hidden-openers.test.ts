import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import type { OrderRequest } from '../../../../../src/model/order.ts';
import { TrackedOrder } from '../../../../../src/venues/reconcile/order-record.ts';
import { hiddenOpeners } from '../../../../../src/venues/rest/futures/attribution/hidden-openers.ts';
import { ListedStates } from '../../../../../src/venues/rest/futures/attribution/listed-states.ts';
import { TradePools } from '../../../../../src/venues/rest/futures/attribution/trade-pools.ts';
import { order } from '../../../../builders.ts';
import { BTC, ETH } from '../world.ts';

const listedStates = new ListedStates(1_000, () => 0);
const none = {
  coin: 'USDT',
  seen: new Map(),
  followed: new Set<string>(),
  listed: new Set<string>(),
  forced: true,
  ended: [],
  pools: new TradePools(),
  listedStates,
};

/** A market order that opens long, and that lists do not show any more; an earlier one showed so much of it as filled. */
function gone(request: Partial<OrderRequest>, filled: string): TrackedOrder {
  const one = new TrackedOrder(order({ positionSide: 'long', ...request }));
  one.phase = 'open';
  listedStates.answered(one);
  listedStates.note(one, { status: 'open', filled_qty: filled } as never, 2_000);
  listedStates.note(one, undefined, 4_000);
  return one;
}

test.each([false, true])(
  'counts as opened unseen the steps that a list showed of an order before it disappeared (last chance: %s)',
  (last) => {
    // 0.076 of its 0.1 BTC at 599.9. All of it is worth 60; the 0.94 ETH of the other, at 50, come far nearer with 47.
    const orders = [
      gone({ clientOrderId: 'shown', instrument: BTC, steps: 100, triggerTicks: 6_000 }, '0.076'),
      gone({ clientOrderId: 'other', instrument: ETH, steps: 940, triggerTicks: 500 }, '0'),
    ];
    const value = new Decimal('45.5924');
    const found = hiddenOpeners({ orders, positionSide: 'long', value, ...none, last });
    expect(found.map(({ symbol, steps, shown }) => `${symbol} ${steps} ${shown}`)).toEqual(['cmt_btcusdt 76 76']);
  },
);

test.each([
  // 0.1 BTC at 600.9 are worth 60.09; the 0.1 BTC that no list has told of are worth 60.01 at 600.1.
  { last: false, found: [] },
  { last: true, found: ['cmt_btcusdt 100 60.01'] },
])('waits until lists show every order before it uses a close match (last chance: $last)', ({ last, found }) => {
  const untold = new TrackedOrder(
    order({ clientOrderId: 'untold', positionSide: 'long', instrument: BTC, steps: 100, triggerTicks: 6_001 }),
  );
  untold.phase = 'open';
  listedStates.answered(untold);
  const orders = [gone({ clientOrderId: 'gone', instrument: BTC, steps: 100, triggerTicks: 6_009 }, '0'), untold];
  const value = new Decimal('60.02');
  const openers = hiddenOpeners({ orders, positionSide: 'long', value, ...none, last });
  expect(openers.map(({ symbol, steps, estimate }) => `${symbol} ${steps} ${estimate}`)).toEqual(found);
});

test.each([
  { forced: false, found: ['cmt_btcusdt 100'] },
  { forced: true, found: ['cmt_ethusdt 940'] },
])(
  'what nobody of ours could close again was not opened, unless the exchange may have closed it (forced: $forced)',
  ({ forced, found }) => {
    // The 0.94 ETH at 50 come nearest with 47, but what closes ETH is for 0.1 of it. Of the 0.1 BTC at 600 a part may have filled.
    const orders = [
      gone({ clientOrderId: 'btc', instrument: BTC, steps: 100, triggerTicks: 6_000 }, '0'),
      gone({ clientOrderId: 'eth', instrument: ETH, steps: 940, triggerTicks: 500 }, '0'),
      gone({ clientOrderId: 'closes eth', instrument: ETH, steps: 100, triggerTicks: 500, side: 'sell', reduceOnly: true }, '0'),
    ];
    const ended = [
      gone({ clientOrderId: 'closes btc', instrument: BTC, steps: 150, triggerTicks: 6_000, side: 'sell', reduceOnly: true }, '0'),
    ];
    const value = new Decimal('47.1');
    const openers = hiddenOpeners({ orders, positionSide: 'long', value, ...none, forced, ended, last: true });
    expect(openers.map(({ symbol, steps }) => `${symbol} ${steps}`)).toEqual(found);
  },
);

test.each([
  // Of steps of 0.6 none is worth 1, of steps of 0.05 twenty are.
  { value: '1', found: ['cmt_ethusdt 1900'] },
  { value: '1.2', found: ['cmt_btcusdt 12'] },
])('an open order may have filled more than lists show, if nothing else has the value $value', ({ value: text, found }) => {
  const standing = new TrackedOrder(
    order({ clientOrderId: 'standing', positionSide: 'long', instrument: ETH, steps: 2_000, triggerTicks: 500 }),
  );
  standing.phase = 'open';
  listedStates.answered(standing);
  listedStates.note(standing, { status: 'partially_filled', filled_qty: '0.1' } as never, 2_000);
  const orders = [gone({ clientOrderId: 'btc', instrument: BTC, steps: 12, triggerTicks: 6_000 }, '0'), standing];
  const seen = new Map([['cmt_ethusdt', 100]]);
  const openers = hiddenOpeners({ orders, positionSide: 'long', value: new Decimal(text), ...none, seen, last: true });
  expect(openers.map(({ symbol, steps }) => `${symbol} ${steps}`)).toEqual(found);
});

test.each([
  { followed: [], found: ['cmt_btcusdt 68 '] },
  { followed: ['standing'], found: ['cmt_btcusdt 68 gone'] },
])('an order whose own position shows all that it opened has opened nothing unseen ($followed)', ({ followed, found }) => {
  // What the list shows of the one that stands was opened in sight; what was opened unseen is all that the other had left.
  const standing = new TrackedOrder(
    order({ clientOrderId: 'standing', positionSide: 'long', instrument: BTC, steps: 500, priceTicks: 6_000 }),
  );
  standing.phase = 'open';
  standing.orderId = 'standing';
  listedStates.answered(standing);
  listedStates.note(standing, { status: 'partially_filled', filled_qty: '0.024' } as never, 2_000);
  const other = gone({ clientOrderId: 'gone', instrument: BTC, steps: 68, triggerTicks: 6_001 }, '0');
  other.orderId = 'gone';
  const seen = new Map(followed.length > 0 ? [] : [['cmt_btcusdt', 24]]);
  const sought = { orders: [standing, other], positionSide: 'long', value: new Decimal('40.8136'), seen } as const;
  const openers = hiddenOpeners({ ...none, ...sought, followed: new Set(followed), last: true });
  expect(openers.map(({ symbol, steps, orderId = '' }) => `${symbol} ${steps} ${orderId}`)).toEqual(found);
});

test.each([
  // 1.357 of 1.901 ETH at 295, and 0.001 BTC at 588.6: no number of steps of ETH alone is worth this.
  { value: '400.9036', found: ['cmt_ethusdt 1357 400.315', 'cmt_btcusdt 1 0.5886'] },
  // The same with BTC at 600.5: with a step of ETH more or less it would be 305.5 or 895.5.
  { value: '400.9155', found: ['cmt_ethusdt 1357 400.315', 'cmt_btcusdt 1 0.6005'] },
])('a part of a resting order may have been opened together with all of another: $value', ({ value: text, found }) => {
  const orders = [
    gone({ clientOrderId: 'rested', instrument: ETH, steps: 1_901, priceTicks: 2_950 }, '0'),
    gone({ clientOrderId: 'whole', instrument: BTC, steps: 1, triggerTicks: 5_900 }, '0'),
  ];
  const openers = hiddenOpeners({ orders, positionSide: 'long', value: new Decimal(text), ...none, last: true });
  expect(openers.map(({ symbol, steps, estimate }) => `${symbol} ${steps} ${estimate}`)).toEqual(found);
});

test.each([
  { listed: [], found: ['cmt_ethusdt 2000'] },
  { listed: ['cmt_ethusdt'], found: ['cmt_btcusdt 182'] },
])('a position that both snapshots list was not opened unseen ($listed)', ({ listed, found }) => {
  // Of both orders a part is worth 52, of the ETH for 100 the smaller one.
  const orders = [
    gone({ clientOrderId: 'btc', instrument: BTC, steps: 182, priceTicks: 6_167 }, '0'),
    gone({ clientOrderId: 'eth', instrument: ETH, steps: 2_000, priceTicks: 500 }, '0'),
  ];
  const openers = hiddenOpeners({
    ...none,
    orders,
    positionSide: 'long',
    value: new Decimal('52.357822'),
    listed: new Set(listed),
    last: true,
  });
  expect(openers.map(({ symbol, steps }) => `${symbol} ${steps}`)).toEqual(found);
});
