import { expect, test } from '@jest/globals';
import type { HealthChanged } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import type { Denial } from '../../src/model/reasons.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import { instrumentKnown } from '../../src/risk/rules/instrument-known.ts';
import { onStep, onTick } from '../../src/risk/rules/tick-and-step.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { BTC, balance, ETH, filled, instrument, open, price, request, state } from '../state/builders.ts';

/** A state with BTC at 100 and ETH at 10, and so many BTC held on netting. */
function market(held = 0, btc = BTC): State {
  const target = state('netting', [btc, ETH]);
  balance(target, 'USDT', '100000');
  price(target, 100, btc);
  price(target, 10, ETH);
  if (held !== 0) hold(target, held);
  return target;
}

function hold(target: State, steps: number, over: Partial<OrderRequest> = {}): void {
  const entry = {
    ...over,
    clientOrderId: `h${target.endedOrders.size}`,
    side: steps > 0 ? 'buy' : 'sell',
    steps: Math.abs(steps),
  } as const;
  open(target, entry);
  applyAccount(target, filled(entry, Math.abs(steps), 100, true));
}

function review(target: State, order: Partial<OrderRequest>, limits: Partial<RiskLimits> = {}, stop?: number): Denial | 'approved' {
  const gate = new RiskGate({ state: target, limits: { maxPosition: new Map(), ...limits } });
  const verdict = gate.review(request({ clientOrderId: 'new', ...order }), 0, stop === undefined ? 'send' : 'hold', { marketTicks: stop });
  return 'denied' in verdict ? verdict.denied : 'approved';
}

const SIZED = instrument(0, { minQuantity: '5', maxQuantity: '50' });
const VALUED = instrument(0, { minNotional: '100', maxNotional: '1000' });
const limit = (value: string) => new Decimal(value);
const position = (value: string) => ({ maxPosition: new Map([['BTC-USDT', new Decimal(value)]]) });

