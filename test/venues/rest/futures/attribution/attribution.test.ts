import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import type { OrderRequest } from '../../../../../src/model/order.ts';
import { Attribution } from '../../../../../src/venues/rest/futures/attribution/attribution.ts';
import { type Pool, Pools, type Span } from '../../../../../src/venues/rest/futures/attribution/pools.ts';
import { Lately, Sights } from '../../../../../src/venues/rest/futures/attribution/sights.ts';
import { unchanged } from '../../../../../src/venues/rest/futures/picture/side-change.ts';
import { TrackedOrder, TrackedOrders } from '../../../../../src/venues/rest/tracked-orders.ts';
import { order } from '../../../../builders.ts';
import { BTC } from '../world.ts';

const LAG_MS = 1_000;
const SYMBOL = 'cmt_btcusdt';
/** One list shows it so. */
const shown = (status: string, filled = '0') =>
  ({ order_id: '7', client_oid: 'x', symbol: SYMBOL, type: 'close_long', status, filled_qty: filled }) as never;

/** A close of 5 steps that a picture has shown, and the closes of ours that it may be. */
function closing() {
  const clock = { time: 0 };
  const sights = new Sights(LAG_MS, () => clock.time);
  const orders = new TrackedOrders();
  const placed = (clientOrderId: string, terms: Partial<OrderRequest> = { side: 'sell', reduceOnly: true }) => {
    const one = new TrackedOrder(order({ clientOrderId, instrument: BTC, positionSide: 'long', steps: 5, ...terms }));
    one.phase = 'open';
    orders.add(one);
    sights.placed(one);
    sights.answered(one);
    return one;
  };
  const close = placed('ours');
  const told: string[] = [];
  const listed: number[] = [];
  const pools = new Pools();
  const telling = {
    fill: (
      _pools: Pools,
      pool: Pool,
      to: TrackedOrder,
      steps: number,
      [span, ...others]: readonly [Span, ...Span[]],
      { inferred }: { readonly inferred: boolean },
    ) => {
      told.push(`${to.clientOrderId} ${steps}${inferred ? ', inferred' : ''}`);
      pools.take(pool, steps, span, others);
      to.toldSteps += steps;
    },
    arrived: (one: TrackedOrder, orderId: string) => {
      told.push(`${one.clientOrderId} is ${orderId}`);
      orders.name(one, orderId);
    },
    forced: (_pools: Pools, pool: Pool, _instrument: unknown, inferred: boolean) => {
      const { steps } = pools.takeAll(pool);
      told.push(`forced ${steps} of ${pool.orderId}${inferred ? ', inferred' : ''}`);
      listed.splice(0, 1);
    },
    nobodys: (_pools: Pools, pool: Pool) => {
      told.push('nobody');
      pools.takeAll(pool);
    },
  };
  const parts = {
    orders,
    sights,
    telling,
    instruments: new Map([[SYMBOL, BTC]]),
    lately: new Lately(),
    forced: {
      waiting: () => listed.reduce((sum, steps) => sum + steps, 0),
      lists: (_symbol: string, _side: string, steps: number) => listed.includes(steps),
    },
    held: () => 0,
  };
  const attribution = new Attribution(parts as never);
  return {
    clock,
    sights,
    orders,
    close,
    placed,
    pools,
    /** Liquidations that the exchange lists. */
    listed,
    /** Two separated positions of 5 and 4 steps are gone, of which one fee was paid, and what the insurance fund. */
    gone(from: number, at: number) {
      for (const [index, orderId] of ['1', '2'].entries()) {
        const closed = { steps: 5 - index, value: new Decimal(500 - 100 * index), fee: new Decimal('0.07') };
        const side = { ...unchanged({ symbol: SYMBOL, positionSide: 'long', orderId }), closed, insured: true, guessed: true };
        pools.add(side, from, at, BTC);
      }
    },
    traded(from: number, at: number, steps = 5) {
      const closed = { steps, value: new Decimal(100 * steps), fee: new Decimal('0.06').times(steps) };
      pools.add({ ...unchanged({ symbol: SYMBOL, positionSide: 'long' }), closed, cost: new Decimal(98 * steps) }, from, at, BTC);
    },
    /** @param orderId of what a separated position says of itself. */
    opened(from: number, at: number, steps: number, orderId = '') {
      const opened = { steps, value: new Decimal(100 * steps), fee: new Decimal('0.06').times(steps) };
      pools.add({ ...unchanged({ symbol: SYMBOL, positionSide: 'long', orderId }), opened }, from, at, BTC);
    },
    run(): string[] {
      attribution.run(pools);
      return told.splice(0);
    },
  };
}

