import { expect, test } from '@jest/globals';
import type { Intent, PlaceOrder, Protect } from '../../../src/model/intents.ts';
import { place, protect } from '../../../src/strategy/intents.ts';
import { bars, type Feed, type PlanOptions, quotes, run, strategy, tickers } from '../builders.ts';

/** These intents at the bars, tickers or quotes with these numbers. */
function at(intents: Readonly<Record<number, Intent>>, data: Feed, over: Partial<PlanOptions> = {}) {
  let seen = 0;
  const next = () => intents[++seen];
  const hooks = data.kind === 'bar' ? { onBar: next } : data.kind === 'quote' ? { onQuote: next } : { onTicker: next };
  return run([strategy('s', hooks)], { data: [data], ...over });
}
const order = (over: Partial<PlaceOrder>) => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 4, ...over });
const guard = (over: Partial<Protect>) => protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 4, ...over });
const every10s = (...prices: number[]) => tickers(prices.map((price, index) => [index * 10, price] as const));

test.each<[string, Partial<PlaceOrder>, string, string]>([
  ['a long with a stop above the price', { exits: { stopLoss: 101 } }, '101', '100'],
  ['a short with a stop below it', { side: 'sell', exits: { stopLoss: 99 } }, '99', '100'],
  ['a stop that is to trail', { exits: { stopLoss: 101, trailBy: 5 } }, '101', '100'],
  ['a limit order, at its limit', { type: 'limit', price: 95, exits: { stopLoss: 97 } }, '97', '95'],
  ['a limit order that takes, at the price', { type: 'limit', price: 105, exits: { stopLoss: 103 } }, '103', '100'],
  ['a limit sell', { side: 'sell', type: 'limit', price: 105, exits: { stopLoss: 104 } }, '104', '105'],
  ['a stop order, at its trigger', { type: 'stop', stopPrice: 110, exits: { stopLoss: 112 } }, '112', '110'],
  ['a stop order that is triggered already', { type: 'stop', stopPrice: 90, exits: { stopLoss: 104 } }, '104', '100'],
  [
    'a stop limit order with a limit below its trigger',
    { type: 'stopLimit', stopPrice: 110, price: 106, exits: { stopLoss: 108 } },
    '108',
    '106',
  ],
])('denies %s', async (_, over, stop, price) => {
  const { tables, filled } = await at({ 1: order(over) }, every10s(100, 100, 100));
  const side = over.side === 'sell' ? 'short' : 'long';
  expect(tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'stopOnWrongSide', side, stop, price }]);
  expect(filled).toEqual([]);
});

test.each<[string, Partial<PlaceOrder>]>([
  ['a stop at the price', { exits: { stopLoss: 100 } }],
  ['a distance', { exits: { stopLoss: { distance: 1 } } }],
  ['a stop order with a stop above the present price', { type: 'stop', stopPrice: 110, exits: { stopLoss: 105 } }],
  ['a stop order that is triggered already, with a stop below the price', { type: 'stop', stopPrice: 90, exits: { stopLoss: 95 } }],
])('takes %s', async (_, over) => {
  expect((await at({ 1: order(over) }, every10s(100, 100, 100))).codes).toEqual([]);
});

test('on quotes the price is the one that the stop would meet', async () => {
  const result = await at(
    { 1: order({ exits: { stopLoss: 99 } }) },
    quotes([
      [0, 98, 102],
      [10, 98, 102],
    ]),
  );
  expect(result.tables.refusals).toMatchObject([{ reason: { code: 'stopOnWrongSide', stop: '99', price: '98' } }]);
});

test('a gap beyond the stop triggers it at once, and the run counts that', async () => {
  // Decided at 100, with a stop at 95; the bar opens at 90.
  const gap = bars([100, [90, 92, 88, 91], 91]);
  const both = { 1: order({ exits: { stopLoss: 95, takeProfit: 110 } }) };
  const result = await at(both, gap);
  expect(result.filled).toEqual(['buy 4 at 90', 'sell 4 at 90']);
  expect([result.codes, result.stopsBeyondFill]).toEqual([[], 1]);
  const next = await at(both, gap, { exits: 'nextBar' });
  expect([next.filled, next.stopsBeyondFill]).toEqual([['buy 4 at 90', 'sell 4 at 91'], 1]);
  const above = await at(both, bars([100, 96, 97]));
  expect(above.stopsBeyondFill).toBe(0);
});

test('protect with a wrong stop names it, keeps the take profit, and reports that the position has no stop', async () => {
  const { tables, filled, log } = await at(
    { 1: order({}), 2: guard({ stopLoss: 101, takeProfit: 110, tag: 'safe' }) },
    every10s(100, 100, 105, 111, 111),
  );
  expect(tables.refusals.map(({ reason, tag }) => [tag, reason])).toEqual([
    ['safe', { code: 'stopOnWrongSide', side: 'long', stop: '101', price: '100' }],
  ]);
  expect(tables.refusals[0]!.reason).toHaveProperty('details', { field: 'stopLoss', kept: 'takeProfit' });
  expect(log.filter(({ kind }) => kind === 'exitRefused')).toMatchObject([{ exit: 'stop', code: 'stopOnWrongSide' }]);
  expect(filled).toEqual(['buy 4 at 100', 'sell 4 at 111']);
});

test('a position that has another stop is not reported', async () => {
  const { codes, log } = await at({ 1: order({ exits: { stopLoss: 90 } }), 2: guard({ stopLoss: 101 }) }, every10s(100, 100, 100));
  expect(codes).toEqual(['stopOnWrongSide']);
  expect(log.filter(({ kind }) => kind === 'exitRefused')).toEqual([]);
});

test('protect with a wrong take profit names it, and keeps the stop', async () => {
  const { tables, filled } = await at({ 1: order({}), 2: guard({ stopLoss: 95, takeProfit: 0 }) }, every10s(100, 100, 94, 94));
  expect(tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'priceInvalid', price: '0', tickSize: '1' }]);
  expect(tables.refusals[0]!.reason).toHaveProperty('details', { field: 'takeProfit', kept: 'stopLoss' });
  expect(filled).toEqual(['buy 4 at 100', 'sell 4 at 94']);
});

test('protect with two wrong exits is denied', async () => {
  const { tables, log } = await at({ 1: order({}), 2: guard({ stopLoss: 101, takeProfit: 'x' }) }, every10s(100, 100, 94, 94));
  expect(tables.refusals).toMatchObject([{ reason: { code: 'stopOnWrongSide' } }]);
  expect(log.filter(({ type }) => type === 'stop')).toEqual([]);
});

test('journals of earlier rules decide as their bots did', async () => {
  const early = await at({ 1: order({ exits: { stopLoss: 101 } }) }, every10s(100, 100, 100), { rules: 1 });
  expect([early.codes, early.filled]).toEqual([[], ['buy 4 at 100', 'sell 4 at 100']]);
  const whole = await at({ 1: order({}), 2: guard({ stopLoss: 95, takeProfit: 0 }) }, every10s(100, 100, 94), { rules: 1 });
  expect([whole.codes, whole.filled]).toEqual([['priceInvalid'], ['buy 4 at 100']]);
});