test.each<[string, () => Denial | 'approved', Denial | 'approved']>([
  ['a market order before any price', () => review(state(), {}), { code: 'noMarketPrice', symbol: 'BTC-USDT' }],
  ['a limit order before any price', () => review(state(), { priceTicks: 5 }), 'approved'],

  ['quantity at the minimum', () => review(market(0, SIZED), { steps: 5, instrument: SIZED }), 'approved'],
  [
    'quantity below the minimum',
    () => review(market(0, SIZED), { steps: 4, instrument: SIZED }),
    { code: 'quantityBelowMinimum', quantity: '4', minimum: '5' },
  ],
  ['quantity at the maximum', () => review(market(0, SIZED), { steps: 50, instrument: SIZED }), 'approved'],
  [
    'quantity above the maximum',
    () => review(market(0, SIZED), { steps: 51, instrument: SIZED }),
    { code: 'quantityAboveMaximum', quantity: '51', maximum: '50' },
  ],
  ["quantity at the config's maximum", () => review(market(), { steps: 7 }, { maxQuantity: limit('7') }), 'approved'],
  [
    "quantity above the config's maximum",
    () => review(market(), { steps: 8 }, { maxQuantity: limit('7') }),
    { code: 'quantityAboveMaximum', quantity: '8', maximum: '7' },
  ],

  ['notional at the minimum', () => review(market(0, VALUED), { steps: 5, priceTicks: 20, instrument: VALUED }), 'approved'],
  [
    'notional below the minimum',
    () => review(market(0, VALUED), { steps: 9, priceTicks: 11, instrument: VALUED }),
    { code: 'notionalBelowMinimum', notional: '99', minimum: '100' },
  ],
  [
    'notional above the maximum',
    () => review(market(0, VALUED), { steps: 91, priceTicks: 11, instrument: VALUED }),
    { code: 'notionalAboveMaximum', notional: '1001', maximum: '1000' },
  ],
  [
    'a market order counts at the mark',
    () => review(market(), { steps: 11 }, { maxNotional: limit('1000') }),
    { code: 'notionalAboveMaximum', notional: '1100', maximum: '1000' },
  ],
  [
    'an amount of quote counts as it is',
    () => review(market(), { steps: undefined, quoteQuantity: limit('1000.01') }, { maxNotional: limit('1000') }),
    { code: 'notionalAboveMaximum', notional: '1000.01', maximum: '1000' },
  ],
  [
    'a held stop counts at its trigger',
    () => review(market(), { steps: 10 }, { maxNotional: limit('1000') }, 101),
    { code: 'notionalAboveMaximum', notional: '1010', maximum: '1000' },
  ],

  ['a reduce-only order of all that is held', () => review(market(5), { side: 'sell', steps: 5, reduceOnly: true }), 'approved'],
  [
    'a reduce-only order of more',
    () => review(market(5), { side: 'sell', steps: 6, reduceOnly: true }),
    { code: 'reduceOnlyWouldGrow', position: '5', quantity: '6' },
  ],
  [
    'a reduce-only order on the same side',
    () => review(market(5), { side: 'buy', steps: 1, reduceOnly: true }),
    { code: 'reduceOnlyWouldGrow', position: '5', quantity: '1' },
  ],
  [
    'a reduce-only order while flat',
    () => review(market(), { side: 'sell', steps: 1, reduceOnly: true }),
    { code: 'reduceOnlyWouldGrow', position: '0', quantity: '1' },
  ],
  ['a reduce-only buy of a short', () => review(market(-5), { side: 'buy', steps: 5, reduceOnly: true }), 'approved'],
  [
    'a reduce-only buy by an amount of quote of more than the short',
    () => review(market(-5), { side: 'buy', steps: undefined, quoteQuantity: limit('600'), reduceOnly: true }),
    { code: 'reduceOnlyWouldGrow', position: '-5', quantity: '6' },
  ],
  [
    'a reduce-only order beside one in flight',
    () => {
      const target = market(5);
      open(target, { clientOrderId: 'out', side: 'sell', steps: 3 });
      return review(target, { side: 'sell', steps: 3, reduceOnly: true });
    },
    { code: 'reduceOnlyWouldGrow', position: '5', quantity: '3' },
  ],

  ['a buy at the collar', () => review(market(), { priceTicks: 110 }, { priceCollar: limit('0.1') }), 'approved'],
  [
    'a buy beyond the collar',
    () => review(market(), { priceTicks: 111 }, { priceCollar: limit('0.1') }),
    { code: 'priceOutsideCollar', price: '111', last: '100', collar: '0.1' },
  ],
  ['a buy far below pays less and passes', () => review(market(), { priceTicks: 1 }, { priceCollar: limit('0.1') }), 'approved'],
  ['a sell at the collar', () => review(market(), { side: 'sell', priceTicks: 90 }, { priceCollar: limit('0.1') }), 'approved'],
  [
    'a sell beyond the collar',
    () => review(market(), { side: 'sell', priceTicks: 89 }, { priceCollar: limit('0.1') }),
    { code: 'priceOutsideCollar', price: '89', last: '100', collar: '0.1' },
  ],
  ['a stop has no limit price to collar', () => review(market(), {}, { priceCollar: limit('0.1') }, 150), 'approved'],
  [
    'a stop-limit is measured from its trigger',
    () => review(market(), { priceTicks: 155 }, { priceCollar: limit('0.1') }, 150),
    'approved',
  ],
  [
    'a stop-limit far beyond its trigger',
    () => review(market(), { priceTicks: 166 }, { priceCollar: limit('0.1') }, 150),
    { code: 'priceOutsideCollar', price: '166', last: '150', collar: '0.1' },
  ],

  [
    'open orders at their limit',
    () => {
      const target = market();
      open(target, { clientOrderId: 'a' });
      return review(target, {}, { maxOpenOrders: 2 });
    },
    'approved',
  ],
  [
    'open orders above their limit',
    () => {
      const target = market();
      open(target, { clientOrderId: 'a' });
      open(target, { clientOrderId: 'b', instrument: ETH });
      return review(target, {}, { maxOpenOrders: 2 });
    },
    { code: 'openOrdersAboveLimit', openOrders: '3', limit: '2' },
  ],
  [
    'held exits are no open orders, held entries are',
    () => {
      const target = market(5);
      open(target, { clientOrderId: 'a', side: 'sell', reduceOnly: true, steps: 5 }, true);
      open(target, { clientOrderId: 'b' }, true);
      return review(target, {}, { maxOpenOrders: 1 });
    },
    { code: 'openOrdersAboveLimit', openOrders: '2', limit: '1' },
  ],
  [
    'the release of a held order opens nothing new',
    () => {
      const target = market();
      open(target, { clientOrderId: 'new' }, true);
      return review(target, { clientOrderId: 'new', released: true }, { maxOpenOrders: 1 });
    },
    'approved',
  ],

  ['a position at its limit', () => review(market(3), { steps: 7 }, position('10')), 'approved'],
  [
    'a position above its limit',
    () => review(market(3), { steps: 8 }, position('10')),
    { code: 'positionAboveLimit', position: '11', limit: '10' },
  ],
  [
    'a short position above its limit',
    () => review(market(-3), { side: 'sell', steps: 8 }, position('10')),
    { code: 'positionAboveLimit', position: '11', limit: '10' },
  ],
  [
    'orders in flight count',
    () => {
      const target = market(3);
      open(target, { clientOrderId: 'a', steps: 5 });
      return review(target, { steps: 3 }, position('10'));
    },
    { code: 'positionAboveLimit', position: '11', limit: '10' },
  ],
  [
    'of a partly filled order in flight, the rest',
    () => {
      const target = market(3);
      open(target, { clientOrderId: 'a', steps: 5 });
      applyAccount(target, filled({ clientOrderId: 'a', steps: 5 }, 2, 100));
      return review(target, { steps: 2 }, position('10'));
    },
    'approved',
  ],
  [
    'sells in flight make no room for buys',
    () => {
      const target = market(8);
      open(target, { clientOrderId: 'a', side: 'sell', steps: 8 });
      return review(target, { steps: 3 }, position('10'));
    },
    { code: 'positionAboveLimit', position: '11', limit: '10' },
  ],
  [
    'held entries count',
    () => {
      const target = market();
      open(target, { clientOrderId: 'a', steps: 6 }, true);
      return review(target, { steps: 5 }, position('10'));
    },
    { code: 'positionAboveLimit', position: '11', limit: '10' },
  ],
  [
    'a held order under review counts once',
    () => {
      const target = market();
      open(target, { clientOrderId: 'new', steps: 10 }, true);
      return review(target, { clientOrderId: 'new', steps: 10, released: true }, position('10'));
    },
    'approved',
  ],
  [
    'an amount of quote counts at the mark',
    () => review(market(), { steps: undefined, quoteQuantity: limit('1199') }, position('10')),
    { code: 'positionAboveLimit', position: '11', limit: '10' },
  ],
  [
    'of an amount of quote in flight, what is left of the money counts',
    () => {
      const target = market();
      open(target, { clientOrderId: 'a', steps: undefined, quoteQuantity: limit('1000') });
      applyAccount(target, filled({ clientOrderId: 'a' }, 5, 100));
      price(target, 50);
      // 500 left buys 10 at 50; with the 5 held, 15.
      return review(target, { steps: 1 }, position('15'));
    },
    { code: 'positionAboveLimit', position: '16', limit: '15' },
  ],
  ['reducing passes above the limit', () => review(market(20), { side: 'sell', steps: 5 }, position('10')), 'approved'],
  [
    'turning does not',
    () => review(market(20), { side: 'sell', steps: 31 }, position('10')),
    { code: 'positionAboveLimit', position: '20', limit: '10' },
  ],

  ['exposure at its limit', () => review(market(3), { steps: 7 }, { maxExposure: limit('1000') }), 'approved'],
  [
    'exposure above its limit by less than a double tells apart',
    () => review(market(3), { steps: 7 }, { maxExposure: limit('999.99999999999999999999') }),
    { code: 'exposureAboveLimit', exposure: '1000', limit: '999.99999999999999999999' },
  ],
  [
    'exposure above its limit',
    () => review(market(3), { steps: 8 }, { maxExposure: limit('1000') }),
    { code: 'exposureAboveLimit', exposure: '1100', limit: '1000' },
  ],
  [
    'a limit above the mark counts at the limit',
    () => review(market(3), { steps: 7, priceTicks: 101 }, { maxExposure: limit('1000') }),
    { code: 'exposureAboveLimit', exposure: '1010', limit: '1000' },
  ],
  [
    'a limit below the mark counts at the mark',
    () => review(market(3), { steps: 8, priceTicks: 1 }, { maxExposure: limit('1000') }),
    { code: 'exposureAboveLimit', exposure: '1100', limit: '1000' },
  ],
  [
    'a stop counts at its trigger',
    () => review(market(), { steps: 10 }, { maxExposure: limit('1000') }, 101),
    { code: 'exposureAboveLimit', exposure: '1010', limit: '1000' },
  ],
  [
    'all instruments count, long and short',
    () => {
      const target = market(-3);
      hold(target, 20, { instrument: ETH });
      open(target, { clientOrderId: 'e', instrument: ETH, steps: 10 });
      // 300 + 30 x 10 = 600
      return review(target, { side: 'sell', steps: 5 }, { maxExposure: limit('1000') });
    },
    { code: 'exposureAboveLimit', exposure: '1100', limit: '1000' },
  ],
  ['reducing passes above it', () => review(market(30), { side: 'sell', steps: 5 }, { maxExposure: limit('1000') }), 'approved'],
])('%s', (_, judge, expected) => {
  expect(judge()).toEqual(expected);
});

