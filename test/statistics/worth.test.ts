import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { feeWorth, worthOf } from '../../src/statistics/run-record.ts';
import { fill } from './builders.ts';

// 2 BTC at 100.
const parts = { side: 'buy', quantity: '2', price: '100' } as const;

test.each([
  ['BTC', '0.002', undefined, '0.2'],
  ['USDT', '200', undefined, '200'],
  ['BTC', '0.002', '1.5', '0.3'],
  ['USDT', '200', '1.5', '300'],
])('a fee in %s of %s at a rate of %s is worth its base at the fill price, or itself in quote: %s', (feeAsset, fee, rate, worth) => {
  expect(feeWorth(fill({ ...parts, fee, feeAsset }), rate === undefined ? undefined : new Decimal(rate)).toFixed()).toBe(worth);
});

test('a converted amount has 18 places, and a half rounds to the even digit', () => {
  const halves = ['0.0000000000000000005', '0.0000000000000000015'].map((amount) => worthOf(new Decimal(amount), new Decimal(1)));
  expect(halves.map((worth) => worth.toFixed())).toEqual(['0', '0.000000000000000002']);
});
