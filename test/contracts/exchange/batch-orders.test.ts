import { expect, test } from '@jest/globals';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import type { Refused } from './contract.ts';
import { entryBreaches } from './documented.ts';
import { clientIdRules } from './identifiers.ts';
import { operationContract } from './operation-contract.ts';

const inList = (change: object) => ({ orderList: [{ ...spotOrder({ price: '90' }), ...change }] });
const bad = (title: string, change: object, field: string, code: string): Refused => ({
  title: `${title} in an order`,
  change: inList(change),
  said: `orderList[0].${field}`,
  code,
});

const local = operationContract({
  number: 7,
  name: 'batchOrders',
  request: () => ({ symbol: BTC, ...inList({}) }),
  refused: [
    ...entryBreaches(inList),
    ...clientIdRules('clientOrderId').map(({ title, change, code }) => bad(title, change, 'clientOrderId must be', code)),
    bad('with a side that is none', { side: 'hold' }, 'side must be one of buy, sell', '40020'),
    bad('with a type that is none', { orderType: 'stop' }, 'orderType must be one of limit, market', '40020'),
    bad('with a force that is none', { force: 'gtc' }, 'force must be one of normal, postOnly, fok, ioc', '40020'),
    bad('without the price of a limit', { price: undefined }, 'price is required', '40019'),
    bad('with a price of 0', { price: '0' }, 'price is required, above 0', '40019'),
    bad('with a price below 0', { price: '-1' }, 'price must be a decimal', '43011'),
    bad('with a price that is bare', { price: 90 }, 'price must be a decimal', '40020'),
    bad('with a quantity of 0', { quantity: '0.000' }, 'quantity must be a decimal number above 0', '40020'),
    bad('with a quantity below 0', { quantity: '-1' }, 'quantity must be a decimal number above 0', '43010'),
    bad('with an exponent', { quantity: '1e1' }, 'quantity must be a decimal number above 0', '40020'),
    { title: 'with no order', change: { orderList: [] }, said: 'orderList must not be empty', code: '40020' },
    {
      title: 'with eleven orders',
      change: { orderList: Array.from({ length: 11 }, () => spotOrder({ price: '90' })) },
      said: 'orderList must have at most 10 orders',
      code: '40912',
    },
    { title: 'for a pair that is not listed', change: { symbol: 'DOGEUSDT_SPBL' }, said: undefined, code: '40102' },
    { title: 'off the step', change: inList({ price: '90.001' }), said: undefined, code: '40015' },
    { title: 'for more than the balance', change: inList({ quantity: '1000000' }), said: undefined, code: '40015' },
  ],
});

test('places up to ten orders, and answers each by its client id with an id past 2^53', async () => {
  const orderList = Array.from({ length: 10 }, () => spotOrder({ price: '80' }));
  const { resultList } = await local().client().batchOrders({ symbol: BTC, orderList });
  expect(resultList.map(({ clientOrderId }) => clientOrderId)).toEqual(orderList.map(({ clientOrderId }) => clientOrderId));
  expect(new Set(resultList.map(({ orderId }) => orderId)).size).toBe(10);
  for (const { orderId } of resultList) expect(BigInt(orderId)).toBeGreaterThan(2n ** 53n);
});
