import { expect, test } from '@jest/globals';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import { identifierRules } from './identifiers.ts';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 6,
  name: 'cancelOrder',
  request: () => ({ symbol: BTC, clientOid: 'gone' }),
  refused: [
    ...identifierRules('orderId', 'clientOid'),
    { title: 'for a pair that is not listed', change: { symbol: 'DOGEUSDT_SPBL' }, said: undefined, code: '40102' },
  ],
});

test('shows by its result whether the order was canceled', async () => {
  const client = local().client();
  const { resultList } = await client.batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId: 'to-go', price: '90' })] });
  const { orderId } = resultList[0]!;
  const canceled = { order_id: orderId, client_oid: 'to-go', symbol: BTC, result: true, err_code: '', err_msg: '' };
  expect(await client.cancelOrder({ symbol: BTC, orderId })).toEqual(canceled);
  const again = await client.cancelOrder({ symbol: BTC, clientOid: 'to-go' });
  expect(again).toMatchObject({ result: false, err_msg: expect.stringMatching(/./) });
});