test('a trade is of the order that a list has come to miss', () => {
  const { clock, sights, close, traded, run } = closing();
  sights.note(close, shown('open'), 100);
  clock.time = 5_000;
  traded(100, 200);
  sights.note(close, undefined, 4_000);
  sights.listed(BTC, 4_000);
  expect(run()).toEqual(['ours 5']);
});

test('a trade is of the order that a list showed as filled before it was gone, and of no other that is gone', () => {
  const { clock, sights, close, placed, traded, run } = closing();
  const filled = placed('filled');
  for (const [one, record] of [
    [close, shown('open')],
    [filled, shown('filled', '0.005')],
  ] as const)
    sights.note(one, record, 150);
  clock.time = 5_000;
  traded(100, 200);
  for (const one of [close, filled]) sights.note(one, undefined, 4_000);
  sights.listed(BTC, 4_000);
  expect(run()).toEqual(['filled 5']);
});

test('what an order that stands may have traded is not of one that nobody knows of, only because that asked for more', () => {
  const { clock, sights, close, placed, traded, run } = closing();
  const [gone, doubtful] = [placed('gone'), placed('doubtful')];
  doubtful.phase = 'unknown';
  // Before it was gone it traded 2, and no list shows so; the 3 since are of the one that stands.
  traded(100, 200, 2);
  sights.note(gone, shown('open'), 150);
  traded(4_000, 4_600, 3);
  const list = (askedAt: number, filled: string) => {
    clock.time = askedAt;
    sights.note(close, shown('open', filled), askedAt);
    for (const one of [gone, doubtful]) sights.note(one, undefined, askedAt);
    sights.listed(BTC, askedAt);
    return run();
  };
  sights.note(gone, undefined, 1_000);
  sights.note(close, shown('open'), 3_900);
  expect(list(4_500, '0.001')).toEqual(['ours 1']);
  expect(list(5_000, '0.001')).toEqual([]);
  expect(list(6_000, '0.003')).toEqual(['ours 2', 'gone 2']);
});

test("a trade that the lists must show, and that no order of ours can be of, is nobody's", () => {
  const { clock, sights, close, traded, run } = closing();
  clock.time = 5_000;
  traded(100, 200);
  sights.note(close, shown('open'), 4_000);
  sights.listed(BTC, 4_000);
  expect(run()).toEqual(['nobody']);
});

test("a list of before the exchange's last word on an order does not make its trade nobody's", () => {
  const { clock, sights, close, traded, run } = closing();
  sights.note(close, shown('open'), 100);
  traded(100, 200);
  // Its cancel is answered while a list is on its way that does not show it any more.
  clock.time = 4_500;
  sights.answered(close);
  clock.time = 5_000;
  sights.note(close, undefined, 4_000);
  sights.listed(BTC, 4_000);
  expect(run()).not.toContain('nobody');
});

test('a trade waits for the lists where one order alone may have made it only if others traded when that was guessed', () => {
  const { clock, sights, close, placed, traded, run } = closing();
  const lost = placed('lost');
  lost.phase = 'unknown';
  const ended = [placed('first'), placed('second')];
  clock.time = 500;
  for (const one of ended) {
    one.wish = { reason: 'requested', stage: 'taken', since: 500 };
    sights.answered(one);
  }
  clock.time = 900;
  const late = placed('late');
  traded(100, 200);
  traded(1_000, 1_100);
  // Either trade may be that of the order that is listed as filled. Fewer may have made the later one: it is taken.
  clock.time = 1_200;
  sights.note(close, shown('filled', '0.005'), 1_150);
  sights.note(lost, undefined, 1_150);
  sights.listed(BTC, 1_150);
  expect(run()).toEqual(['ours 5']);
  // Of the earlier one, the lost order alone is left; of the later one, that which came after the earlier.
  clock.time = 1_500;
  for (const one of ended) sights.note(one, shown('canceled'), 1_450);
  sights.note(lost, undefined, 1_450);
  sights.note(late, shown('open'), 1_450);
  sights.listed(BTC, 1_450);
  expect(run()).toEqual([]);
  clock.time = 2_000;
  sights.note(late, shown('canceled', '0.005'), 1_950);
  sights.listed(BTC, 1_950);
  expect(run()).toEqual(['late 5']);
});