test.each<[string, (target: State) => Partial<OrderRequest>, Denial | 'approved']>([
  ['a buy of all the money', () => ({ steps: 10, priceTicks: 100 }), 'approved'],
  [
    'a buy of a tick more',
    () => ({ steps: 10, priceTicks: 101 }),
    { code: 'balanceTooLow', asset: 'USDT', needed: '1010', available: '1000' },
  ],
  ['a market buy at the mark', () => ({ steps: 11 }), { code: 'balanceTooLow', asset: 'USDT', needed: '1100', available: '1000' }],
  [
    'an amount of quote',
    () => ({ steps: undefined, quoteQuantity: limit('1000.1') }),
    { code: 'balanceTooLow', asset: 'USDT', needed: '1000.1', available: '1000' },
  ],
  ['a sell of all the base', () => ({ side: 'sell', steps: 4 }), 'approved'],
  ['a sell of a step more', () => ({ side: 'sell', steps: 5 }), { code: 'balanceTooLow', asset: 'BTC', needed: '5', available: '4.5' }],
  [
    'a buy beside a limit buy in flight',
    (target) => {
      open(target, { clientOrderId: 'a', steps: 5, priceTicks: 90 });
      return { steps: 6, priceTicks: 100 };
    },
    { code: 'balanceTooLow', asset: 'USDT', needed: '600', available: '550' },
  ],
  [
    'a buy beside a buy of another symbol',
    (target) => {
      open(target, { clientOrderId: 'a', instrument: ETH, steps: 50, priceTicks: 10 });
      return { steps: 6, priceTicks: 100 };
    },
    { code: 'balanceTooLow', asset: 'USDT', needed: '600', available: '500' },
  ],
  [
    'a buy beside a market buy by quantity that is half filled',
    (target) => {
      open(target, { clientOrderId: 'a', steps: 8 });
      applyAccount(target, filled({ clientOrderId: 'a', steps: 8 }, 4, 100));
      // The other 4 may still cost 4 x 100.
      return { steps: 7, priceTicks: 100 };
    },
    { code: 'balanceTooLow', asset: 'USDT', needed: '700', available: '600' },
  ],
  [
    'a sell beside a sell in flight',
    (target) => {
      open(target, { clientOrderId: 'a', side: 'sell', steps: 3 });
      return { side: 'sell', steps: 2 };
    },
    { code: 'balanceTooLow', asset: 'BTC', needed: '2', available: '1.5' },
  ],
  [
    'held orders reserve nothing',
    (target) => {
      open(target, { clientOrderId: 'a', steps: 10 }, true);
      return { steps: 10, priceTicks: 100 };
    },
    'approved',
  ],
])('spot: %s', (_, order, expected) => {
  const target = state('spot');
  balance(target, 'USDT', '1000');
  balance(target, 'BTC', '4.5');
  price(target, 100);
  price(target, 10, ETH);
  expect(review(target, order(target))).toEqual(expected);
});

