import { expect, test } from '@jest/globals';
import type { Refused } from './contract.ts';
import { operationContract } from './operation-contract.ts';

const amount = (value: unknown, code = '40020'): Refused => ({
  title: `for the amount ${JSON.stringify(value)}`,
  change: { amount: value },
  said: 'amount must be a decimal number above 0 with at most 6 places',
  code,
});

const local = operationContract({
  number: 19,
  name: 'internalWithdrawal',
  as: 'affiliate',
  request: (exchange) => ({
    toUserId: exchange.account('guest').uid,
    coin: 'USDT',
    amount: '0.000001',
    fromAccountType: 'SPOT',
    toAccountType: 'FUND',
  }),
  refused: [
    ...['0', '0.000000', '1.1234567', '1e3', '+1', ' 1', '1.', '.5', ''].map((value) => amount(value)),
    amount('-1', '43010'),
    ...['fromAccountType', 'toAccountType'].map((name) => ({
      title: `with ${name} of a wallet that is none`,
      change: { [name]: 'CONTRACT' },
      said: `${name} must be one of SPOT, FUND`,
      code: '40020',
    })),
    { title: 'for an unknown coin', change: { coin: 'DOGE' }, said: undefined, code: '40020' },
    { title: 'for more than the balance', change: { amount: '1000000' }, said: undefined, code: '40015' },
  ],
});

test('moves money from one spot wallet to another by default', async () => {
  const toUserId = local().account('stranger').uid;
  const { id } = await local().client('affiliate').internalWithdrawal({ toUserId, coin: 'USDT', amount: '1.5' });
  expect(id).toMatch(/^\d{18}$/);
  local().step(2_000);
  expect(await local().client('stranger').accountAssets()).toMatchObject([{ coinName: 'USDT', equity: '1001.5' }]);
});
