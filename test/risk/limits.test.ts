import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import type { Denial } from '../../src/model/reasons.ts';
import { type ReviewTerms, RiskGate } from '../../src/risk/gate.ts';
import { type Day, type RiskLimits, type StrategyLimits, trackedFiguresFor, unlimitedLosses } from '../../src/risk/limits.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { BTC, balance, ETH, filled, futures, instrument, open, PERP, price, request, state, submitted, trade } from '../state/builders.ts';

const decimal = (value: string | number) => new Decimal(value);
const none = { maxPosition: new Map() };
/** Limits of strategy `s` alone. */
const own = (limits: Partial<StrategyLimits>): Partial<RiskLimits> => ({ strategies: new Map([['s', { ...none, ...limits }]]) });

/** BTC at 100, ETH at 10, 10000 USDT; `s` and `t` hold so many BTC each. */
function market(limits: Partial<RiskLimits>, [s = 0, t = 0]: readonly number[] = []): State {
  const target = state('netting', [BTC, ETH], trackedFiguresFor({ ...none, ...limits }));
  balance(target, 'USDT', '10000');
  price(target, 100);
  price(target, 10, ETH);
  for (const [strategyId, steps] of [['s', s] as const, ['t', t] as const]) {
    if (steps === 0) continue;
    const entry = { clientOrderId: `in-${strategyId}`, strategyId, side: steps > 0 ? 'buy' : 'sell', steps: Math.abs(steps) } as const;
    open(target, entry);
    applyAccount(target, filled(entry, Math.abs(steps), 100, true));
  }
  price(target, 100);
  return target;
}

function review(
  target: State,
  limits: Partial<RiskLimits>,
  order: Partial<OrderRequest>,
  { now = 0, purpose = 'send', ...terms }: ReviewTerms & { now?: number; purpose?: 'send' | 'hold' } = {},
): Denial | 'approved' {
  const gate = new RiskGate({ state: target, limits: { ...none, ...limits } });
  const verdict = gate.review(request({ clientOrderId: 'new', ...order }), now, purpose, terms);
  return 'denied' in verdict ? verdict.denied : 'approved';
}

const SELL = { side: 'sell' } as const;

test.each<[string, Partial<RiskLimits>, readonly number[], Partial<OrderRequest>, Denial | 'approved']>([
  // s holds 3, t holds -3: the account is flat.
  ["a strategy's position at its limit", own({ maxPosition: new Map([['BTC-USDT', decimal(10)]]) }), [3, -3], { steps: 7 }, 'approved'],
  [
    "a strategy's position above its limit, whatever others hold",
    own({ maxPosition: new Map([['BTC-USDT', decimal(10)]]) }),
    [3, -3],
    { steps: 8 },
    { code: 'positionAboveLimit', position: '11', limit: '10', strategy: 's' },
  ],
  ['the limits of one strategy do not bind another', own({ maxExposure: decimal(1) }), [], { strategyId: 't' }, 'approved'],
  [
    "a strategy's exposure",
    own({ maxExposure: decimal(1000) }),
    [3, 50],
    { steps: 8 },
    { code: 'exposureAboveLimit', exposure: '1100', limit: '1000', strategy: 's' },
  ],
  ["what reduces the strategy's own position passes", own({ maxExposure: decimal(100) }), [3, -3], { ...SELL, steps: 3 }, 'approved'],
  [
    'what reduces the account and grows its strategy does not',
    own({ maxExposure: decimal(100) }),
    [-1, 5],
    { ...SELL, steps: 1 },
    { code: 'exposureAboveLimit', exposure: '200', limit: '100', strategy: 's' },
  ],
  [
    "a strategy's largest quantity",
    own({ maxQuantity: decimal(5) }),
    [],
    { steps: 6 },
    { code: 'quantityAboveMaximum', quantity: '6', maximum: '5', strategy: 's' },
  ],
  ['set to reducing: what opens', { reducing: true }, [5], { steps: 1 }, { code: 'reducing', reason: 'by config' }],
  ['set to reducing: what exits', { reducing: true }, [5], { ...SELL, steps: 5 }, 'approved'],
  [
    'set to reducing: what sells more than its strategy holds, whatever the account does',
    { reducing: true },
    [1, 5],
    { ...SELL, steps: 3 },
    { code: 'reducing', reason: 'by config' },
  ],
  [
    'set to reducing: what buys for a strategy that holds nothing short, whatever the account does',
    { reducing: true },
    [1, -5],
    { steps: 3 },
    { code: 'reducing', reason: 'by config' },
  ],
  [
    'one strategy set to reducing: what opens',
    own({ reducing: true }),
    [5],
    { steps: 1 },
    { code: 'reducing', reason: 'by config', strategy: 's' },
  ],
  ['one strategy set to reducing: another', own({ reducing: true }), [5], { strategyId: 't' }, 'approved'],
  // 10000 x 0.1 = 1000.
  ['one symbol at its share of equity', { concentration: { symbol: 0.1 } }, [], { steps: 10 }, 'approved'],
  [
    'one symbol above its share of equity',
    { concentration: { symbol: 0.1 } },
    [],
    { steps: 11 },
    { code: 'concentrationAboveLimit', of: 'BTC-USDT', share: '0.11', limit: '0.1' },
  ],
  ['other symbols do not count for a symbol', { concentration: { symbol: 0.1 } }, [10], { instrument: ETH, steps: 100 }, 'approved'],
  [
    "a share of the strategy's capital",
    own({ capital: decimal(2000), concentration: { asset: 0.5 } }),
    [],
    { steps: 11 },
    { code: 'concentrationAboveLimit', of: 'BTC', share: '0.55', limit: '0.5', strategy: 's' },
  ],
])('%s', (_, limits, held, order, expected) => {
  expect(review(market(limits, held), limits, order)).toEqual(expected);
});

