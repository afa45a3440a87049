import { expect, test } from '@jest/globals';
import type { HeldSnapshot } from '../../../src/engine/held/held-memory.ts';
import type { Exits, Intent, PlaceOrder } from '../../../src/model/intents.ts';
import { place, protect } from '../../../src/strategy/intents.ts';
import { bars, type Feed, MINUTE, type PlanOptions, quotes, run, strategy, T0, tickers } from '../builders.ts';
import { FuturesBench } from '../futures-bench.ts';

/** These intents at the bars, tickers or quotes with these numbers. */
async function at(intents: Readonly<Record<number, Intent>>, data: Feed, over: Partial<PlanOptions> = {}) {
  let seen = 0;
  const next = () => intents[++seen];
  const hooks = data.kind === 'bar' ? { onBar: next } : data.kind === 'quote' ? { onQuote: next } : { onTicker: next };
  const result = await run([strategy('s', hooks)], { data: [data], ...over });
  const fills = result.tables.fills.map(({ side, quantity, price, time, tag }) =>
    `${(time - T0) / 1000} ${side} ${quantity} at ${price} ${tag}`.trim(),
  );
  return { ...result, fills };
}
const entry = (exits: Exits, over: Partial<PlaceOrder> = {}) =>
  place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 4, exits, ...over });
const every10s = (...prices: number[]) => tickers(prices.map((price, index) => [index * 10, price] as const));

/** 10 % at first, 5 % from two minutes on, and a loss of 2 % from four minutes on. */
const STEPS = [
  { after: '0m', profit: 0.1 },
  { after: '2m', profit: '0.05' },
  { after: 4 * MINUTE, profit: -0.02 },
];

test('on bars a position is closed at the first open at or after its age', async () => {
  // Opened at 60 s; the bar at 240 s opens at 103.
  const { fills } = await at({ 1: entry({ after: '3m' }) }, bars([100, 100, 101, [102, 120, 80, 102], [103, 104, 102, 104], 105]));
  expect(fills).toEqual(['60 buy 4 at 100', '240 sell 4 at 103 after']);
  const late = await at({ 1: entry({ after: '3m' }, { tag: 'in' }) }, bars([100, 100, 101, 102, undefined, 105, 106]));
  expect(late.fills.at(-1)).toBe('300 sell 4 at 105 in:after');
});

test.each<[string, Feed, string]>([
  ['the first step inside its bar', bars([100, [100, 111, 99, 104], 104]), '120 sell 4 at 110 takeProfit'],
  // From 180 s on, 5 % is enough.
  ['the second step inside a bar', bars([100, 100, [100, 109, 99, 104], [104, 106, 103, 104], 104]), '240 sell 4 at 105 takeProfit'],
  ['the second step at an open beyond it', bars([100, 100, [100, 109, 99, 107], 107, 107]), '180 sell 4 at 107 takeProfit'],
  // From 300 s on, 98 is enough.
  ['a step with a loss', bars([100, 100, 100, 100, 96, 97, [97, 99, 97, 97], 97]), '420 sell 4 at 98 takeProfit'],
])('on bars a position is closed by %s', async (_, data, fill) => {
  const { fills } = await at({ 1: entry({ steps: STEPS }) }, data);
  expect(fills).toEqual(['60 buy 4 at 100', fill]);
});

test('a short is closed by the same rules', async () => {
  const short = entry({ steps: STEPS }, { side: 'sell' });
  const { fills } = await at({ 1: short }, bars([100, 100, 100, [96, 97, 94, 96], 96]));
  expect(fills).toEqual(['60 sell 4 at 100', '240 buy 4 at 95 takeProfit']);
});

test('on tickers and quotes exits go by the clock', async () => {
  const tick = await at({ 1: entry({ after: '25s' }) }, every10s(100, 100, 100, 101, 102));
  // Filled at 0 s.
  expect(tick.fills).toEqual(['0 buy 4 at 100', '25 sell 4 at 100 after']);
  const steps = [
    { after: 0, profit: 0.1 },
    { after: '20s', profit: 0.03 },
  ];
  const quote = await at(
    { 1: entry({ steps }) },
    quotes([
      [0, 99, 100],
      [10, 105, 106],
      [20, 102, 103],
      [30, 104, 105],
      [40, 104, 105],
    ]),
  );
  expect(quote.fills).toEqual(['0 buy 4 at 100', '30 sell 4 at 104 takeProfit']);
});