test.each<[string, Partial<OrderRequest>, string]>([
  ['an order that reduces', { side: 'sell', steps: 5 }, 'approved'],
  ['an order that closes', { side: 'sell', steps: 10 }, 'approved'],
  ['an order that turns', { side: 'sell', steps: 11 }, 'drawdownLatched'],
  ['an order that grows', { side: 'buy', steps: 1 }, 'drawdownLatched'],
])('latched: %s is %p', (_, order, expected) => {
  const target = market(10);
  applyAccount(target, { kind: 'riskLatched', time: 0, rule: 'maxDrawdown', drawdown: 0.3, limit: 0.25 });
  target.portfolio.drawdown.depth = 0.3;
  const verdict = review(target, order, { maxDrawdown: { share: 0.25, onBreach: 'cancel' } });
  expect(verdict === 'approved' ? verdict : verdict.code).toBe(expected);
  if (typeof verdict === 'object') expect(verdict).toEqual({ code: 'drawdownLatched', drawdown: '0.300000', limit: '0.25' });
});

const BY_HAND = { kind: 'riskLatched', time: 0, rule: 'kill', drawdown: 0, limit: 0, reason: 'by hand' } as const;
test('during a kill only reducing orders pass, without any limit in the config, until it is reset', () => {
  const target = market(10);
  applyAccount(target, BY_HAND);
  expect(review(target, { side: 'buy', steps: 1 })).toEqual({ code: 'killed', reason: 'by hand' });
  expect(review(target, { side: 'sell', steps: 10 })).toBe('approved');
  applyAccount(target, { kind: 'latchReset', time: 0, rule: 'kill' });
  expect(review(target, { side: 'buy', steps: 1 })).toBe('approved');
});

