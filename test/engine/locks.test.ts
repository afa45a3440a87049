import { expect, test } from '@jest/globals';
import type { Intent, PlaceOrder } from '../../src/model/intents.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import { lock, place } from '../../src/strategy/intents.ts';
import { BTC, ETH, type LogLine, type PlanOptions, run, type Script, strategy, T0, tickers } from './builders.ts';

const ACCOUNT = { balances: { USDT: '100000' } } satisfies Partial<PlanOptions>;
const latches = (log: readonly LogLine[]) => log.filter(({ kind }) => ['riskLatched', 'latchReset'].includes(kind));

const order = (side: 'buy' | 'sell', of = BTC, over: Partial<PlaceOrder> = {}) =>
  place({ symbol: of.symbol, side, type: 'market', quantity: 1, ...over });

/** Intents at these tickers of one symbol, counted from 1. */
function at(of: typeof BTC, intents: Readonly<Record<number, Intent | readonly Intent[]>>): Script {
  let seen = 0;
  return { symbols: [of.symbol], onTicker: ({ symbol }) => (symbol === of.symbol ? [intents[++seen] ?? []].flat() : undefined) };
}
/** Both of one strategy. */
const both = (one: Script, other: Script): Script => ({
  symbols: ['BTC-USDT', 'ETH-USDT'],
  onTicker: (...ticker) => [one.onTicker!(...ticker) ?? [], other.onTicker!(...ticker) ?? []].flat() as readonly Intent[],
});

/** A price a second, for each symbol. */
const prices = (btc: readonly number[], eth: readonly number[] = btc) => [
  tickers(btc.map((price, second) => [second, price] as const)),
  tickers(
    eth.map((price, second) => [second, price] as const),
    ETH,
  ),
];
const flat = (count: number) => Array.from({ length: count }, () => 100);
const limits = (own: Partial<RiskLimits>): Partial<RiskLimits> => own;

test('after a trade its symbol is locked for a time, and other symbols are not', async () => {
  const script = both(at(BTC, { 1: order('buy'), 2: order('sell'), 4: order('buy'), 7: order('buy') }), at(ETH, { 4: order('buy', ETH) }));
  const result = await run([strategy('a', script)], {
    ...ACCOUNT,
    data: prices(flat(9)),
    limits: limits({ symbolCooldown: { after: 'close', forMs: 3000 } }),
  });
  // The sell fills at second 1.
  expect(latches(result.log)).toMatchObject([
    { kind: 'riskLatched', rule: 'symbolCooldown', symbol: 'BTC-USDT', until: T0 + 4000 },
    { kind: 'latchReset', rule: 'symbolCooldown', symbol: 'BTC-USDT', time: T0 + 4000 },
  ]);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'symbolLocked', symbol: 'BTC-USDT', by: 'symbolCooldown', until: '2025-01-01T00:00:04Z' },
  ]);
  expect(result.tables.fills.map(({ symbol, side }) => `${side} ${symbol}`)).toEqual([
    'buy BTC-USDT',
    'sell BTC-USDT',
    'buy ETH-USDT',
    'buy BTC-USDT',
  ]);
});

test('with `after: loss` a trade that wins locks nothing', async () => {
  const trades = at(BTC, { 1: order('buy'), 2: order('sell'), 3: order('buy'), 4: order('sell'), 6: order('buy') });
  const result = await run([strategy('a', trades)], {
    ...ACCOUNT,
    data: prices([100, 110, 110, 90, 90, 90, 90]),
    limits: limits({ symbolCooldown: { after: 'loss', forMs: 60_000 } }),
  });
  // Buys at 100, sells at 110: it wins. Buys at 110, sells at 90: it loses.
  expect(latches(result.log)).toMatchObject([{ rule: 'symbolCooldown', time: T0 + 3000, until: T0 + 63_000 }]);
  expect(result.codes).toEqual(['symbolLocked']);
});

