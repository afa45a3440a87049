import { expect, test } from '@jest/globals';
import { T0 } from '../../builders.ts';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import { operationContract } from './operation-contract.ts';
import { periodRule } from './periods.ts';

const local = operationContract({
  number: 8,
  name: 'fills',
  prepare: async (exchange) => {
    for (let minute = 0; minute < 12; minute++) {
      await exchange.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '101', quantity: `${minute + 1}` })] });
      exchange.step(60_000);
    }
  },
  request: () => ({ symbol: BTC, orderId: '690800371848708186', after: T0, before: T0 + 1, pageIndex: 0, pageSize: 100 }),
  refused: [
    {
      title: 'with a page of none',
      change: { pageSize: 0 },
      said: 'pageSize must be a whole number of at least 1 and at most 100',
      code: '40020',
    },
    periodRule('after', 'before'),
    { title: 'for a pair that is not listed', change: { symbol: 'DOGEUSDT_SPBL' }, said: undefined, code: '40102' },
  ],
});

const quantities = async (request: object) => {
  const { fillsOrderResultList, nextPage, totals } = await local()
    .client()
    .fills({ symbol: BTC, ...request });
  return [fillsOrderResultList.map(({ fillQuantity }) => Number(fillQuantity)), nextPage, totals];
};

test('pages from 0, ten at a time by default, and shows whether more follow', async () => {
  expect(await quantities({})).toEqual([[12, 11, 10, 9, 8, 7, 6, 5, 4, 3], true, 12]);
  expect(await quantities({ pageIndex: 1 })).toEqual([[2, 1], false, 12]);
  expect(await quantities({ pageIndex: 2 })).toEqual([[], false, 12]);
  expect(await quantities({ pageIndex: 1, pageSize: 4 })).toEqual([[8, 7, 6, 5], true, 12]);
  expect(await quantities({ pageIndex: 2, pageSize: 4 })).toEqual([[4, 3, 2, 1], false, 12]);
  expect((await quantities({ pageSize: 100 }))[0]).toHaveLength(12);
});

test('looks through a period whose start is after and whose end is before', async () => {
  expect(await quantities({ after: T0 + 60_000, before: T0 + 180_000 })).toEqual([[4, 3, 2], false, 3]);
});
