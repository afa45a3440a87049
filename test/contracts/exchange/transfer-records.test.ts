import { expect, test } from '@jest/globals';
import { T0 } from '../../builders.ts';
import { operationContract } from './operation-contract.ts';
import { emptyPageRule, periodRule } from './periods.ts';

const local = operationContract({
  number: 11,
  name: 'transferRecords',
  prepare: async (exchange) => {
    for (let index = 1; index <= 501; index++) {
      exchange.exchange.control.transfer('guest', 'USDT', `${index}`, 'spot', 'futures');
      exchange.exchange.control.transfer('guest', 'USDT', `${index}`, 'futures', 'spot');
      exchange.step(1_000);
    }
  },
  request: () => ({ coinId: 2, fromType: 'SPOT', before: T0, after: T0 + 5_000, limit: 500 }),
  // The two ends bear each other's names here.
  refused: [periodRule('before', 'after'), emptyPageRule('limit')],
});

const amounts = async (request: object) =>
  (
    await local()
      .client()
      .transferRecords({ fromType: 'SPOT', ...request })
  ).map(({ amount }) => Number(amount));

test('returns 100 records by default, and 500 at most', async () => {
  expect(await amounts({})).toEqual(Array.from({ length: 100 }, (_, index) => 501 - index));
  expect(await amounts({ limit: 500 })).toHaveLength(500);
  expect(await amounts({ limit: 2 })).toEqual([501, 500]);
});

test('returns records before `after` and after `before`', async () => {
  expect(await amounts({ before: T0, after: T0 + 3_000 })).toEqual([3, 2]);
});
