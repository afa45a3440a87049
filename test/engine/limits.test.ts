import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { PlaceOrder } from '../../src/model/intents.ts';
import type { RiskLimits, StrategyLimits } from '../../src/risk/limits.ts';
import { place } from '../../src/strategy/intents.ts';
import { bars, type LogLine, type PlanOptions, run, type Script, strategy, T0, tickers } from './builders.ts';

const none = { maxPosition: new Map() };
const own = (limits: Partial<StrategyLimits>): Partial<RiskLimits> => ({ strategies: new Map([['a', { ...none, ...limits }]]) });

/** An order at each of these tickers or bars, counted from 1. */
function at(orders: Readonly<Record<number, PlaceOrder | readonly PlaceOrder[]>>, hook: 'onTicker' | 'onBar' = 'onTicker'): Script {
  let seen = 0;
  const act = () => [orders[++seen] ?? []].flat();
  return hook === 'onTicker' ? { onTicker: act } : { onBar: act, needs: { bars: '6h' } };
}
const market = (side: 'buy' | 'sell', quantity: number, over: Partial<PlaceOrder> = {}) =>
  place({ symbol: 'BTC-USDT', side, type: 'market', quantity, ...over });

/** A price a second. */
const prices = (...list: number[]) => [tickers(list.map((price, second) => [second, price] as const))];
const latches = (log: readonly LogLine[]) => log.filter(({ kind }) => ['riskLatched', 'latchReset', 'tradeStopped'].includes(kind));

const ONE = { balances: { USDT: '1000' } } satisfies Partial<PlanOptions>;

test('a drawdown limit that flattens cancels resting orders and closes positions, exits too', async () => {
  const script = at({
    1: [market('buy', 5, { exits: { stopLoss: 10 } }), place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 50, quantity: 1 })],
    4: market('buy', 1),
  });
  const result = await run([strategy('a', script)], {
    ...ONE,
    data: prices(100, 100, 70, 70, 40),
    limits: { maxDrawdown: { share: 0.1, onBreach: 'flatten' } },
  });
  // 1000 - 5 x 30 = 850; the price of 40 would have filled the bid at 50.
  expect(result.filled).toEqual(['buy 5 at 100', 'sell 5 at 70']);
  expect(latches(result.log)).toMatchObject([{ kind: 'riskLatched', rule: 'maxDrawdown', drawdown: 0.15, limit: 0.1 }]);
  expect(result.codes).toEqual(['drawdownLatched']);
  expect(result.tables.fills[1]!.tag).toBe('maxDrawdown');
});

test.each(['NaN', 'Infinity'])('a balance of %s allows no entry and closes nothing, whatever the limits are', async (balance) => {
  const script = at({ 1: market('buy', 5), 3: market('buy', 1) });
  const result = await run([strategy('a', script)], {
    balances: { USDT: balance },
    data: prices(100, 100, 70, 70),
    limits: { maxDrawdown: { share: 0.1, onBreach: 'flatten' } },
  });
  expect(latches(result.log)).toMatchObject([{ kind: 'riskLatched', rule: 'reduce', reason: 'equity cannot be computed' }]);
  expect([result.filled, result.codes]).toEqual([[], ['reducing', 'reducing']]);
});

test("a strategy's drawdown is measured on its capital, and closes only its own position", async () => {
  const result = await run([strategy('a', at({ 1: market('buy', 5), 5: market('buy', 1) })), strategy('b', at({ 1: market('buy', 5) }))], {
    balances: { USDT: '100000' },
    data: prices(100, 100, 81, 79, 79, 79),
    limits: own({ capital: new Decimal(1000), maxDrawdown: { share: 0.1, onBreach: 'flatten' } }),
  });
  // At 81 it has lost 95 of 1000, at 79 it has lost 105.
  expect(latches(result.log)).toMatchObject([{ rule: 'maxDrawdown', strategy: 'a', drawdown: 0.105, limit: 0.1 }]);
  expect(result.filled).toEqual(['buy 5 at 100', 'buy 5 at 100', 'sell 5 at 79']);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'drawdownLatched', drawdown: '0.105000', limit: '0.1', strategy: 'a' },
  ]);
});

