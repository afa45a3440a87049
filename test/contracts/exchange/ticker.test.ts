import { expect, test } from '@jest/globals';
import { operationContract } from './operation-contract.ts';

const local = operationContract({
  number: 3,
  name: 'ticker',
  request: () => ({ symbol: 'BTCUSDT_SPBL' }),
  refused: [
    { title: 'with an empty symbol', change: { symbol: '' }, said: 'symbol must be text that is not empty', code: '40020' },
    { title: 'for a pair that is not listed', change: { symbol: 'DOGEUSDT_SPBL' }, said: undefined, code: '40102' },
  ],
});

test('returns the last price of one pair', async () => {
  expect(await local().client().ticker({ symbol: 'BTCUSDT_SPBL' })).toMatchObject({ symbol: 'BTCUSDT_SPBL', lastPrice: '100' });
});
