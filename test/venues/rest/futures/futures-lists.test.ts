import { expect, test } from '@jest/globals';
import { ForcedOrders } from '../../../../src/venues/rest/futures/attribution/fill-telling.ts';
import { Sights } from '../../../../src/venues/rest/futures/attribution/sights.ts';
import { FuturesLists } from '../../../../src/venues/rest/futures/futures-lists.ts';
import { OrderLife } from '../../../../src/venues/rest/order-life.ts';
import { TrackedOrder, TrackedOrders } from '../../../../src/venues/rest/tracked-orders.ts';
import { NOTHING_LOST } from '../../../../src/venues/rest/trading.ts';
import { order } from '../../../builders.ts';
import { BTC } from './world.ts';

const LAG_MS = 1_000;

/** The lists of one contract, and an order of ours that was told as filled. */
function lists() {
  const clock = { time: 0 };
  const outlets = { clock: { now: () => clock.time } } as never;
  const orders = new TrackedOrders();
  const over = new TrackedOrder(order({ instrument: BTC }));
  orders.add(over);
  orders.end(over);
  const life = new OrderLife(orders, {} as never, outlets);
  const sights = new Sights(LAG_MS, () => clock.time);
  const made = new FuturesLists({ outlets, orders, life, sights, forced: new ForcedOrders(), isOwn: () => true, lost: NOTHING_LOST });
  return {
    /** A list at that time, which shows it so; then who has risen. */
    at(time: number, status?: string): TrackedOrder[] {
      clock.time = time;
      const record = { order_id: '7', client_oid: over.clientOrderId, symbol: 'cmt_btcusdt', type: 'open_long', status, filled_qty: '0' };
      made.note(made.ask(BTC), status === undefined ? [] : [record as never]);
      return made.risen(LAG_MS);
    },
    over,
  };
}

test('an order that was taken for over, and stands in the lists for longer than a lag explains, is named, again and again', () => {
  const { at, over } = lists();
  expect(at(0, 'untriggered')).toEqual([]);
  expect(at(2_000, 'untriggered')).toEqual([]);
  expect(at(2_001, 'open')).toEqual([over]);
  expect(at(3_000, 'open')).toEqual([]);
  expect(at(4_002, 'open')).toEqual([over]);
});

test.each(['filled', 'canceled', 'canceling', undefined])('one that is then shown as %s was only shown late', (status) => {
  const { at } = lists();
  at(0, 'open');
  expect(at(1_500, status)).toEqual([]);
  expect(at(2_500, 'open')).toEqual([]);
});
