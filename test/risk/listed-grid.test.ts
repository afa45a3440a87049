import { expect, test } from '@jest/globals';
import type { ListedGrid, ListedLimits } from '../../src/model/instrument.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import { listedSteps, onListedGrid } from '../../src/risk/listed-grid.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { balance, filled, instrument, open, price, request, state } from '../state/builders.ts';

const BTC = instrument(0, { tickSize: '0.01', stepSize: '0.0001' });
/** Prices are multiples of 0.05, quantities of 0.001, at least 0.002. */
const COARSE: ListedGrid = { ticks: 5, steps: 10, leastSteps: 20 };

/** 50 steps are held, and the exchange has this grid. */
function changed(grid: ListedGrid | null = COARSE): State {
  const target = state('netting', [BTC]);
  balance(target, 'USDT', '100000');
  price(target, 10_000, BTC);
  const entry = { clientOrderId: 'in', side: 'buy', steps: 50, instrument: BTC } as const;
  open(target, entry);
  applyAccount(target, filled(entry, 50, 10_000, true));
  const { symbol } = BTC;
  const halted = { kind: 'healthChanged', time: 0, subject: 'instrument', symbol, condition: 'halted', reason: 'why' } as const;
  applyAccount(target, grid === null ? halted : { ...halted, grid });
  return target;
}

const close = (over: Partial<OrderRequest> = {}) =>
  request({
    clientOrderId: 'out',
    instrument: BTC,
    side: 'sell',
    type: 'market',
    priceTicks: undefined,
    reduceOnly: true,
    steps: 50,
    ...over,
  });

test.each([
  [37, 30],
  [30, 30],
  [20, 20],
  [19, 0],
  [9, 0],
])('of %i steps the exchange takes %i', (steps, taken) => {
  expect(listedSteps(steps, COARSE)).toBe(taken);
  expect(listedSteps(steps, undefined)).toBe(steps);
});

test.each<[string, Partial<OrderRequest>, boolean | undefined, Partial<OrderRequest>]>([
  ['a quantity down', { steps: 37 }, undefined, { steps: 30 }],
  ['the limit of a sell up', { type: 'limit', priceTicks: 9_991 }, undefined, { priceTicks: 9_995 }],
  ['the limit of a buy down', { side: 'buy', type: 'limit', priceTicks: 9_999 }, undefined, { priceTicks: 9_995 }],
  ['a trigger that waits for a fall down', { triggerTicks: 9_004 }, false, { triggerTicks: 9_000 }],
  ['a trigger that waits for a rise up', { triggerTicks: 9_001 }, true, { triggerTicks: 9_005 }],
  ['a trigger that the next open reaches at any price to the nearest', { triggerTicks: 9_003 }, undefined, { triggerTicks: 9_005 }],
  ['values on the grid to themselves', { steps: 30, triggerTicks: 9_005 }, false, { steps: 30, triggerTicks: 9_005 }],
  ['no quantity to nothing: risk denies it', { steps: 9 }, undefined, { steps: 9 }],
])('rounds %s', (_, order, rising, expected) => {
  expect(onListedGrid(close(order), changed(), rising)).toEqual({ ...close(order), ...expected });
});

test('an order on the grid of the config is left as it is', () => {
  const order = close({ steps: 37 });
  expect(onListedGrid(order, changed(null))).toBe(order);
});

test.each([
  ['a close on the grid', close({ steps: 30 }), 'approved'],
  ['a close below the minimum', close({ steps: 19 }), { denied: { code: 'quantityBelowMinimum', quantity: '0.0019', minimum: '0.002' } }],
  ['an entry', close({ side: 'buy', reduceOnly: false, steps: 30 }), { denied: { code: 'instrumentHalted', reason: 'why' } }],
])('the gate answers for %s', (_, order, expected) => {
  const verdict = new RiskGate({ state: changed(), limits: { maxPosition: new Map() } }).review(order, 0, 'send');
  if (expected === 'approved') expect(verdict).toHaveProperty('approved');
  else expect(verdict).toMatchObject(expected as object);
});

test('slices of a large close are on the grid', () => {
  const gate = (target: State) => new RiskGate({ state: target, limits: { maxPosition: new Map(), maxQuantity: '0.0037' as never } });
  expect(gate(changed()).slice(close())).toBe(30);
  expect(gate(changed(null)).slice(close())).toBe(37);
});

/** 50 steps are held at 100, and the exchange has these limits. */
function limited(limits: ListedLimits): State {
  const target = changed(null);
  applyAccount(target, { kind: 'healthChanged', time: 0, subject: 'instrument', symbol: BTC.symbol, condition: 'fresh', reason: '' });
  applyAccount(target, { kind: 'limitsListed', time: 0, instrument: BTC, limits });
  return target;
}

const entry = (over: Partial<OrderRequest> = {}) => close({ side: 'buy', reduceOnly: false, ...over });
const quantity = (maximum: string) => ({ denied: { code: 'quantityAboveMaximum', quantity: '0.005', maximum } });

test.each([
  ['an order of the largest size', { most: '0.005' }, entry(), 'approved'],
  ['a larger order', { most: '0.0049' }, entry(), quantity('0.0049')],
  ['a larger close that is sent at once', { most: '0.0049' }, close(), quantity('0.0049')],
  ['a market order that opens', { mostAtMarket: '0.0049' }, entry(), quantity('0.0049')],
  ['a market order that closes', { mostAtMarket: '0.0049' }, close(), 'approved'],
  ['a limit order that opens', { mostAtMarket: '0.0049' }, entry({ type: 'limit', priceTicks: 10_000 }), 'approved'],
  ['a position of the largest size', { mostHeld: '0.01' }, entry(), 'approved'],
  ['a larger position', { mostHeld: '0.0099' }, entry(), { denied: { code: 'positionAboveLimit', position: '0.01', limit: '0.0099' } }],
  ['a close of a position that is too large', { mostHeld: '0.002' }, close(), 'approved'],
  ['a buy at the collar', { buyCollar: '0.1' }, entry({ type: 'limit', priceTicks: 11_000 }), 'approved'],
  [
    'a buy beyond it',
    { buyCollar: '0.1' },
    entry({ type: 'limit', priceTicks: 11_001 }),
    { denied: { code: 'priceOutsideCollar', price: '110.01', last: '100', collar: '0.1' } },
  ],
  ['a sell far above the price', { buyCollar: '0.1', sellCollar: '0.1' }, close({ type: 'limit', priceTicks: 20_000 }), 'approved'],
  [
    'a sell below its collar',
    { sellCollar: '0.1' },
    close({ type: 'limit', priceTicks: 8_999 }),
    { denied: { code: 'priceOutsideCollar', price: '89.99', last: '100', collar: '0.1' } },
  ],
])("under the exchange's limits the gate answers for %s", (_, limits, order, expected) => {
  const verdict = new RiskGate({ state: limited(limits), limits: { maxPosition: new Map() } }).review(order, 0, 'send');
  if (expected === 'approved') expect(verdict).toHaveProperty('approved');
  else expect(verdict).toMatchObject(expected as object);
});

test("a held close may be larger than the exchange's largest order, and is sent in slices of it", () => {
  const gate = new RiskGate({ state: limited({ most: '0.003' }), limits: { maxPosition: new Map() } });
  expect(gate.review(close(), 0, 'hold')).toHaveProperty('approved');
  expect(gate.slice(close())).toBe(30);
});