test('an asset counts over all its symbols', () => {
  const beside = instrument(1, { symbol: 'BTC-EUR' });
  const limits = { concentration: { asset: 0.1 } };
  const target = state('netting', [BTC, beside, instrument(2, { symbol: 'EUR-USDT' })]);
  balance(target, 'USDT', '10000');
  price(target, 100);
  price(target, 50, beside);
  price(target, 2, target.instruments[2]);
  // 5 x 50 EUR x 2 = 500 beside 5 x 100.
  open(target, { clientOrderId: 'a', instrument: beside, steps: 5 });
  expect(review(target, limits, { steps: 5 })).toBe('approved');
  expect(review(target, limits, { steps: 6 })).toEqual({ code: 'concentrationAboveLimit', of: 'BTC', share: '0.11', limit: '0.1' });
});

test.each<[string, Partial<RiskLimits>, Partial<OrderRequest>, number | undefined, Denial | 'approved']>([
  ['at the limit', { maxLossPerTrade: { amount: decimal(50), close: false } }, { steps: 10 }, 95, 'approved'],
  [
    'above it',
    { maxLossPerTrade: { amount: decimal(50), close: false } },
    { steps: 11 },
    95,
    { code: 'lossPerTradeAboveLimit', loss: '55', limit: '50' },
  ],
  [
    'from the limit price of the order',
    { maxLossPerTrade: { amount: decimal(50), close: false } },
    { steps: 10, priceTicks: 98 },
    92,
    { code: 'lossPerTradeAboveLimit', loss: '60', limit: '50' },
  ],
  [
    'of a short, a stop above',
    { maxLossPerTrade: { amount: decimal(50), close: false } },
    { ...SELL, steps: 10 },
    106,
    { code: 'lossPerTradeAboveLimit', loss: '60', limit: '50' },
  ],
  [
    'a share of equity, the smaller of both',
    { maxLossPerTrade: { amount: decimal(500), share: 0.005, close: false } },
    { steps: 11 },
    95,
    { code: 'lossPerTradeAboveLimit', loss: '55', limit: '50' },
  ],
  [
    "a share of the strategy's own equity",
    own({ capital: decimal(1000), maxLossPerTrade: { share: 0.01, close: false } }),
    { steps: 3 },
    95,
    { code: 'lossPerTradeAboveLimit', loss: '15', limit: '10', strategy: 's' },
  ],
  ['a stop beyond the entry locks a gain in', { maxLossPerTrade: { amount: decimal(1), close: false } }, { steps: 50 }, 101, 'approved'],
  ['an order without a stop', { maxLossPerTrade: { amount: decimal(1), close: false } }, { steps: 50 }, undefined, 'approved'],
])('a planned loss %s', (_, limits, order, stopLossTicks, expected) => {
  expect(review(market(limits), limits, order, { stopLossTicks })).toEqual(expected);
});

const met = (price: string, restingPrice: string): Denial => ({
  code: 'selfTrade',
  clientOrderId: 'new',
  price,
  resting: 'ours',
  restingPrice,
});
test.each<[string, Partial<OrderRequest>, Partial<OrderRequest>, Denial | 'approved']>([
  ['a buy at our own offer', { ...SELL, priceTicks: 105 }, { priceTicks: 105 }, met('105', '105')],
  ['a buy below it', { ...SELL, priceTicks: 105 }, { priceTicks: 104 }, 'approved'],
  ['a sell at our own bid, of another strategy', { strategyId: 't', priceTicks: 95 }, { ...SELL, priceTicks: 95 }, met('95', '95')],
  ['a market order whose price is beyond ours', { ...SELL, priceTicks: 100 }, {}, met('market', '100')],
  ['a market order that fills before', { ...SELL, priceTicks: 101 }, {}, 'approved'],
  ['the same side', { priceTicks: 105 }, { priceTicks: 106 }, 'approved'],
  ['another symbol', { ...SELL, instrument: ETH, priceTicks: 9 }, { priceTicks: 105 }, 'approved'],
  ['what does not rest', { ...SELL, priceTicks: 105, timeInForce: 'IOC' }, { priceTicks: 105 }, 'approved'],
])('self-trade: %s', (_, resting, order, expected) => {
  const target = market({});
  open(target, { clientOrderId: 'ours', ...resting });
  expect(review(target, { selfTrade: 'deny' }, order)).toEqual(expected);
  expect(review(target, {}, order)).toBe('approved');
});