test('what lists show of liquidations is of all separated positions of a side together, whatever fees they are thought to have paid', () => {
  const { clock, sights, close, listed, gone, run } = closing();
  sights.note(close, shown('open'), 100);
  clock.time = 5_000;
  gone(100, 200);
  listed.push(5, 4);
  expect(run()).toEqual([]);
  sights.note(close, undefined, 4_000);
  sights.listed(BTC, 4_000);
  expect(run()).toEqual(['forced 5 of 1', 'forced 4 of 2']);
});

test('of positions that were gone at once, what no list and no sum shows of who closed them is told as inferred', () => {
  const { clock, sights, close, gone, run } = closing();
  sights.note(close, shown('open'), 100);
  clock.time = 5_000;
  gone(100, 200);
  sights.note(close, undefined, 4_000);
  sights.listed(BTC, 4_000);
  // A taker's fee for 116.67: the most of 1 step of 5 at 100, and of 4.
  expect(run()).toEqual(['ours 1, inferred', 'forced 4 of 1, inferred', 'ours 1, inferred', 'forced 3 of 2, inferred']);
});

test.each<[string, number[], string[]]>([
  ['whole, where a liquidation of its size is listed', [5, 3], ['forced 5 of 1', 'ours 1', 'forced 3 of 2']],
  ['in part, where none of its size is', [6], ['ours 3', 'forced 2 of 1']],
])('a separated position whose sums are those of a liquidation alone was forced %s', (_, liquidations, told) => {
  const { clock, sights, close, pools, listed, run } = closing();
  listed.push(...liquidations);
  sights.note(close, shown('open'), 150);
  // The liquidation's fee of 0.1 % on 500; the other paid for both.
  const fees = [
    { steps: 5, value: '500', fee: '0', liquidationFee: '0.5' },
    { steps: 4, value: '400', fee: '0.06', liquidationFee: '0.3' },
  ];
  for (const [index, { steps, value, fee, liquidationFee }] of fees.entries()) {
    const side = unchanged({ symbol: SYMBOL, positionSide: 'long', orderId: String(index + 1) });
    const closed = { steps, value: new Decimal(value), fee: new Decimal(fee) };
    pools.add({ ...side, closed, liquidationFee: new Decimal(liquidationFee), guessed: true }, 100, 200, BTC);
  }
  clock.time = 5_000;
  sights.note(close, shown('canceled', `0.00${9 - liquidations.reduce((sum, steps) => sum + steps, 0)}`), 4_000);
  sights.listed(BTC, 4_000);
  expect(run().slice(0, told.length)).toEqual(told);
});

test('what a list shows of an order that its own position has told of is not taken for what was opened unseen', () => {
  const { clock, sights, orders, placed, opened, run } = closing();
  const [standing, gone] = [placed('standing', { steps: 9 }), placed('gone', { steps: 3 })];
  orders.name(standing, '1');
  for (const one of [standing, gone]) sights.note(one, shown('open'), 90);
  opened(100, 200, 3);
  opened(100, 200, 2, '1');
  clock.time = 5_000;
  sights.note(standing, shown('partially_filled', '0.002'), 4_000);
  sights.note(gone, undefined, 4_000);
  sights.listed(BTC, 4_000);
  expect(run()).toEqual(['standing 2', 'gone 3']);
});

test.each([
  ['is of the only one without a name that asked for as much', 2, ['large is 9', 'large 3']],
  ['waits where two may have opened it', 3, []],
])('a separated position of an order that nobody heard of %s', (_, asked, told) => {
  const { placed, opened, run } = closing();
  for (const one of [placed('large', { steps: 5 }), placed('small', { steps: asked })]) {
    one.phase = 'unknown';
  }
  opened(100, 200, 3, '9');
  expect(run()).toEqual(told);
});