test('strategies and the log see the limit of each step', async () => {
  const { log } = await at({ 1: entry({ steps: STEPS }) }, bars([100, 100, 100, 100, 100, 90, 90]));
  const limits = log.filter(({ kind, type }) => kind === 'orderSubmitted' && type === 'limit');
  expect(limits.map(({ price, time }) => [price, (time - T0) / 1000])).toEqual([
    ['110', 60],
    ['105', 180],
    ['98', 300],
  ]);
});

test('the first of the exits ends the others', async () => {
  const exits = { stopLoss: 90, steps: STEPS, after: '3m' };
  const stopped = await at({ 1: entry(exits) }, bars([100, 100, [100, 101, 89, 95], 95, 95, 95]));
  expect(stopped.fills.at(-1)).toBe('180 sell 4 at 90 stopLoss');
  const closed = await at({ 1: entry(exits) }, bars([100, 100, 100, 100, 95, 80]));
  expect(closed.fills.at(-1)).toBe('240 sell 4 at 95 after');
  for (const { log } of [stopped, closed]) expect(log.filter(({ reason }) => reason === 'linked')).toHaveLength(2);
  expect([stopped, closed].map(({ fills }) => fills.length)).toEqual([2, 2]);
});

test('a gap that reaches a stop at the time of the close closes once', async () => {
  const { fills } = await at({ 1: entry({ stopLoss: 90, after: '3m' }) }, bars([100, 100, 100, 100, 80, 80]));
  expect(fills).toEqual(['60 buy 4 at 100', '240 sell 4 at 80 stopLoss']);
});

test('each fill of an entry has its own age', async () => {
  const slow = bars([100, [100, 100, 100, 100, 20], [100, 100, 100, 100, 20], 100, 100, 100, 100]);
  const { fills } = await at({ 1: entry({ after: '3m' }) }, slow, { exits: 'nextBar', fills: { barVolumeShare: 0.1 } });
  expect(fills).toEqual(['60 buy 2 at 100', '120 buy 2 at 100', '240 sell 2 at 100 after', '300 sell 2 at 100 after']);
});

test('protect counts from now', async () => {
  const plain = place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 4 });
  const guard = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 4, after: '15s', tag: 'old' });
  const { fills } = await at({ 1: plain, 3: guard }, every10s(100, 100, 100, 100, 100, 100));
  expect(fills).toEqual(['0 buy 4 at 100', '35 sell 4 at 100 old:after']);
});

test('on futures the engine holds them beside the stop at the venue, and over a restart', () => {
  const opens = place({
    symbol: 'BTC-USDT-PERP',
    side: 'buy',
    type: 'market',
    quantity: 10,
    exits: { stopLoss: 90, after: '1h', steps: STEPS },
  });
  const made = new FuturesBench();
  made.price(100);
  made.want(opens);
  made.fill('s-1', 10, 100);
  expect(made.sent).toEqual(['s-1 open long 10 market', 's-2 close long 10 market when 90 (stopLoss)']);
  const held: HeldSnapshot = made.engine.snapshot();
  expect(held.orders.map(({ dueAt, schedule }) => [dueAt, schedule?.length])).toEqual([
    [undefined, undefined],
    [undefined, 3],
    [made.time + 60 * MINUTE, undefined],
  ]);
  const next = new FuturesBench({ after: { state: made.state, held, nextId: 9 } });
  next.orders.set('s-2', made.orders.get('s-2')!);
  next.time = made.time + 3 * MINUTE;
  next.price(104);
  expect(next.sent).toEqual([]);
  next.time = made.time + 60 * MINUTE;
  next.price(97);
  expect(next.sent).toEqual(['s-4 close long 10 market (after)']);
  next.fill('s-4', 10, 97);
  expect(next.sent).toEqual(['cancel s-2 linked']);
});

test.each<[Exits, string]>([
  [{ after: '3x' }, 'exits.after is a time such as 30m or 4h, or ms above 0, not 3x'],
  [{ after: 0 }, 'exits.after is a time such as 30m or 4h, or ms above 0, not 0'],
  [{ steps: [] }, 'exits.steps is a list of { after, profit }'],
  [{ steps: STEPS, takeProfit: 110 }, 'exits name takeProfit or steps, not both'],
  [{ steps: STEPS.slice(1) }, "exits.steps begin with { after: '0m' }, and each step comes after the one before"],
  [{ steps: [STEPS[0]!, STEPS[2]!, STEPS[1]!] }, "exits.steps begin with { after: '0m' }, and each step comes after the one before"],
  [{ steps: [{ after: '0m', profit: Number.NaN }] }, 'a step of exits has a time and a profit above -1, not 0m and NaN'],
])('denies %j', async (exits, rule) => {
  const { tables } = await at({ 1: entry(exits) }, every10s(100, 100));
  expect(tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'orderInvalid', rule }]);
});