/** Buys with a stop 10 below, at the tickers with these numbers. */
const stopped = (of: typeof BTC, ...numbers: number[]) =>
  at(of, Object.fromEntries(numbers.map((number) => [number, order('buy', of, { exits: { stopLoss: { distance: 10 } } })])));

test('losing stops within a window pause all symbols, and those outside it do not count', async () => {
  const script = both(stopped(BTC, 1, 5, 9), at(ETH, { 9: order('buy', ETH) }));
  const run2 = (withinMs: number) =>
    run([strategy('a', script)], {
      ...ACCOUNT,
      // Stopped at seconds 2 and 6.
      data: prices([100, 100, 89, 100, 100, 100, 89, 100, 100, 100], flat(10)),
      limits: limits({ stopLossGuard: { stops: 2, withinMs, forMs: 60_000, scope: 'all' } }),
    });
  const wide = await run2(5000);
  expect(latches(wide.log)).toMatchObject([{ rule: 'stopLossGuard', count: 2, limit: 2, until: T0 + 66_000 }]);
  expect(latches(wide.log)[0]).not.toHaveProperty('symbol');
  expect(wide.codes).toEqual(['symbolLocked', 'symbolLocked']);
});

test('a stop as old as the window is out of it', async () => {
  const result = await run([strategy('a', stopped(BTC, 1, 5, 9))], {
    ...ACCOUNT,
    data: prices([100, 100, 89, 100, 100, 100, 89, 100, 100, 100]),
    limits: limits({ stopLossGuard: { stops: 2, withinMs: 4000, forMs: 60_000, scope: 'all' } }),
  });
  expect(latches(result.log)).toEqual([]);
});

test('with `scope: symbol` the stops of each symbol count for themselves', async () => {
  const script = both(stopped(BTC, 1, 5, 9), both(stopped(ETH, 1), at(ETH, { 9: order('buy', ETH) })));
  const result = await run([strategy('a', script)], {
    ...ACCOUNT,
    data: prices([100, 100, 89, 100, 100, 100, 89, 100, 100, 100], [100, 100, 89, 100, 100, 100, 100, 100, 100, 100]),
    limits: limits({ stopLossGuard: { stops: 2, withinMs: 60_000, forMs: 60_000, scope: 'symbol' } }),
  });
  expect(latches(result.log)).toMatchObject([{ rule: 'stopLossGuard', symbol: 'BTC-USDT', count: 2 }]);
  expect(result.codes).toEqual(['symbolLocked']);
  expect(result.tables.fills.at(-1)).toMatchObject({ symbol: 'ETH-USDT', side: 'buy' });
});

test('a losing trade that was sold without a stop does not count', async () => {
  const result = await run([strategy('a', at(BTC, { 1: order('buy'), 3: order('sell') }))], {
    ...ACCOUNT,
    data: prices([100, 100, 80, 80, 80]),
    limits: limits({ stopLossGuard: { stops: 1, withinMs: 60_000, forMs: 60_000, scope: 'all' } }),
  });
  expect(latches(result.log)).toEqual([]);
});

test('a strategy locks its own symbol: resting entries are canceled, closes pass, another strategy trades', async () => {
  const bid = place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 90, quantity: 1 });
  const script = at(BTC, {
    1: [order('buy'), bid],
    3: lock({ symbol: 'BTC-USDT', until: T0 + 5000 }),
    4: [order('buy'), order('sell')],
    7: order('buy'),
  });
  const result = await run([strategy('a', script), strategy('b', at(BTC, { 4: order('buy') }))], { ...ACCOUNT, data: prices(flat(9)) });
  expect(latches(result.log)).toMatchObject([
    { kind: 'riskLatched', rule: 'lock', strategy: 'a', symbol: 'BTC-USDT', until: T0 + 5000 },
    { kind: 'latchReset', rule: 'lock', strategy: 'a', symbol: 'BTC-USDT', time: T0 + 5000 },
  ]);
  expect(result.log.filter(({ kind }) => kind === 'orderCanceled')).toMatchObject([{ reason: 'riskLatch' }]);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'symbolLocked', symbol: 'BTC-USDT', by: 'lock', until: '2025-01-01T00:00:05Z', strategy: 'a' },
  ]);
  expect(result.tables.fills.map(({ strategyId, side }) => `${strategyId} ${side}`)).toEqual(['a buy', 'a sell', 'b buy', 'a buy']);
});