test("self-trade: a strategy's own rule counts its own orders, and a held order meets none yet", () => {
  const target = market({});
  open(target, { clientOrderId: 'ours', strategyId: 't', ...SELL, priceTicks: 100 });
  expect(review(target, own({ selfTrade: 'deny' }), { priceTicks: 100 })).toBe('approved');
  expect(review(target, { selfTrade: 'deny' }, { priceTicks: 100 }, { purpose: 'hold' })).toBe('approved');
  open(target, { clientOrderId: 'mine', ...SELL, priceTicks: 100 }, true);
  expect(review(target, own({ selfTrade: 'deny' }), { priceTicks: 100 })).toBe('approved');
});

test('a client order id is used once, and again only by a held order that is sent', () => {
  const target = market({});
  open(target, { clientOrderId: 'a', priceTicks: 90 });
  open(target, { clientOrderId: 'b', priceTicks: 90 }, true);
  const denied = { code: 'duplicateClientOrderId', clientOrderId: 'a' };
  expect(review(target, {}, { clientOrderId: 'a' })).toEqual(denied);
  applyAccount(target, { kind: 'orderCanceled', time: 0, clientOrderId: 'a', reason: 'requested' });
  expect(review(target, {}, { clientOrderId: 'a' })).toEqual(denied);
  expect(review(target, {}, { clientOrderId: 'b', released: true })).toBe('approved');
});

test('orders that wait to be sent are counted: more than so many are denied, but for those that reduce', () => {
  const limits = { maxQueuedOrders: 2 };
  const target = market(limits, [5]);
  const wait = (clientOrderId: string, over: Partial<OrderRequest> = {}) => applyAccount(target, submitted({ clientOrderId, ...over }));
  wait('a');
  open(target, { clientOrderId: 'at the venue' });
  expect(review(target, limits, { steps: 1 })).toBe('approved');
  wait('b');
  expect(review(target, limits, { steps: 1 })).toEqual({ code: 'sendQueueTooLong', queued: '2', limit: '2' });
  expect(review(target, limits, { ...SELL, steps: 5 })).toBe('approved');
  expect(review(target, limits, { steps: 1 }, { purpose: 'hold' })).toBe('approved');
  expect(review(target, {}, { steps: 1 })).toBe('approved');
  applyAccount(target, { kind: 'orderCanceled', time: 0, clientOrderId: 'a', reason: 'requested' });
  expect(review(target, limits, { steps: 1 })).toBe('approved');
});

test('with a price that is too old only reducing orders pass', () => {
  const limits = { maxDataAgeMs: 5000 };
  const target = market({}, [5]);
  expect(review(target, limits, {}, { now: 5000 })).toBe('approved');
  expect(review(target, limits, {}, { now: 5001 })).toEqual({
    code: 'dataStale',
    symbol: 'BTC-USDT',
    subject: 'market',
    reason: 'its newest price is 5001 ms old, limit 5000',
  });
  expect(review(target, limits, { ...SELL, steps: 5 }, { now: 5001 })).toBe('approved');
});

const WEEK: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const office = { days: WEEK, fromMinute: 9 * 60 + 30, toMinute: 16 * 60 };
// 2025-03-07 is a Friday; New York is at -5 h until 2025-03-09, and at -4 h from then.
test.each<[string, string, readonly Day[] | undefined, number, number, string, string]>([
  ['UTC', '2025-03-07T09:29:59Z', undefined, 570, 960, 'fri 09:29', 'before'],
  ['UTC', '2025-03-07T09:30:00Z', undefined, 570, 960, '', 'at the first minute'],
  ['UTC', '2025-03-07T15:59:59Z', undefined, 570, 960, '', 'in the last minute'],
  ['UTC', '2025-03-07T16:00:00Z', undefined, 570, 960, 'fri 16:00', 'after'],
  ['UTC', '2025-03-08T12:00:00Z', undefined, 570, 960, 'sat 12:00', 'on another day'],
  ['America/New_York', '2025-03-07T14:30:00Z', undefined, 570, 960, '', 'in winter'],
  ['America/New_York', '2025-03-10T13:30:00Z', undefined, 570, 960, '', 'in summer'],
  ['America/New_York', '2025-03-10T20:30:00Z', undefined, 570, 960, 'mon 16:30', 'after, in summer'],
  ['UTC', '2025-03-08T01:59:00Z', ['fri'], 22 * 60, 2 * 60, '', 'after midnight, of the day before'],
  ['UTC', '2025-03-08T23:00:00Z', ['fri'], 22 * 60, 2 * 60, 'sat 23:00', 'the next evening'],
  ['UTC', '2025-03-08T00:00:00Z', ['fri'], 0, 1440, 'sat 00:00', 'a day ends at midnight'],
])('trading windows in %s at %s', (zone, time, days, fromMinute, toMinute, told) => {
  const limits = { tradingWindows: [{ ...office, ...(days && { days }), fromMinute, toMinute, zone }] };
  const target = market({}, [5]);
  const now = Date.parse(time);
  expect(review(target, limits, {}, { now })).toEqual(told === '' ? 'approved' : { code: 'outsideTradingWindow', time: told, zone });
  expect(review(target, limits, { ...SELL, steps: 5 }, { now })).toBe('approved');
});

