import { expect, test } from '@jest/globals';
import { T0 } from '../../builders.ts';
import { PERP, trigger } from '../../local-exchange/local.ts';
import { operationContract } from './operation-contract.ts';
import { emptyPageRule, periodRule } from './periods.ts';

const local = operationContract({
  number: 14,
  name: 'futuresOrders',
  prepare: async (exchange) => {
    for (let index = 0; index < 101; index++) {
      await exchange.client().triggerOrder(trigger({ client_oid: `n${index}`, size: '0.0001' }));
      exchange.step(1_000);
    }
  },
  request: () => ({ symbol: PERP, orderId: '690800371848708186', startTime: T0, endTime: T0 + 1, limit: 100, page: 0 }),
  refused: [
    periodRule('startTime', 'endTime'),
    emptyPageRule('limit'),
    { title: 'for a contract that is not listed', change: { symbol: 'cmt_dogeusdt' }, said: undefined, code: '40102' },
  ],
});

const names = async (request: object) => (await local().client().futuresOrders(request)).map(({ client_oid }) => client_oid);

test('pages from 0, a hundred at a time', async () => {
  const all = Array.from({ length: 101 }, (_, index) => `n${100 - index}`);
  expect(await names({})).toEqual(all.slice(0, 100));
  expect(await names({ page: 1 })).toEqual(['n0']);
  expect(await names({ page: 2 })).toEqual([]);
  expect(await names({ page: 1, limit: 3 })).toEqual(['n97', 'n96', 'n95']);
});

test('accepts one order, or a period', async () => {
  const [newest] = await local().client().futuresOrders({ limit: 1 });
  expect(await names({ orderId: newest!.order_id })).toEqual(['n100']);
  expect(await names({ startTime: T0 + 1_000, endTime: T0 + 2_000 })).toEqual(['n2', 'n1']);
});