const BTC_ONLY = 'BTC-USDT';
test.each<[string, Pick<HealthChanged, 'subject' | 'symbol' | 'condition'>, string, string]>([
  ['stale prices', { subject: 'market', symbol: BTC_ONLY, condition: 'stale' }, 'dataStale', 'approved'],
  ['prices of another that are stale', { subject: 'market', symbol: 'ETH-USDT', condition: 'stale' }, 'approved', 'approved'],
  ['a stale account', { subject: 'account', symbol: '', condition: 'stale' }, 'dataStale', 'approved'],
  ['a halted instrument', { subject: 'instrument', symbol: BTC_ONLY, condition: 'halted' }, 'instrumentHalted', 'approved'],
  ['a halted account', { subject: 'account', symbol: '', condition: 'halted' }, 'instrumentHalted', 'approved'],
  ['prices that are fresh again', { subject: 'market', symbol: BTC_ONLY, condition: 'fresh' }, 'approved', 'approved'],
])('%s: opening and reducing orders', (_, trouble, grows, reduces) => {
  const target = market(10);
  applyAccount(target, { kind: 'healthChanged', time: 0, reason: 'why', ...trouble });
  const code = (order: Partial<OrderRequest>) => {
    const verdict = review(target, order);
    return verdict === 'approved' ? verdict : verdict.code;
  };
  expect([code({ side: 'buy', steps: 1 }), code({ side: 'sell', steps: 10 })]).toEqual([grows, reduces]);
});

const HALTED = { kind: 'healthChanged', time: 0, subject: 'instrument', symbol: BTC_ONLY, condition: 'halted', reason: 'why' } as const;
test.each<[string, Partial<OrderRequest>, string]>([
  ['a sell of its own position', { steps: 6 }, 'approved'],
  ["a sell of more than its own, which the account's position covers", { steps: 7 }, 'instrumentHalted'],
  ['a reduce-only sell of more than its own', { steps: 7, reduceOnly: true }, 'reduceOnlyWouldGrow'],
  ["a sell of another strategy's", { strategyId: 't', steps: 5 }, 'instrumentHalted'],
  ['a sell beside one that rests', { strategyId: 's', steps: 6, priceTicks: 110, clientOrderId: 'beside' }, 'approved'],
])('during a halt, a close is checked against the position of its own strategy: %s', (_, order, expected) => {
  const target = market(6);
  hold(target, 4, { strategyId: 't' });
  applyAccount(target, HALTED);
  const verdict = review(target, { side: 'sell', ...order });
  expect(verdict === 'approved' ? verdict : verdict.code).toBe(expected);
});

