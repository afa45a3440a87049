import { expect, test } from '@jest/globals';
import { operationContract } from './operation-contract.ts';

const local = operationContract({ number: 4, name: 'tickers', request: () => ({}) });

test('returns the last price of every spot pair that has one', async () => {
  expect(await local().client().tickers()).toMatchObject([{ symbol: 'BTCUSDT_SPBL', lastPrice: '100' }]);
  local().price('ETH-USDT', '5');
  expect((await local().client().tickers()).map(({ symbol }) => symbol)).toEqual(['BTCUSDT_SPBL', 'ETHUSDT_SPBL']);
});
