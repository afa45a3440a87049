import { expect, test } from '@jest/globals';
import { operationContract } from './operation-contract.ts';

const local = operationContract({ number: 1, name: 'currencies', request: () => ({}) });

test('lists every coin once, with its chains', async () => {
  const coins = await local().client().currencies();
  expect(coins.map(({ coinId, coinName }) => [coinId, coinName])).toEqual([
    ['1', 'BTC'],
    ['2', 'USDT'],
    ['3', 'ETH'],
  ]);
  for (const { chains } of coins) expect(chains).toHaveLength(1);
});