test('a second lock replaces the first, and a time that is over ends it', async () => {
  const until = (second: number) => lock({ symbol: 'BTC-USDT', until: T0 + second * 1000 });
  const script = at(BTC, { 1: until(100), 2: until(4), 3: order('buy'), 6: [order('buy'), until(100)], 7: until(0), 8: order('sell') });
  const result = await run([strategy('a', script)], { ...ACCOUNT, data: prices(flat(10)) });
  expect(latches(result.log).map(({ kind, until: end, time }) => [kind, end ?? time])).toEqual([
    ['riskLatched', T0 + 100_000],
    ['riskLatched', T0 + 4000],
    ['latchReset', T0 + 4000],
    ['riskLatched', T0 + 100_000],
    ['latchReset', T0 + 6000],
  ]);
  expect(result.codes).toEqual(['symbolLocked']);
});

test('a lock without a symbol concerns all symbols of its strategy; one of a foreign symbol is a mistake', async () => {
  const script = both(at(BTC, { 1: lock({ until: T0 + 60_000 }), 2: order('buy') }), at(ETH, { 2: order('buy', ETH) }));
  const result = await run([strategy('a', script)], { ...ACCOUNT, data: prices(flat(4)) });
  expect(result.codes).toEqual(['symbolLocked', 'symbolLocked']);
  const foreign = at(BTC, { 1: lock({ symbol: 'ETH-USDT', until: T0 }) });
  const { message } = await run([strategy('a', foreign)], { ...ACCOUNT, data: prices(flat(2)) });
  expect(message).toContain('lock: "ETH-USDT" is not a symbol of this strategy');
  expect(() => lock({ until: Number.NaN })).toThrow('lock: until is a time in epoch ms, not NaN');
});

test('open positions are limited for the account: each strategy and symbol counts, more of an open one passes', async () => {
  const a = both(
    at(BTC, { 1: order('buy'), 3: order('buy'), 5: order('sell', BTC, { quantity: 2 }) }),
    at(ETH, { 2: order('buy', ETH), 7: order('buy', ETH) }),
  );
  const b = at(BTC, { 2: order('buy') });
  const result = await run([strategy('a', a), strategy('b', b)], {
    ...ACCOUNT,
    data: prices(flat(9)),
    limits: limits({ maxOpenPositions: 2 }),
  });
  // a buys BTC; at the second ticker b buys BTC, and the ETH of a is one too many. The third buy adds to a position.
  expect(result.tables.refusals.map(({ reason, symbol }) => [symbol, reason])).toEqual([
    ['ETH-USDT', { code: 'openPositionsAboveLimit', openPositions: '3', limit: '2' }],
  ]);
  expect(result.tables.fills.at(-1)).toMatchObject({ symbol: 'ETH-USDT', side: 'buy' });
});

test('open positions are limited for one strategy, and a resting entry counts as the position that it may open', async () => {
  const bid = place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 50, quantity: 1 });
  const a = both(at(BTC, { 1: bid, 2: bid }), at(ETH, { 3: order('buy', ETH) }));
  const b = at(ETH, { 3: order('buy', ETH) });
  const result = await run([strategy('a', a), strategy('b', b)], {
    ...ACCOUNT,
    data: prices(flat(5)),
    limits: { strategies: new Map([['a', { maxPosition: new Map(), maxOpenPositions: 1 }]]) },
  });
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'openPositionsAboveLimit', openPositions: '2', limit: '1', strategy: 'a' },
  ]);
  expect(result.tables.fills.map(({ strategyId }) => strategyId)).toEqual(['b']);
});