test("a strategy's position is closed even if it is opposite to the account's net position", async () => {
  const script = at({ 1: market('buy', 5) });
  const result = await run([strategy('a', script), strategy('b', at({ 1: market('sell', 7) }))], {
    balances: { USDT: '100000' },
    data: prices(100, 100, 70, 70),
    limits: own({ capital: new Decimal(1000), maxDrawdown: { share: 0.1, onBreach: 'flatten' } }),
  });
  expect(result.filled).toEqual(['buy 5 at 100', 'sell 7 at 100', 'sell 5 at 70']);
  expect(result.state.heldSteps(result.state.instruments[0]!)).toBe(-7);
});

const DAY = 86_400_000;
/** T0 is a midnight; four bars a day. */
const days = (...list: number[]) => [bars(list, { intervalMs: DAY / 4 })];

test('the daily loss latches until it is reset, or with resetAt until midnight, and each day starts new', async () => {
  // Bars close at 6, 12, 18 and 24 h. Bought at the open of the second: 5 x 100.
  const options = { ...ONE, data: days(100, 100, 98, 97, 97, 96, 94, 94, 94) };
  const script = () => at({ 1: market('buy', 5), 6: market('buy', 1), 7: market('buy', 1), 8: market('buy', 1) }, 'onBar');
  const held = await run([strategy('a', script())], { ...options, limits: { dailyLoss: { share: 0.012, onBreach: 'cancel' } } });
  // Day 1 from 1000: 985 at its end is 1.5 %, and latches at 24 h.
  expect(latches(held.log)).toMatchObject([{ rule: 'dailyLoss', drawdown: 0.015, limit: 0.012, time: T0 + DAY }]);
  expect(held.codes).toEqual(['dailyLossLatched', 'dailyLossLatched', 'dailyLossLatched']);

  const late = { dailyLoss: { share: 0.005, onBreach: 'cancel', resetAt: 'midnight' } } as const;
  const lifted = await run([strategy('a', script())], { ...options, limits: late });
  expect(latches(lifted.log)).toMatchObject([
    // 990 at 18 h; 980 of 985 at 36 h.
    { kind: 'riskLatched', time: T0 + (3 * DAY) / 4, drawdown: 0.01, until: T0 + DAY },
    { kind: 'latchReset', rule: 'dailyLoss', time: T0 + DAY },
    { kind: 'riskLatched', time: T0 + (6 * DAY) / 4, until: T0 + 2 * DAY },
    { kind: 'latchReset', rule: 'dailyLoss', time: T0 + 2 * DAY },
  ]);
  expect(lifted.codes).toEqual(['dailyLossLatched', 'dailyLossLatched', 'dailyLossLatched']);
});

test('a daily loss of one strategy flattens only that strategy', async () => {
  const result = await run([strategy('a', at({ 1: market('buy', 5) })), strategy('b', at({ 1: market('buy', 1) }))], {
    ...ONE,
    data: prices(100, 100, 80, 80),
    limits: own({ dailyLoss: { share: 0.05, onBreach: 'flatten' } }),
  });
  // Its capital is what the account began with.
  expect(latches(result.log)).toMatchObject([{ rule: 'dailyLoss', strategy: 'a', drawdown: 0.1, limit: 0.05 }]);
  expect(result.filled).toEqual(['buy 5 at 100', 'buy 1 at 100', 'sell 5 at 80']);
});

test('a trade that loses more than its limit is closed, long or short, and trading continues', async () => {
  const limits = { maxLossPerTrade: { amount: new Decimal(50), close: true } };
  const script = at({ 1: market('buy', 5), 5: market('sell', 5) });
  const result = await run([strategy('a', script)], { ...ONE, data: prices(100, 90, 89, 89, 89, 99, 100, 100), limits });
  expect(latches(result.log)).toMatchObject([
    { kind: 'tradeStopped', strategy: 'a', symbol: 'BTC-USDT', loss: '55', limit: '50', time: T0 + 2000 },
    { kind: 'tradeStopped', loss: '55', time: T0 + 6000 },
  ]);
  expect(result.filled).toEqual(['buy 5 at 100', 'sell 5 at 89', 'sell 5 at 89', 'buy 5 at 100']);
  expect(result.codes).toEqual([]);
});

