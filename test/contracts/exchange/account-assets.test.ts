import { expect, test } from '@jest/globals';
import { operationContract } from './operation-contract.ts';

const local = operationContract({ number: 9, name: 'accountAssets', request: () => ({}) });

test("returns the caller's spot wallet, without unrealizePnl", async () => {
  expect(await local().client('stranger').accountAssets()).toEqual([
    { coinId: 2, coinName: 'USDT', available: '1000', frozen: '0', equity: '1000' },
  ]);
});
