import { expect, test } from '@jest/globals';
import { unlikeSent } from '../../../../src/venues/reconcile/foreign.ts';
import { TrackedOrder } from '../../../../src/venues/reconcile/order-record.ts';
import { SpotReads } from '../../../../src/venues/rest/spot/spot-reads.ts';
import { T0 } from '../../../builders.ts';
import { BTC, Scripted } from './scripted.ts';

const scripted = await Scripted.open();

/** Ten steps for at most 100, sent at `T0`, and the record that the exchange has of it. */
function sent() {
  const order = new TrackedOrder(scripted.request('c1'));
  order.sentAt = T0;
  const { instrument } = order.request;
  const record = {
    orderId: '7',
    clientOrderId: 'c1',
    symbol: 'BTCUSDT_SPBL',
    side: 'buy',
    orderType: 'limit',
    price: instrument.tick.toText(100),
    quantity: instrument.step.toText(10),
    cTime: String(T0 - 60_000),
    fillQuantity: '',
    status: 'new',
  };
  return { order, record };
}

/** How the order of a record differs from ours. */
async function unlike(record: object, order: TrackedOrder): Promise<string | undefined> {
  const log = { debug() {}, info() {}, warn() {} };
  const reads = new SpotReads({ orderInfo: async () => [record] } as never, [BTC], log);
  return unlikeSent((await reads.order({ ask: 'order', id: { orderId: '7' } }))!, order);
}

test('a record matches its request with any letter case, also with empty fields', async () => {
  const { order, record } = sent();
  for (const said of [record, { ...record, side: 'BUY', orderType: 'LIMIT' }, { ...record, side: '', price: '', quantity: '0', cTime: '' }])
    expect(await unlike(said, order)).toBeUndefined();
});

test.each([
  ['side', 'sell', 'it is a limit sell'],
  ['orderType', 'market', 'it is a market buy'],
  ['symbol', 'ETHUSDT_SPBL', 'it is on ETHUSDT_SPBL'],
  ['price', '0.5', 'its price is 0.5'],
  ['quantity', '77', 'its quantity is 77'],
  ['cTime', String(T0 - 60_001), 'it is older than the request'],
])('an order under a known client id with another %s is not the one that was sent', async (field, value, why) => {
  const { order, record } = sent();
  expect(await unlike({ ...record, [field]: value }, order)).toBe(why);
});

test('one with another id may be ours until a record has shown the id of its reply', async () => {
  const { order, record } = sent();
  order.orderId = '8';
  expect(await unlike(record, order)).toBeUndefined();
});

test('nor is one with another id of the exchange', async () => {
  const { order, record } = sent();
  order.orderId = '8';
  order.shown = true;
  expect(await unlike(record, order)).toBe('it is order 7, not 8');
});

test.each([
  ['filled', { status: 'full_fill', filled: 10 }, ['orderAccepted h', 'orderFilled h 10']],
  ['canceled', { status: 'cancelled', filled: 10 }, ['orderAccepted h', 'orderFilled h 10']],
  ['canceled before it filled anything', { status: 'cancelled', filled: 0 }, ['orderAccepted h', 'orderCanceled h']],
  ['left open', { status: 'new', filled: 0 }, ['orderAccepted h']],
] as const)('an order that the engine holds by the journal, sent by a run that it lost and %s, is that order', async (_, listed, told) => {
  const spot = Scripted.unopened();
  spot.orders.set('h', listed);
  if (listed.filled > 0) spot.fills.push({ fillId: '1', orderId: 'v-h', at: 0, steps: listed.filled });
  await spot.begin([], [spot.request('h')]);
  await spot.rounds(3);
  expect(spot.told).toEqual(told);
  expect(spot.acted).toEqual([]);
});

// Seeds 600002118 and 600002432.
test('a held market buy by quantity that was sent after all is one by quantity, and not for an amount', async () => {
  const spot = Scripted.unopened();
  spot.orders.set('h', { status: 'full_fill', filled: 10 });
  spot.fills.push({ fillId: '1', orderId: 'v-h', at: 0, steps: 10 });
  await spot.begin([], [spot.request('h', { type: 'market', priceTicks: undefined })]);
  await spot.rounds(3);
  expect(spot.told).toEqual(['orderAccepted h', 'orderFilled h 10']);
});

test('one that does not exist at the exchange stays held', async () => {
  const spot = Scripted.unopened();
  await spot.begin([], [spot.request('h')]);
  await spot.rounds(3);
  expect(spot.told).toEqual([]);
});

test('nor is one that appears after the engine has ended it: its fills are reported separately', async () => {
  const spot = Scripted.unopened();
  await spot.begin([], [spot.request('h')]);
  spot.held = [];
  spot.orders.set('h', { status: 'full_fill', filled: 10 });
  spot.fills.push({ fillId: '1', orderId: 'v-h', at: 3_000, steps: 10 });
  await spot.rounds(10);
  expect(spot.told).toEqual([]);
  expect(spot.events.filter((event) => event.kind === 'balanceChanged' && event.entry?.reason === 'foreign')).toHaveLength(2);
});

test('fills of another order than the one asked for are not taken', async () => {
  const fill = { symbol: 'BTCUSDT_SPBL', baseCoin: 'BTC', quoteCoin: 'USDT', side: 'buy', fillPrice: '100', fillQuantity: '1' };
  const list = ['7', '8'].map((orderId) => ({ ...fill, orderId, fillId: `f${orderId}`, fillTotalAmount: '100', fees: '0', cTime: T0 }));
  const fills = async () => ({ fillsOrderResultList: list, nextPage: false, totals: 2 });
  const reads = new SpotReads({ fills } as never, [BTC], { debug() {}, info() {}, warn() {} });
  expect((await reads.fillsOf({ ask: 'fillsOf', instrument: BTC, orderId: '8' })).map(({ fillId }) => fillId)).toEqual(['f8']);
});
