import { expect, test } from '@jest/globals';
import { PERP, trigger } from '../../local-exchange/local.ts';
import { identifierRules } from './identifiers.ts';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 12,
  name: 'cancelFuturesOrder',
  request: () => ({ symbol: PERP, clientOid: 'gone' }),
  refused: [
    ...identifierRules('orderId', 'clientOid'),
    { title: 'for a contract that is not listed', change: { symbol: 'cmt_dogeusdt' }, said: undefined, code: '40102' },
  ],
  // Real clients leave the symbol out.
  taken: ['without symbol', 'with symbol null'],
});

test('shows by its result whether the order was canceled', async () => {
  const client = local().client();
  const { order_id: orderId } = await client.triggerOrder(trigger({ client_oid: 'to-go' }));
  expect(await client.cancelFuturesOrder({ symbol: PERP, orderId })).toMatchObject({
    order_id: orderId,
    client_oid: 'to-go',
    result: true,
  });
  expect(await client.cancelFuturesOrder({ symbol: PERP, orderId })).toMatchObject({ result: false });
  const gone = await client.cancelFuturesOrder({ symbol: PERP, clientOid: 'gone' });
  expect(gone).toMatchObject({ result: false, err_msg: 'FAILED_ORDER_NOT_FOUND' });
});
