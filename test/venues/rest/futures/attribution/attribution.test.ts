import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../../src/model/decimal.ts';
import type { OrderRequest } from '../../../../../src/model/order.ts';
import { TrackedOrder, TrackedOrders } from '../../../../../src/venues/reconcile/order-record.ts';
import { Attribution } from '../../../../../src/venues/rest/futures/attribution/attribution.ts';
import { ListedStates, RecentlyEnded } from '../../../../../src/venues/rest/futures/attribution/listed-states.ts';
import { type Span, type TradePool, TradePools } from '../../../../../src/venues/rest/futures/attribution/trade-pools.ts';
import { unchanged } from '../../../../../src/venues/rest/futures/snapshot/side-change.ts';
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
  const listedStates = new ListedStates(LAG_MS, () => clock.time);
  const orders = new TrackedOrders();
  const placed = (clientOrderId: string, terms: Partial<OrderRequest> = { side: 'sell', reduceOnly: true }) => {
    const one = new TrackedOrder(order({ clientOrderId, instrument: BTC, positionSide: 'long', steps: 5, ...terms }));
    one.phase = 'open';
    orders.add(one);
    listedStates.placed(one);
    listedStates.answered(one);
    return one;
  };
  const close = placed('ours');
  const told: string[] = [];
  const listed: number[] = [];
  const others = new Set<string>();
  const pools = new TradePools();
  const reporter = {
    fill: (
      _pools: TradePools,
      pool: TradePool,
      to: TrackedOrder,
      steps: number,
      [span, ...others]: readonly [Span, ...Span[]],
      { inferred }: { readonly inferred: boolean },
    ) => {
      told.push(`${to.clientOrderId} ${steps}${inferred ? ', inferred' : ''}`);
      pools.take(pool, steps, span, others);
      to.reportedSteps += steps;
    },
    arrived: (one: TrackedOrder, orderId: string) => {
      told.push(`${one.clientOrderId} is ${orderId}`);
      orders.name(one, orderId);
    },
    forced: (_pools: TradePools, pool: TradePool, _instrument: unknown, inferred: boolean) => {
      const { steps } = pools.takeAll(pool);
      told.push(`forced ${steps} of ${pool.orderId}${inferred ? ', inferred' : ''}`);
      listed.splice(0, 1);
    },
    nobodys: (_pools: TradePools, pool: TradePool) => {
      told.push('nobody');
      pools.takeAll(pool);
    },
  };
  const parts = {
    orders,
    listedStates,
    reporter,
    instruments: new Map([[SYMBOL, BTC]]),
    recentlyEnded: new RecentlyEnded(),
    forced: {
      waiting: () => listed.reduce((sum, steps) => sum + steps, 0),
      lists: (_symbol: string, _side: string, steps: number) => listed.includes(steps),
    },
    held: () => 0,
    isOthers: (orderId: string) => others.has(orderId),
  };
  const attribution = new Attribution(parts as never);
  return {
    clock,
    listedStates,
    orders,
    close,
    placed,
    pools,
    /** Liquidations that the exchange lists. */
    listed,
    /** Ids under which the exchange lists orders of others. */
    others,
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

test('a trade belongs to the order that a list no longer has', () => {
  const { clock, listedStates, close, traded, run } = closing();
  listedStates.note(close, shown('open'), 100);
  clock.time = 5_000;
  traded(100, 200);
  listedStates.note(close, undefined, 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run()).toEqual(['ours 5']);
});

test('a trade is of the order that a list showed as filled before it was gone, and of no other that is gone', () => {
  const { clock, listedStates, close, placed, traded, run } = closing();
  const filled = placed('filled');
  for (const [one, record] of [
    [close, shown('open')],
    [filled, shown('filled', '0.005')],
  ] as const)
    listedStates.note(one, record, 150);
  clock.time = 5_000;
  traded(100, 200);
  for (const one of [close, filled]) listedStates.note(one, undefined, 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run()).toEqual(['filled 5']);
});

test('a trade that an open order may have made is not attributed to a larger order with an unknown outcome', () => {
  const { clock, listedStates, close, placed, traded, run } = closing();
  const [gone, doubtful] = [placed('gone'), placed('doubtful')];
  doubtful.phase = 'unknown';
  // Before it was gone it traded 2, and no list shows so; the 3 since are of the one that stands.
  traded(100, 200, 2);
  listedStates.note(gone, shown('open'), 150);
  traded(4_000, 4_600, 3);
  const list = (requestedAt: number, filled: string) => {
    clock.time = requestedAt;
    listedStates.note(close, shown('open', filled), requestedAt);
    for (const one of [gone, doubtful]) listedStates.note(one, undefined, requestedAt);
    listedStates.listed(BTC, requestedAt);
    return run();
  };
  listedStates.note(gone, undefined, 1_000);
  listedStates.note(close, shown('open'), 3_900);
  expect(list(4_500, '0.001')).toEqual(['ours 1']);
  expect(list(5_000, '0.001')).toEqual([]);
  expect(list(6_000, '0.003')).toEqual(['ours 2', 'gone 2']);
});

test('a trade that the lists must show, and that no own order can have made, is foreign', () => {
  const { clock, listedStates, close, traded, run } = closing();
  clock.time = 5_000;
  traded(100, 200);
  listedStates.note(close, shown('open'), 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run()).toEqual(['nobody']);
});

test('a list from before the last reply about an order does not make its trade foreign', () => {
  const { clock, listedStates, close, traded, run } = closing();
  listedStates.note(close, shown('open'), 100);
  traded(100, 200);
  // Its cancel is answered while a list is on its way that does not show it any more.
  clock.time = 4_500;
  listedStates.answered(close);
  clock.time = 5_000;
  listedStates.note(close, undefined, 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run()).not.toContain('nobody');
});

test('a trade that only one order can have made waits for the lists only if others traded at the guess', () => {
  const { clock, listedStates, close, placed, traded, run } = closing();
  const lost = placed('lost');
  lost.phase = 'unknown';
  const ended = [placed('first'), placed('second')];
  clock.time = 500;
  for (const one of ended) {
    one.pendingCancel = { reason: 'requested', stage: 'taken', since: 500 };
    listedStates.answered(one);
  }
  clock.time = 900;
  const late = placed('late');
  traded(100, 200);
  traded(1_000, 1_100);
  // Either trade may be that of the order that is listed as filled. Fewer may have made the later one: it is taken.
  clock.time = 1_200;
  listedStates.note(close, shown('filled', '0.005'), 1_150);
  listedStates.note(lost, undefined, 1_150);
  listedStates.listed(BTC, 1_150);
  expect(run()).toEqual(['ours 5']);
  // Of the earlier one, the lost order alone is left; of the later one, that which came after the earlier.
  clock.time = 1_500;
  for (const one of ended) listedStates.note(one, shown('canceled'), 1_450);
  listedStates.note(lost, undefined, 1_450);
  listedStates.note(late, shown('open'), 1_450);
  listedStates.listed(BTC, 1_450);
  expect(run()).toEqual([]);
  clock.time = 2_000;
  listedStates.note(late, shown('canceled', '0.005'), 1_950);
  listedStates.listed(BTC, 1_950);
  expect(run()).toEqual(['late 5']);
});

test('liquidations in lists belong to all separated positions of a side together, whatever fees they seem to have paid', () => {
  const { clock, listedStates, close, listed, gone, run } = closing();
  listedStates.note(close, shown('open'), 100);
  clock.time = 5_000;
  gone(100, 200);
  listed.push(5, 4);
  expect(run()).toEqual([]);
  listedStates.note(close, undefined, 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run()).toEqual(['forced 5 of 1', 'forced 4 of 2']);
});

test('if neither lists nor sums show which orders closed several positions at once, the close is reported as inferred', () => {
  const { clock, listedStates, close, gone, run } = closing();
  listedStates.note(close, shown('open'), 100);
  clock.time = 5_000;
  gone(100, 200);
  listedStates.note(close, undefined, 4_000);
  listedStates.listed(BTC, 4_000);
  // A taker's fee for 116.67: the most of 1 step of 5 at 100, and of 4.
  expect(run()).toEqual(['ours 1, inferred', 'forced 4 of 1, inferred', 'ours 1, inferred', 'forced 3 of 2, inferred']);
});

test.each<[string, number[], string[]]>([
  ['whole, where a liquidation of its size is listed', [5, 3], ['forced 5 of 1', 'ours 1', 'forced 3 of 2']],
  ['in part, where none of its size is', [6], ['ours 3', 'forced 2 of 1']],
])('a separated position whose sums fit only a liquidation was forced %s', (_, liquidations, told) => {
  const { clock, listedStates, close, pools, listed, run } = closing();
  listed.push(...liquidations);
  listedStates.note(close, shown('open'), 150);
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
  listedStates.note(close, shown('canceled', `0.00${9 - liquidations.reduce((sum, steps) => sum + steps, 0)}`), 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run().slice(0, told.length)).toEqual(told);
});

test('a listed fill that the position of its order includes is not taken for an unseen opening', () => {
  const { clock, listedStates, orders, placed, opened, run } = closing();
  const [standing, gone] = [placed('standing', { steps: 9 }), placed('gone', { steps: 3 })];
  orders.name(standing, '1');
  for (const one of [standing, gone]) listedStates.note(one, shown('open'), 90);
  opened(100, 200, 3);
  opened(100, 200, 2, '1');
  clock.time = 5_000;
  listedStates.note(standing, shown('partially_filled', '0.002'), 4_000);
  listedStates.note(gone, undefined, 4_000);
  listedStates.listed(BTC, 4_000);
  expect(run()).toEqual(['standing 2', 'gone 3']);
});

test.each([
  ['is of the only one without a name that asked for as much', 2, ['large is 9', 'large 3']],
  ['waits where two may have opened it', 3, []],
])('a separated position of an unknown order %s', (_, asked, told) => {
  const { placed, opened, run } = closing();
  for (const one of [placed('large', { steps: 5 }), placed('small', { steps: asked })]) {
    one.phase = 'unknown';
  }
  opened(100, 200, 3, '9');
  expect(run()).toEqual(told);
});

test('a separated position is not attributed to the only unknown order that fits, if lists show its order with another client id', () => {
  const { clock, listedStates, placed, pools, opened, others, run } = closing();
  const doubted = placed('doubted', { side: 'buy' });
  doubted.phase = 'unknown';
  others.add('8');
  clock.time = 5_000;
  opened(100, 200, 5, '8');
  listedStates.listed(BTC, 4_000);
  expect(run()).toEqual([]);
  expect(pools.size).toBe(1);
  others.delete('8');
  expect(run()).toEqual(['doubted is 8', 'doubted 5']);
});
