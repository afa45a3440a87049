import { expect, test } from '@jest/globals';
import { REFUSAL_FATES, refusalOf } from '../../src/model/refusals.ts';

test('a refusal has a reason, a cancel has none', () => {
  const of = { time: 0, clientOrderId: 'c' };
  expect(refusalOf({ kind: 'orderRejected', ...of, reason: { code: 'neverSent', message: '' } })?.code).toBe('neverSent');
  expect(refusalOf({ kind: 'orderExpired', ...of, reason: 'noLiquidity' })?.code).toBe('noLiquidity');
  expect(refusalOf({ kind: 'orderCanceled', ...of, reason: 'requested' })).toBeUndefined();
});

test.each([
  ['neverSent', 'passing'],
  ['venueLimited', 'passing'],
  ['orderRateAboveLimit', 'passing'],
  ['instrumentHalted', 'passing'],
  ['venueRefused', 'final'],
  ['balanceTooLow', 'final'],
  ['coinsReserved', 'passing'],
  ['coinsLacked', 'passing'],
  ['tradingSuspended', 'passing'],
  ['gridChanged', 'passing'],
  ['nothingToClose', 'over'],
] as const)('%s is %s', (code, fate) => {
  expect(REFUSAL_FATES[code]).toBe(fate);
});
