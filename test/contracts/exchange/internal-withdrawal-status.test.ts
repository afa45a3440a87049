import { expect, test } from '@jest/globals';
import { T0 } from '../../builders.ts';
import { operationContract } from './operation-contract.ts';
import { emptyPageRule, periodRule } from './periods.ts';

const DAY_MS = 86_400_000;

const local = operationContract({
  number: 20,
  name: 'internalWithdrawalStatus',
  as: 'affiliate',
  prepare: async (exchange) => {
    const client = exchange.client('affiliate');
    const toUserId = exchange.account('guest').uid;
    for (let index = 1; index <= 201; index++) {
      await client.internalWithdrawal({ toUserId, coin: 'USDT', amount: `${index / 1_000}` });
      exchange.step(1_000);
    }
    await client.internalWithdrawal({ toUserId, coin: 'USDT', amount: '7', fromAccountType: 'FUND' });
  },
  request: () => ({
    withdrawID: '690800371848708186',
    coin: 'USDT',
    startTime: T0,
    endTime: T0 + 1,
    fromAccountType: 'SPOT',
    toAccountType: 'SPOT',
    page: 1,
    pageSize: 200,
  }),
  refused: [
    periodRule('startTime', 'endTime'),
    emptyPageRule('page'),
    emptyPageRule('pageSize'),
    ...['fromAccountType', 'toAccountType'].map((name) => ({
      title: `with ${name} of a wallet that is none`,
      change: { [name]: 'CONTRACT' },
      said: `${name} must be one of SPOT, FUND`,
      code: '40020',
    })),
    { title: 'for a time more than a month ago', change: { startTime: T0 - 40 * DAY_MS }, said: undefined, code: '40704' },
  ],
});

const page = async (request: object) => {
  const { total, list } = await local().client('affiliate').internalWithdrawalStatus(request);
  return { total, amounts: list.map(({ amount }) => Number(amount) * 1_000) };
};

test('pages from 1, a hundred at a time by default and 200 at most', async () => {
  const all = Array.from({ length: 201 }, (_, index) => 201 - index);
  expect(await page({})).toEqual({ total: 201, amounts: all.slice(0, 100) });
  expect(await page({ page: 3 })).toEqual({ total: 201, amounts: [1] });
  expect(await page({ pageSize: 200 })).toEqual({ total: 201, amounts: all.slice(0, 200) });
  expect(await page({ page: 2, pageSize: 2 })).toEqual({ total: 201, amounts: [199, 198] });
  expect(await page({ fromAccountType: 'FUND' })).toEqual({ total: 1, amounts: [7_000] });
});
