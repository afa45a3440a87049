import { expect, test } from '@jest/globals';
import type { AccountEvent, HealthChanged } from '../../src/model/account-events.ts';
import { Ticker } from '../../src/model/market-events.ts';
import { applyAccount, resumeState } from '../../src/state/apply.ts';
import { BTC, filled, price, state, submitted } from './builders.ts';

const kill: AccountEvent = { kind: 'riskLatched', time: 3, rule: 'kill', drawdown: 0, limit: 0, reason: 'by hand' };
const fall: AccountEvent = { kind: 'riskLatched', time: 4, rule: 'maxDrawdown', drawdown: 0.3, limit: 0.2 };
const health = (over: Partial<HealthChanged> = {}): HealthChanged => ({
  kind: 'healthChanged',
  time: 1,
  subject: 'market',
  symbol: 'BTC-USDT',
  condition: 'stale',
  reason: 'no ticker',
  ...over,
});

test('market and account events fold into the state they once made', () => {
  const accepted: AccountEvent = { kind: 'orderAccepted', time: 2, clientOrderId: 'c1', orderId: 'v1', held: false };
  const target = state();
  resumeState(target, [new Ticker(BTC, 1, 7, 100), submitted(), accepted, new Ticker(BTC, 2, 9, 104), filled({}, 4, 104, false, 3)]);
  expect([target.sequence, target.time, target.market(BTC).lastTicks, target.heldSteps(BTC)]).toEqual([9, 3, 104, 4]);
  expect(target.openOrders.get('c1')).toMatchObject({ status: 'partiallyFilled', orderId: 'v1', filledSteps: 4 });
});

test('latches stay set, each for itself, until they are reset', () => {
  const target = state();
  for (const event of [kill, fall]) applyAccount(target, event);
  expect([...target.latches.values()]).toEqual([kill, fall]);
  expect(target.drawdownLatched).toBe(true);
  applyAccount(target, { kind: 'latchReset', time: 5, rule: 'maxDrawdown' });
  expect([...target.latches.keys()]).toEqual(['kill']);
  expect(target.drawdownLatched).toBe(false);
});

test('a reset drawdown is measured from the equity of that time', () => {
  const target = state();
  const equity = { wallet: 'spot', asset: 'USDT', frozen: target.portfolio.balance('USDT').frozen } as const;
  const worth = (amount: number, time: number) => {
    const total = BTC.tick.toDecimal(amount);
    applyAccount(target, { kind: 'balanceChanged', time, balance: { ...equity, total }, entry: undefined });
    price(target, 100, BTC, time);
  };
  worth(100, 1);
  worth(60, 2);
  expect(target.portfolio.drawdown.current).toBe(0.4);
  applyAccount(target, { kind: 'latchReset', time: 3, rule: 'kill' });
  expect(target.portfolio.drawdown.current).toBe(0.4);
  applyAccount(target, { kind: 'latchReset', time: 3, rule: 'maxDrawdown' });
  expect([target.portfolio.drawdown.current, target.portfolio.drawdown.depth]).toEqual([0, 0]);
  worth(54, 4);
  expect([target.portfolio.drawdown.current, target.portfolio.drawdown.depth]).toEqual([0.1, 0.1]);
});

test('health is stored by subject and symbol; fresh data has no entry', () => {
  const target = state();
  const halted = health({ subject: 'instrument', condition: 'halted' });
  for (const event of [health(), health({ symbol: '', subject: 'account' }), halted]) applyAccount(target, event);
  expect([...target.health.keys()]).toEqual(['market/BTC-USDT', 'account/', 'instrument/BTC-USDT']);
  applyAccount(target, health({ condition: 'fresh' }));
  applyAccount(target, health({ condition: 'fresh', symbol: '', subject: 'account' }));
  expect([...target.health.values()]).toEqual([halted]);
});
