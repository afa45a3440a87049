import { expect, test } from '@jest/globals';
import { operationContract } from './operation-contract.ts';

const local = operationContract({ number: 10, name: 'futuresAssets', request: () => ({}) });

test('returns the futures wallet with its unrealized profit, on the futures port as a bare array', async () => {
  const asset = { coinId: 2, coinName: 'USDT', available: '10000', frozen: '0', equity: '10000', unrealizePnl: '0' };
  expect(await local().client().futuresAssets()).toEqual([asset]);
  expect((await local().send({ host: 'futures', target: '/capi/v2/account/assets', as: 'guest' })).json).toEqual([asset]);
});
