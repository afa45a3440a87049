import { expect, test } from '@jest/globals';
import { OrderLife } from '../../../../src/venues/reconcile/order-life.ts';
import { TrackedOrder, TrackedOrders } from '../../../../src/venues/reconcile/order-record.ts';
import { type LostIds, NOTHING_LOST } from '../../../../src/venues/reconcile/settings.ts';
import { ForcedOrders } from '../../../../src/venues/rest/futures/attribution/fill-reporter.ts';
import { ListedStates } from '../../../../src/venues/rest/futures/attribution/listed-states.ts';
import { FuturesLists } from '../../../../src/venues/rest/futures/futures-lists.ts';
import { order } from '../../../builders.ts';
import { BTC } from './world.ts';

const LAG_MS = 1_000;

/** The lists of one contract, and an order of ours that was told as filled. */
function lists(lost: LostIds = NOTHING_LOST) {
  const clock = { time: 0 };
  const context = { clock: { now: () => clock.time }, log: { warn() {} }, report() {} } as never;
  const orders = new TrackedOrders();
  const over = new TrackedOrder(order({ instrument: BTC }));
  orders.add(over);
  orders.end(over);
  const life = new OrderLife(orders, {} as never, context);
  const listedStates = new ListedStates(LAG_MS, () => clock.time);
  const made = new FuturesLists({
    context: context,
    orders,
    life,
    listedStates: listedStates,
    forced: new ForcedOrders(),
    isOwn: () => true,
    lost,
    lagMs: LAG_MS,
  });
  return {
    /** A list at that time, which shows it so; then who has risen. */
    at(time: number, status?: string): TrackedOrder[] {
      clock.time = time;
      const record = { order_id: '7', client_oid: over.clientOrderId, symbol: 'cmt_btcusdt', type: 'open_long', status, filled_qty: '0' };
      made.note(made.request(BTC), status === undefined ? [] : [record as never]);
      return made.risen(LAG_MS);
    },
    over,
    clock,
    orders,
    listedStates,
    life,
    /** A list that shows these. */
    shows(
      ...records: readonly {
        readonly order_id: string;
        readonly client_oid: string;
        readonly status: string;
        readonly filled_qty?: string;
      }[]
    ) {
      const terms = { symbol: 'cmt_btcusdt', type: 'open_long', filled_qty: '0' };
      made.note(
        made.request(BTC),
        records.map((record) => ({ ...terms, ...record }) as never),
      );
    },
    isOthers: (orderId: string) => made.isOthers(orderId),
  };
}

test('an order that counted as ended, and is listed as open for longer than the lag explains, is reported repeatedly', () => {
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

/** What was found lost, of a journal that has given ids up to number 5. */
function losing() {
  const found: string[] = [];
  const isLost = (id: string, isOver = false) => id.startsWith('bot-') && !(isOver && Number(id.slice(4)) <= 5);
  const lost = {
    ...NOTHING_LOST,
    ownerOf: (id: string, _symbol: string, isOver?: boolean) => (isLost(id, isOver) ? { strategyId: 's' } : undefined),
    found: (id: string) => void found.push(id),
    unexplained() {},
  };
  return { ...lists(lost), found };
}

test.each(['open', 'filled', 'canceled'])(
  'a listed order that is %s, under an id that the journal never gave, was lost with its end',
  (status) => {
    const { shows, found } = losing();
    shows({ order_id: '8', client_oid: 'bot-6', status }, { order_id: '9', client_oid: 'somebody', status });
    expect(found).toEqual(['bot-6']);
  },
);

test('one that is over, under an id that it did give, was only forgotten', () => {
  const { shows, found } = losing();
  shows({ order_id: '8', client_oid: 'bot-5', status: 'filled' }, { order_id: '9', client_oid: 'bot-4', status: 'open' });
  expect(found).toEqual(['bot-4']);
});

test('orders of others are known by their ids for as long as they are listed', () => {
  const { shows, isOthers } = lists();
  shows({ order_id: '8', client_oid: 'somebody', status: 'filled' });
  expect(isOthers('8')).toBe(true);
  shows();
  expect(isOthers('8')).toBe(false);
});

test('of two orders with one client id, ours is the one in the reply, also before it is listed', () => {
  const { clock, orders, listedStates, life, shows, found } = losing();
  const sent = new TrackedOrder(order({ instrument: BTC, clientOrderId: 'bot-3' }));
  orders.add(sent);
  listedStates.placed(sent);
  clock.time = 1_000;
  life.accepted(sent, '24');
  listedStates.answered(sent);
  const namesake = { order_id: '12', client_oid: 'bot-3', status: 'filled', filled_qty: '1' };
  clock.time = 1_500;
  shows(namesake);
  expect(listedStates.of(sent)).toMatchObject({ seen: false, filledSteps: 0 });
  clock.time = 2_500;
  shows(namesake, { order_id: '24', client_oid: 'bot-3', status: 'open' });
  expect(listedStates.of(sent)).toMatchObject({ seen: true, filledSteps: 0, status: 'open' });
  expect(found).toEqual(['bot-3']);
  clock.time = 4_000;
  shows(namesake);
  expect(listedStates.of(sent)).toMatchObject({ filledSteps: 0 });
  expect(listedStates.isAbsent(sent)).toBe(true);
});