test('of two strategies in one symbol, only the trade that has lost too much is closed', async () => {
  const limits = { maxLossPerTrade: { share: 0.05, close: true } };
  const result = await run([strategy('a', at({ 1: market('buy', 5) })), strategy('b', at({ 1: market('buy', 1) }))], {
    ...ONE,
    data: prices(100, 80, 80),
    limits,
  });
  expect(result.filled).toEqual(['buy 5 at 100', 'buy 1 at 100', 'sell 5 at 80']);
});

test('a planned loss is denied with its order, and again at the release of a stop entry', async () => {
  const limits = { maxLossPerTrade: { amount: new Decimal(50), close: false } };
  const script = at({
    1: [market('buy', 5, { exits: { stopLoss: 89 } }), market('buy', 5, { exits: { stopLoss: 90 } })],
    2: place({ symbol: 'BTC-USDT', side: 'buy', type: 'stop', stopPrice: 105, quantity: 5, exits: { stopLoss: 95 } }),
  });
  const result = await run([strategy('a', script)], { ...ONE, data: prices(100, 100, 106, 106), limits });
  // Planned from 105 it may lose 50; released at 106 it would lose 55.
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'lossPerTradeAboveLimit', loss: '55', limit: '50' },
    { code: 'lossPerTradeAboveLimit', loss: '55', limit: '50' },
  ]);
});

test('losing trades in a row pause trading for a time, entries that rest included', async () => {
  const bid = place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 50, quantity: 1 });
  const script = at({
    1: [market('buy', 1), bid],
    2: market('sell', 1),
    3: market('buy', 1),
    4: market('sell', 1),
    5: market('buy', 1),
    9: market('buy', 1),
  });
  const result = await run([strategy('a', script)], {
    ...ONE,
    data: prices(100, 99, 99, 98, 98, 49, 98, 98, 98, 98),
    limits: { cooldown: { losses: 2, forMs: 4000 } },
  });
  expect(latches(result.log)).toMatchObject([
    { rule: 'cooldown', count: 2, limit: 2, time: T0 + 3000, until: T0 + 7000 },
    { kind: 'latchReset', rule: 'cooldown', time: T0 + 7000 },
  ]);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'coolingDown', losses: '2', until: '2025-01-01T00:00:07Z' }]);
  expect(result.filled.at(-1)).toBe('buy 1 at 98');
  expect(result.filled).toHaveLength(5);
});

test('if the config sets reducing, only exits pass', async () => {
  const result = await run([strategy('a', at({ 1: market('buy', 1) })), strategy('b', at({ 1: market('buy', 1), 2: market('sell', 1) }))], {
    ...ONE,
    data: prices(100, 100, 100),
    limits: own({ reducing: true }),
  });
  expect(result.filled).toEqual(['buy 1 at 100', 'sell 1 at 100']);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'reducing', reason: 'by config', strategy: 'a' }]);
});

test("with a capital, the drawdown of the account is measured on the capital and the strategies' results", async () => {
  const buy = () => at({ 1: market('buy', 5) });
  const shared = { balances: { USDT: '100000' }, data: prices(100, 100, 80, 80) };
  const maxDrawdown = { share: 0.1, onBreach: 'flatten' } as const;
  // 5 x 20 lost: 0.1 % of the account, 12.5 % of 800.
  const whole = await run([strategy('a', buy())], { ...shared, limits: { maxDrawdown } });
  expect([latches(whole.log), whole.filled]).toEqual([[], ['buy 5 at 100']]);
  const part = await run([strategy('a', buy())], { ...shared, limits: { maxDrawdown, capital: new Decimal(800) } });
  expect(latches(part.log)).toMatchObject([{ kind: 'riskLatched', rule: 'maxDrawdown', drawdown: 0.125, limit: 0.1 }]);
  expect(part.filled).toEqual(['buy 5 at 100', 'sell 5 at 80']);
});