test("a strategy's leverage and margin use are its own, over its own equity", () => {
  const limits = own({ capital: decimal(1000), maxLeverage: decimal(2), maxMarginUse: 0.15 });
  const target = futures({ leverage: '10' }, [PERP], {}, trackedFiguresFor({ ...none, ...limits }));
  balance(target, 'USDT', '100000');
  price(target, 100, PERP);
  trade(target, 'long', 100, 100, { strategyId: 't' });
  const long = { instrument: PERP, positionSide: 'long', side: 'buy' } as const;
  // 1500 of value binds 150 of 1000.
  expect(review(target, limits, { ...long, steps: 15 })).toBe('approved');
  expect(review(target, limits, { ...long, steps: 16 })).toEqual({
    code: 'marginUseAboveLimit',
    marginUse: '0.16',
    limit: '0.15',
    strategy: 's',
  });
  expect(review(target, limits, { ...long, steps: 21 })).toEqual({
    code: 'leverageAboveLimit',
    leverage: '2.1',
    limit: '2',
    strategy: 's',
  });
});

test('a latch of one strategy affects only that strategy, until it is reset', () => {
  const target = market({}, [5, 5]);
  const latched = { kind: 'riskLatched', time: 0, rule: 'reduce', strategyId: 's', drawdown: 0, limit: 0, reason: 'by hand' } as const;
  applyAccount(target, latched);
  expect(review(target, {}, { steps: 1 })).toEqual({ code: 'reducing', reason: 'by hand', strategy: 's' });
  expect(review(target, {}, { ...SELL, steps: 5 })).toBe('approved');
  // The account could be reduced by as much, the strategy could not.
  expect(review(target, {}, { ...SELL, steps: 6 })).toMatchObject({ code: 'reducing' });
  expect(review(target, {}, { strategyId: 't', steps: 1 })).toBe('approved');
  applyAccount(target, { kind: 'latchReset', time: 0, rule: 'reduce', strategyId: 's' });
  expect(review(target, {}, { steps: 1 })).toBe('approved');
});

test("each strategy's orders have a rate limit of their own in addition to the account's", () => {
  const target = market({});
  const gate = new RiskGate({
    state: target,
    limits: { ...none, orderRate: { orders: 2, perMs: 1000 }, ...own({ orderRate: { orders: 1, perMs: 1000 } }) },
  });
  const ask = (strategyId: string) => {
    const verdict = gate.review(request({ clientOrderId: 'new', strategyId }), 0, 'send');
    return 'denied' in verdict ? verdict.denied : 'approved';
  };
  expect(ask('s')).toBe('approved');
  expect(ask('s')).toEqual({ code: 'orderRateAboveLimit', orders: '2', limit: '1', windowMs: '1000', strategy: 's' });
  // What was denied did not count: there is room for one more.
  expect(ask('t')).toBe('approved');
  expect(ask('t')).toEqual({ code: 'orderRateAboveLimit', orders: '3', limit: '2', windowMs: '1000' });
});

test.each<[string, Partial<RiskLimits>, string[]]>([
  ['no limit at all', {}, ['s', 't']],
  ['a limit that ends no losses', { maxOpenOrders: 3, maxExposure: decimal(100) }, ['s', 't']],
  ['maxDrawdown of the account', { maxDrawdown: { share: 0.2, onBreach: 'cancel' } }, []],
  ['dailyLoss of the account', { dailyLoss: { share: 0.2, onBreach: 'cancel' } }, []],
  ['maxLossPerTrade of one strategy', own({ maxLossPerTrade: { amount: decimal(100), close: false } }), ['t']],
])('losses without a limit: %s', (_, limits, ids) => {
  expect(unlimitedLosses({ ...none, ...limits }, ['s', 't'])).toEqual(ids);
});
