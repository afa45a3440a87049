import { expect, test } from '@jest/globals';
import { T0 } from '../../builders.ts';
import { BTC, spotOrder } from '../../local-exchange/local.ts';
import { operationContract } from './operation-contract.ts';
import { emptyPageRule, periodRule } from './periods.ts';

const DAY_MS = 86_400_000;

const local = operationContract({
  number: 17,
  name: 'subAffiliateData',
  as: 'affiliate',
  prepare: async (exchange) => {
    for (let day = 1; day <= 101; day++) {
      await exchange
        .client()
        .batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '101', quantity: `0.${String(day).padStart(3, '0')}` })] });
      exchange.step(DAY_MS);
    }
  },
  request: () => ({ subUid: '690800371848708186', startTime: T0, endTime: T0 + 1, productType: 'SPOT', pageNum: 1, pageSize: 100 }),
  refused: [
    {
      title: 'for an unknown product',
      change: { productType: 'MARGIN' },
      said: 'productType must be one of SPOT, FUTURES',
      code: '40020',
    },
    periodRule('startTime', 'endTime'),
    emptyPageRule('pageNum'),
    emptyPageRule('pageSize'),
  ],
});

const page = async (request: object) => {
  const { records, ...counts } = await local()
    .client('affiliate')
    .subAffiliateData({ productType: 'SPOT', ...request });
  return { ...counts, volumes: records.map(({ tradingVolume }) => Number(tradingVolume)) };
};

// A trade of 0.001 BTC at 100 on the first day, of 0.002 on the second and so on.
test('pages from 1, a hundred days at a time by default', async () => {
  expect(await page({})).toMatchObject({ total: 101, size: 100, current: 1, pages: 2 });
  expect((await page({})).volumes).toHaveLength(100);
  expect(await page({ pageNum: 2 })).toEqual({ total: 101, size: 100, current: 2, pages: 2, volumes: [0.1] });
  expect(await page({ pageNum: 2, pageSize: 2 })).toEqual({ total: 101, size: 2, current: 2, pages: 51, volumes: [9.9, 9.8] });
  expect(await page({ pageNum: 3 })).toMatchObject({ volumes: [] });
});
