import { expect, test } from '@jest/globals';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 2,
  name: 'exchangeInfo',
  request: () => ({ symbol: 'BTCUSDT_SPBL' }),
  refused: [
    { title: 'for a pair that is not listed', change: { symbol: 'DOGEUSDT_SPBL' }, said: undefined, code: '40102' },
    { title: 'for several, one not listed', change: { symbols: 'BTCUSDT_SPBL,DOGEUSDT_SPBL' }, said: undefined, code: '40102' },
  ],
});

test('accepts one pair, several, or none for all', async () => {
  const pairs = async (request: object) => (await local().client().exchangeInfo(request)).map(({ symbol }) => symbol);
  expect(await pairs({ symbol: 'ETHUSDT_SPBL' })).toEqual(['ETHUSDT_SPBL']);
  expect(await pairs({ symbols: 'BTCUSDT_SPBL,ETHUSDT_SPBL' })).toEqual(['BTCUSDT_SPBL', 'ETHUSDT_SPBL']);
  expect(await pairs({})).toEqual(['BTCUSDT_SPBL', 'ETHUSDT_SPBL']);
});
