import { expect, test } from '@jest/globals';
import { unlikeSent } from '../../../../src/venues/rest/spot/lost-spot.ts';
import { TrackedOrder } from '../../../../src/venues/rest/tracked-orders.ts';
import { T0 } from '../../../builders.ts';
import { Scripted } from './scripted.ts';

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
  };
  return { order, record };
}

test('a record of what was sent is taken for it, in any case of its words, also where fields are empty', () => {
  const { order, record } = sent();
  for (const said of [record, { ...record, side: 'BUY', orderType: 'LIMIT' }, { ...record, side: '', price: '', quantity: '0', cTime: '' }])
    expect(unlikeSent(said as never, order)).toBeUndefined();
});

test.each([
  ['side', 'sell', 'it is a limit sell'],
  ['orderType', 'market', 'it is a market buy'],
  ['symbol', 'ETHUSDT_SPBL', 'it is on ETHUSDT_SPBL'],
  ['price', '0.5', 'its price is 0.5'],
  ['quantity', '77', 'its quantity is 77'],
  ['cTime', String(T0 - 60_001), 'it is older than the request'],
])('an order under a known client id with another %s is not the one that was sent', (field, value, why) => {
  const { order, record } = sent();
  expect(unlikeSent({ ...record, [field]: value } as never, order)).toBe(why);
});

test('nor is one with another id of the exchange', () => {
  const { order, record } = sent();
  order.orderId = '8';
  expect(unlikeSent(record as never, order)).toBe('it is order 7, not 8');
});
