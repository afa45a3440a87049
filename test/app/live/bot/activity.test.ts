import { expect, test } from '@jest/globals';
import { Activity } from '../../../../src/app/live/bot/activity.ts';
import type { OrderDenied } from '../../../../src/model/account-events.ts';
import type { Denial } from '../../../../src/model/reasons.ts';
import { T0 } from '../../../builders.ts';
import { filled, submitted } from '../../../state/builders.ts';

const MINUTE = 60_000;
const denied = (time: number, code: 'noMarketPrice' | 'orderUnknown' = 'noMarketPrice'): OrderDenied => {
  const reason = (code === 'noMarketPrice' ? { code, symbol: 'BTC-USDT' } : { code, clientOrderId: 'x' }) as Denial;
  return { kind: 'orderDenied', time, clientOrderId: '', strategyId: 's', symbol: 'BTC-USDT', side: 'buy', tag: '', reason };
};

test('counts denials of the last hour by code, and forgets older ones', () => {
  const activity = new Activity();
  for (const [minute, code] of [
    [0, 'noMarketPrice'],
    [30, 'orderUnknown'],
    [59, 'noMarketPrice'],
  ] as const) {
    activity.take(denied(T0 + minute * MINUTE, code));
  }
  expect(activity.deniedSince(T0 + 59 * MINUTE)).toEqual({ noMarketPrice: 2, orderUnknown: 1 });
  expect(activity.deniedSince(T0 + 61 * MINUTE)).toEqual({ noMarketPrice: 1, orderUnknown: 1 });
  expect(activity.deniedSince(T0 + 200 * MINUTE)).toEqual({});
});

test('ten denials in a row are a streak, which an order ends', () => {
  const activity = new Activity();
  for (let i = 0; i < 9; i++) activity.take(denied(T0 + i));
  expect(activity.deniedStreak).toBeUndefined();
  activity.take(denied(T0 + 9, 'orderUnknown'));
  expect(activity.deniedStreak).toEqual({ count: 10, since: T0, codes: { noMarketPrice: 9, orderUnknown: 1 } });
  activity.take(submitted({ clientOrderId: 'a' }));
  expect(activity.deniedStreak).toBeUndefined();
});

test('keeps the last order, and the newest five fills', () => {
  const activity = new Activity();
  activity.take(submitted({ clientOrderId: 'a', priceTicks: 90, steps: 6 }));
  activity.take({ ...(submitted({ clientOrderId: 'b' }) as object), again: true } as never);
  expect(activity.lastOrder).toMatchObject({ clientOrderId: 'a', quantity: '6', price: '90' });
  for (let steps = 1; steps <= 6; steps++) activity.take(filled({ clientOrderId: 'a' }, steps, 100));
  expect(activity.lastFills.map(({ quantity }) => quantity)).toEqual(['6', '5', '4', '3', '2']);
});
