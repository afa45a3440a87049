import { expect, test } from '@jest/globals';
import { Decimal } from '../../../../src/model/decimal.ts';
import { Attribution } from '../../../../src/venues/rest/futures/attribution.ts';
import { Lately } from '../../../../src/venues/rest/futures/lately.ts';
import { Pools } from '../../../../src/venues/rest/futures/pools.ts';
import { unchanged } from '../../../../src/venues/rest/futures/side-change.ts';
import { Sights } from '../../../../src/venues/rest/futures/sights.ts';
import { TrackedOrder } from '../../../../src/venues/rest/tracked-order.ts';
import { TrackedOrders } from '../../../../src/venues/rest/tracked-orders.ts';
import { order } from '../../../builders.ts';
import { BTC } from './world.ts';

const LAG_MS = 1_000;
const SYMBOL = 'cmt_btcusdt';
/** One list shows it so. */
const shown = (status: string, filled = '0') =>
  ({ order_id: '7', client_oid: 'x', symbol: SYMBOL, type: 'close_long', status, filled_qty: filled }) as never;

/** A close of 5 steps that a picture has shown, and the close of ours that it may be. */
function closing() {
  const clock = { time: 0 };
  const sights = new Sights(LAG_MS, () => clock.time);
  const orders = new TrackedOrders();
  const close = new TrackedOrder(order({ instrument: BTC, side: 'sell', positionSide: 'long', reduceOnly: true, steps: 5 }));
  close.phase = 'open';
  orders.add(close);
  sights.placed(close);
  sights.answered(close);
  const told: string[] = [];
  const pools = new Pools();
  const telling = {
    fill: (_pools: Pools, pool: Parameters<Pools['takeAll']>[0], to: TrackedOrder, steps: number) => {
      told.push(`${to === close ? 'ours' : 'another'} ${steps}`);
      pools.takeAll(pool);
    },
    nobodys: (_pools: Pools, pool: Parameters<Pools['takeAll']>[0]) => {
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
    forced: { waiting: () => 0 },
    held: () => 0,
  };
  const attribution = new Attribution(parts as never);
  return {
    clock,
    sights,
    close,
    traded(from: number, at: number) {
      const closed = { steps: 5, value: new Decimal(500), fee: new Decimal('0.3') };
      pools.add({ ...unchanged({ symbol: SYMBOL, positionSide: 'long' }), closed, cost: new Decimal(490) }, from, at, BTC);
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
