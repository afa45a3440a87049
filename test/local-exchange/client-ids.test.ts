import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import { BTC, type Local, PERP, spotOrder, startLocal, trigger } from './local.ts';

let local: Local;
let client: ExchangeClient;
beforeEach(async () => {
  local = await startLocal();
  client = local.client();
  local.price('BTC-USDT', '101');
  local.price('BTC-USDT-PERP', '100');
});
afterEach(() => local.close());

test('a client id of spot is free for futures, and each host finds its own order by it', async () => {
  await client.batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId: 'same' })] });
  const { order_id } = await client.triggerOrder(trigger({ client_oid: 'same' }));
  expect(await client.orderInfo({ clientOrderId: 'same' })).toMatchObject([{ symbol: BTC, status: 'open' }]);
  expect(await client.cancelFuturesOrder({ symbol: PERP, clientOid: 'same' })).toMatchObject({ result: true, order_id });
  expect(await client.orderInfo({ clientOrderId: 'same' })).toMatchObject([{ status: 'open' }]);
  expect(await client.cancelOrder({ symbol: BTC, clientOid: 'same' })).toMatchObject({ result: true, symbol: BTC });
});

test('an id that the exchange assigns is one that its owner does not use', async () => {
  for (const client_oid of ['auto_2', 'auto_4']) await client.triggerOrder(trigger({ client_oid }));
  const given = [await client.triggerOrder(trigger({ client_oid: '' })), await client.triggerOrder(trigger({ client_oid: '' }))];
  expect(new Set(['auto_2', 'auto_4', ...given.map(({ client_oid }) => client_oid)]).size).toBe(4);
  expect(await client.futuresOrders()).toHaveLength(4);
});
