import { expect, test } from '@jest/globals';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import { identifierRules } from './identifiers.ts';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 5,
  name: 'orderInfo',
  prepare: async (exchange) => {
    await exchange.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId: 'asked-for', price: '90' })] });
  },
  request: () => ({ clientOrderId: 'asked-for' }),
  refused: [
    ...identifierRules('orderId', 'clientOrderId'),
    { title: 'for an order that is not there', change: { clientOrderId: 'nobody' }, said: undefined, code: '43001' },
  ],
});

test('finds an order by either id, a list of one; an id past 2^53 keeps its digits', async () => {
  const [order] = await local().client().orderInfo({ clientOrderId: 'asked-for' });
  expect(order).toMatchObject({ symbol: BTC, status: 'open', price: '90' });
  expect(BigInt(order!.orderId)).toBeGreaterThan(2n ** 53n);
  expect(await local().client().orderInfo({ orderId: order!.orderId })).toEqual([order]);
});