test('journals that count no rules are replayed as their builds decided: a halt refuses every order, a limit every close above it', () => {
  const target = market(10);
  const gate = new RiskGate({ state: target, limits: { maxPosition: new Map(), maxQuantity: new Decimal(4) }, rules: 0 });
  const stop = request({ clientOrderId: 'new', side: 'sell', steps: 10, reduceOnly: true });
  expect(gate.slice(stop)).toBe(10);
  expect(gate.review(stop, 0, 'hold')).toMatchObject({ denied: { code: 'quantityAboveMaximum' } });
  applyAccount(target, HALTED);
  expect(gate.review({ ...stop, steps: 4 }, 0, 'send')).toMatchObject({ denied: { code: 'instrumentHalted' } });
});

test('halted, on spot no more passes than the account holds of it', () => {
  const target = state('spot');
  balance(target, 'USDT', '1000');
  price(target, 100);
  hold(target, 6);
  balance(target, 'BTC', '5');
  applyAccount(target, HALTED);
  expect(review(target, { side: 'sell', steps: 5 })).toBe('approved');
  expect(review(target, { side: 'sell', steps: 6 })).toMatchObject({ code: 'instrumentHalted' });
});

test('the rate counts approved orders in a window that slides, and only those that are sent', () => {
  const target = market();
  const gate = new RiskGate({
    state: target,
    limits: { maxPosition: new Map(), orderRate: { orders: 2, perMs: 1000 }, maxQuantity: limit('10') },
  });
  const at = (now: number, purpose: 'send' | 'hold' = 'send', steps = 1) => {
    const verdict = gate.review(request({ steps }), now, purpose);
    return 'denied' in verdict ? verdict.denied : 'approved';
  };
  const denied = { code: 'orderRateAboveLimit', orders: '3', limit: '2', windowMs: '1000' };
  expect(at(0, 'hold')).toBe('approved');
  expect(at(0)).toBe('approved');
  expect(at(1, 'send', 11)).toMatchObject({ code: 'quantityAboveMaximum' });
  expect(at(500)).toBe('approved');
  expect(at(999)).toEqual(denied);
  expect(at(999, 'hold')).toBe('approved');
  expect(at(1000)).toBe('approved');
  expect(at(1499)).toEqual(denied);
  expect(at(1500)).toBe('approved');
});

test.each([
  ['BTC-USDT', undefined],
  ['ETH-USDT', { code: 'instrumentNotTraded', symbol: 'ETH-USDT', strategy: 's' }],
  ['SOL-USDT', { code: 'referenceOnly', symbol: 'SOL-USDT', strategy: 's' }],
  ['DOGE-USDT', { code: 'instrumentUnknown', symbol: 'DOGE-USDT' }],
])('%s of a strategy that trades BTC-USDT and refers to SOL-USDT: %j', (symbol, denial) => {
  const known = symbol === 'DOGE-USDT' ? undefined : instrument(0, { symbol });
  expect(instrumentKnown(symbol, known, { id: 's', symbols: ['BTC-USDT'], references: ['SOL-USDT'] })).toEqual(denial);
});

const half = instrument(0, { tickSize: '0.5', stepSize: '0.01' });
test.each([
  ['buy', 100.3, 200],
  ['sell', 100.3, 201],
  ['buy', '100.5', 201],
  ['buy', 0.4, { code: 'priceInvalid', price: '0.4', tickSize: '0.5' }],
  ['sell', 0.4, 1],
  ['buy', 0, { code: 'priceInvalid', price: '0', tickSize: '0.5' }],
  ['sell', -3, { code: 'priceInvalid', price: '-3', tickSize: '0.5' }],
  ['buy', 'x', { code: 'priceInvalid', price: 'x', tickSize: '0.5' }],
] as const)('a %s price of %p is %j ticks', (side, price, expected) => {
  expect(onTick(half, side, price)).toEqual(expected);
});

test.each([
  [1.239, 123],
  ['0.01', 1],
  [0.0099, { code: 'quantityInvalid', quantity: '0.0099', stepSize: '0.01' }],
  [-1, { code: 'quantityInvalid', quantity: '-1', stepSize: '0.01' }],
  [Number.NaN, { code: 'quantityInvalid', quantity: 'NaN', stepSize: '0.01' }],
])('a quantity of %p is %j steps', (quantity, expected) => {
  expect(onStep(half, quantity)).toEqual(expected);
});
