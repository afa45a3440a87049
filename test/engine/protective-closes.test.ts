import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { PlaceOrder } from '../../src/model/intents.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import { bars, instrument, run, type Script, strategy, T0, tickers } from './builders.ts';
import { FuturesBench } from './futures-bench.ts';

const order = (side: 'buy' | 'sell', quantity: number | string, more: Partial<PlaceOrder> = {}) =>
  place({ symbol: 'BTC-USDT', side, type: 'market', quantity, ...more });
const limit = (side: 'buy' | 'sell', price: number, quantity: number | string) => order(side, quantity, { type: 'limit', price });

/** A strategy that answers its n-th ticker. */
function at(answers: Readonly<Record<number, Intents>>): Script {
  let count = 0;
  return { onTicker: () => answers[++count] };
}
const prices = (...list: number[]) => [tickers(list.map((price, second) => [second, price] as const))];
const FALL = prices(100, 100, 97, 95, 80, 61);

describe('a stop loss fires whatever rests on its side', () => {
  const guarded = (beside: Intents) => at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }), 2: beside });
  const cases: [string, Intents][] = [
    ['a limit order of as much', limit('sell', 110, 10)],
    ['a limit order of a part', limit('sell', 110, 1)],
    ['two of them', [limit('sell', 110, 6), limit('sell', 120, 4)]],
    ['a held stop below', order('sell', 10, { type: 'stop', stopPrice: 50 })],
    ['a reduce-only limit order', order('sell', 10, { type: 'limit', price: 110, reduceOnly: true })],
    ['a take profit of its own', protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, takeProfit: 120 })],
  ];
  for (const kind of ['netting', 'spot'] as const) {
    test.each(cases)(`${kind}: with %s open`, async (_, beside) => {
      const { filled, codes } = await run([strategy('a', guarded(beside))], { kind, data: FALL });
      expect(filled.slice(0, 2)).toEqual(['buy 10 at 100', 'sell 10 at 95']);
      expect(codes).toEqual([]);
    });

    test(`${kind}: with an order of another strategy open`, async () => {
      const other = strategy('b', at({ 1: order('buy', 1), 2: limit('sell', 200, 1) }));
      const { filled, codes } = await run([strategy('a', at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }) })), other], {
        kind,
        data: FALL,
      });
      expect(filled).toEqual(['buy 10 at 100', 'buy 1 at 100', 'sell 10 at 95']);
      expect(codes).toEqual([]);
    });
  }

  test('netting: uses its own position if other strategies hold the opposite one', async () => {
    const long = strategy('long', at({ 1: order('buy', 9, { exits: { stopLoss: 95 } }) }));
    const short = strategy('short', at({ 1: order('sell', 8) }));
    const { filled } = await run([long, short], { data: FALL });
    expect(filled).toEqual(['buy 9 at 100', 'sell 8 at 100', 'sell 9 at 95']);
  });

  test('netting: a close by the strategy itself too', async () => {
    const long = strategy('long', at({ 1: order('buy', 9), 3: order('sell', 9, { reduceOnly: true }) }));
    const short = strategy('short', at({ 1: order('sell', 8) }));
    const { filled, codes } = await run([long, short], { data: FALL });
    expect(filled).toEqual(['buy 9 at 100', 'sell 8 at 100', 'sell 9 at 97']);
    expect(codes).toEqual([]);
  });

  test('inside a bar, at the trigger, where the sell that rests holds the coins', async () => {
    const script: Script = { needs: { bars: '1m' } };
    let count = 0;
    const a = strategy('a', {
      ...script,
      onBar: () => (++count === 1 ? order('buy', 10, { exits: { stopLoss: 95 } }) : count === 2 ? limit('sell', 110, 10) : undefined),
    });
    const { filled } = await run([a], { kind: 'spot', data: [bars([100, 100, 100, [100, 101, 90, 92], 92])] });
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 95']);
  });
});

describe('spot: orders that hold the coins of a close give way', () => {
  const scripts = (a: Script, b: Script) => [strategy('a', a), strategy('b', b)];
  const canceled = (log: readonly { kind?: string; clientOrderId?: string; reason?: string }[]) =>
    log.filter(({ kind }) => kind === 'orderCanceled').map(({ clientOrderId, reason }) => `${clientOrderId} ${reason}`);

  test('the newest first, and no more than it takes', async () => {
    const a = at({
      1: order('buy', 10, { exits: { stopLoss: 95 } }),
      2: [limit('sell', 110, 4), limit('sell', 120, 3)],
      3: order('buy', 2),
    });
    const { log, filled } = await run([strategy('a', a)], { kind: 'spot', data: prices(100, 100, 100, 95, 94) });
    // 12 coins, 7 on sale: 5 are free, and 10 are to be sold.
    expect(canceled(log)).toEqual(['test-a-4 outranked', 'test-a-3 outranked']);
    expect(filled).toEqual(['buy 10 at 100', 'buy 2 at 100', 'sell 10 at 95']);
  });

  test("its strategy's own before those of others", async () => {
    const a = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }), 2: limit('sell', 110, 5) });
    const b = at({ 1: order('buy', 5), 3: limit('sell', 120, 5) });
    const { log, filled } = await run(scripts(a, b), { kind: 'spot', data: prices(100, 100, 100, 95, 94) });
    expect(canceled(log).map((one) => one.replace(/-\d+/, ''))).toEqual(['test-a outranked']);
    expect(filled).toEqual(['buy 10 at 100', 'buy 5 at 100', 'sell 10 at 95']);
  });

  test('it is sent once the cancels are confirmed, after the latency of cancels and replies', async () => {
    const a = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }), 3: limit('sell', 110, 10) });
    const data = prices(100, 100, 100, 95, 94, 93, 92, 91, 90);
    const latency = { entryMs: 500, cancelMs: 1000, responseMs: 700 };
    const { log, filled } = await run([strategy('a', a)], { kind: 'spot', data, latency });
    const secondsOf = (kind: string, id: string) =>
      log.filter((line) => line.kind === kind && line.clientOrderId === id).map(({ time }) => (time - T0) / 1000);
    expect(secondsOf('cancelSubmitted', 'test-a-3')).toEqual([3]);
    expect(secondsOf('orderCanceled', 'test-a-3')).toEqual([4]);
    // The reply comes at 4.7 s; the close arrives at 5.2 s.
    expect(secondsOf('orderTriggered', 'test-a-2')).toEqual([4.7]);
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 93']);
  });

  test('a quantity that was sold meanwhile is not sold again', async () => {
    const a = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }), 2: limit('sell', 110, 4) });
    const data = prices(100, 100, 100, 95, 111, 111, 111, 111);
    const latency = { entryMs: 0, cancelMs: 3000, responseMs: 0 };
    const { filled } = await run([strategy('a', a)], { kind: 'spot', data, latency });
    expect(filled).toEqual(['buy 10 at 100', 'sell 4 at 110', 'sell 6 at 111']);
  });

  test('a market close that a strategy sends is held until they are gone', async () => {
    const a = at({ 1: order('buy', 10), 2: limit('sell', 110, 10), 3: order('sell', 10, { reduceOnly: true, tag: 'out' }) });
    const { filled, codes } = await run([strategy('a', a)], { kind: 'spot', data: FALL });
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 97']);
    expect(codes).toEqual([]);
  });

  test('a strategy does not sell the coins of another', async () => {
    const a = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }) });
    const b = at({ 2: limit('sell', 90, 1) });
    const { filled, codes } = await run(scripts(a, b), { kind: 'spot', data: FALL });
    expect(codes).toEqual(['balanceTooLow']);
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 95']);
  });

  test('nor those that are on sale for it; coins of no strategy are free for all', async () => {
    const a = at({ 1: order('buy', 10), 2: limit('sell', 200, 10) });
    const b = at({ 3: limit('sell', 90, 3), 4: limit('sell', 90, 3) });
    const { codes, filled } = await run(scripts(a, b), { kind: 'spot', balances: { USDT: '1000000', BTC: '6' }, data: FALL });
    expect(codes).toEqual([]);
    expect(filled).toEqual(['buy 10 at 100', 'sell 3 at 97', 'sell 3 at 95']);
  });
});

describe('two closes that one price triggers', () => {
  test('spot: each has the coins of its own strategy, and the sell that rests gives way', async () => {
    const a = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }), 2: limit('sell', 110, 5) });
    const b = at({ 1: order('buy', 30, { exits: { stopLoss: 95 } }) });
    const { codes, filled } = await run([strategy('a', a), strategy('b', b)], { kind: 'spot', data: FALL });
    expect(codes).toEqual([]);
    expect(filled.slice(2).sort()).toEqual(['sell 10 at 95', 'sell 30 at 95']);
  });

  test('spot: both stops of one strategy are sent although a sell rests', async () => {
    const two = [order('buy', 30, { exits: { stopLoss: 95 } }), order('buy', 20, { exits: { stopLoss: 96 } })];
    const a = at({ 1: [order('buy', 30), ...two], 2: limit('sell', 110, 40) });
    const { codes, filled } = await run([strategy('a', a)], { kind: 'spot', data: FALL });
    expect(codes).toEqual([]);
    expect(filled.slice(3).sort()).toEqual(['sell 20 at 95', 'sell 30 at 95']);
  });

  test('spot: a stop larger than its position cancels no sell of another strategy', async () => {
    const a = at({ 1: order('buy', 30, { exits: { stopLoss: 95 } }), 2: limit('sell', 110, 15), 3: order('sell', 10) });
    const b = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }) });
    const { codes, filled, state } = await run([strategy('a', a), strategy('b', b)], {
      kind: 'spot',
      balances: { USDT: '1000000', BTC: '20' },
      data: FALL,
    });
    expect(codes).toEqual([]);
    expect(filled.slice(3).sort()).toEqual(['sell 10 at 95', 'sell 20 at 95']);
    expect([...state.endedOrders.values()].filter(({ status }) => status === 'canceled')).toEqual([]);
  });

  test('spot: stops that are together larger than their position cancel no sell of another strategy', async () => {
    const stopLoss = { exits: { stopLoss: 95 } };
    const guard = order('sell', 25, { type: 'stop', stopPrice: 95, reduceOnly: true });
    const a = at({ 1: [order('buy', 10, stopLoss), order('buy', 10)], 2: guard });
    const b = at({ 1: order('buy', 50), 2: limit('sell', 110, 45) });
    const c = at({ 3: order('buy', 10, stopLoss) });
    const { filled, state } = await run([strategy('a', a), strategy('b', b), strategy('c', c)], { kind: 'spot', data: FALL });
    expect(filled.slice(4)).toEqual(['sell 10 at 95', 'sell 10 at 95', 'sell 10 at 95']);
    expect([...state.endedOrders.values()].filter(({ status }) => status === 'canceled')).toEqual([]);
  });

  const held = { type: 'stop', stopPrice: 95, reduceOnly: true } as const;
  test.each<[string, Record<number, Intents>, string[]]>([
    ['a close of what its own stop is closing', { 4: order('sell', 10, { reduceOnly: true }) }, ['sell 10 at 95']],
    ['a stop of what another one leaves', { 2: [order('sell', 6, held), order('sell', 10, held)] }, ['sell 6 at 95', 'sell 4 at 95']],
  ])('spot: %s does not cancel the sell of another strategy', async (title, more, closed) => {
    const exits = title.startsWith('a close') ? { exits: { stopLoss: 95 } } : {};
    const a = at({ 1: order('buy', 10, exits), ...more });
    const b = at({ 1: order('buy', 10), 2: limit('sell', 110, 10) });
    const { filled, state } = await run([strategy('a', a), strategy('b', b)], { kind: 'spot', data: FALL });
    expect(filled).toEqual(['buy 10 at 100', 'buy 10 at 100', ...closed]);
    expect([...state.endedOrders.values()].filter(({ status }) => status === 'canceled')).toEqual([]);
  });

  const stop = (quantity: number, stopPrice: number) => order('sell', quantity, { type: 'stop', stopPrice, reduceOnly: true });
  test.each([
    ['spot', 10, 5, ['sell 10 at 95']],
    ['netting', 10, 5, ['sell 10 at 95']],
    ['netting', 5, 10, ['sell 5 at 95', 'sell 5 at 95']],
    ['netting', 6, 7, ['sell 6 at 95', 'sell 4 at 95']],
  ] as const)('%s: stops of %d and %d sell the position of 10, once', async (kind, first, second, sold) => {
    const { codes, filled } = await run([strategy('a', at({ 1: order('buy', 10), 2: [stop(first, 95), stop(second, 96)] }))], {
      kind,
      data: FALL,
    });
    expect(codes).toEqual([]);
    expect(filled.slice(1)).toEqual(sold);
  });
});

test.each(['spot', 'netting'] as const)('%s: two take profits that one price triggers sell the position, once', async (kind) => {
  const target = (quantity: number, takeProfit: number) => protect({ symbol: 'BTC-USDT', side: 'sell', quantity, takeProfit });
  const a = at({ 1: order('buy', 10), 2: [target(4, 104), target(10, 105)] });
  const { codes, filled } = await run([strategy('a', a)], { kind, data: prices(100, 100, 106, 107, 108) });
  expect(codes).toEqual([]);
  expect(filled).toEqual(['buy 10 at 100', 'sell 4 at 106', 'sell 6 at 106']);
});

test.each(['spot', 'netting'] as const)('%s: a stop of more than the position closes the position', async (kind) => {
  const a = at({ 1: order('buy', 10), 2: order('sell', 15, { type: 'stop', stopPrice: 95, reduceOnly: true }) });
  const { codes, filled } = await run([strategy('a', a)], { kind, data: FALL });
  expect(codes).toEqual([]);
  expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 95']);
});

test('spot: a stop may be placed while a sell holds its coins', async () => {
  const a = at({ 1: order('buy', 10), 2: limit('sell', 110, 6), 3: order('sell', 10, { type: 'stop', stopPrice: 95, reduceOnly: true }) });
  const { codes, filled } = await run([strategy('a', a)], { kind: 'spot', data: FALL });
  expect(codes).toEqual([]);
  expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 95']);
});

test('spot: the stop of a sale buys the sold quantity back', async () => {
  const a = at({ 1: order('sell', 5, { exits: { stopLoss: 105 } }) });
  const { codes, filled } = await run([strategy('a', a)], {
    kind: 'spot',
    balances: { USDT: '1000000', BTC: '8' },
    data: prices(100, 103, 106, 107, 108),
  });
  expect(codes).toEqual([]);
  expect(filled).toEqual(['sell 5 at 100', 'buy 5 at 106']);
});

test('a canceled stop that waits for its coins does not go out', async () => {
  const a = at({ 1: order('buy', 10, { exits: { stopLoss: 95 } }), 2: limit('sell', 110, 10), 5: cancel() });
  const latency = { entryMs: 0, cancelMs: 5000, responseMs: 0 };
  const { filled } = await run([strategy('a', a)], { kind: 'spot', data: prices(100, 100, 100, 95, 94, 93, 92, 91, 90, 89, 88), latency });
  expect(filled).toEqual(['buy 10 at 100']);
});

describe("a venue with only the account's position closes more than the strategy still holds", () => {
  const PERP = 'BTC-USDT-PERP';
  const market = (side: 'buy' | 'sell', quantity: number, more: Partial<PlaceOrder> = {}) =>
    place({ symbol: PERP, side, type: 'market', quantity, ...more });

  /** `s` is long 5 with a take profit of 2 that rests at the venue, `t` is long 3; a close of 5 of `s` is in flight. */
  function bench(): FuturesBench {
    const made = new FuturesBench();
    made.price(100);
    made.want(market('buy', 5, { positionSide: 'long' }));
    made.fill('s-1', 5, 100);
    made.want(market('buy', 3, { positionSide: 'long' }), 't');
    made.fill('t-2', 3, 100);
    made.want(place({ symbol: PERP, side: 'sell', positionSide: 'long', type: 'limit', price: 110, quantity: 2 }));
    made.silent = true;
    made.want(market('sell', 5, { positionSide: 'long' }));
    made.sent;
    return made;
  }

  test('the excess is reopened in its name, and reported', () => {
    const made = bench();
    made.together(() => {
      made.fill('s-3', 2, 110);
      made.accepted('s-4');
      made.fill('s-4', 5, 109);
    });
    expect(made.position('s')).toEqual([-2, 0]);
    expect(made.sent).toContain('s-5 open long 2 market (overshoot)');
    expect(made.events.filter(({ kind }) => kind === 'closeOvershot')).toMatchObject([{ strategyId: 's', positionSide: 'long', steps: 2 }]);
    expect([...made.state.overshot.values()]).toMatchObject([{ strategyId: 's', steps: 2 }]);
    made.accepted('s-5');
    made.fill('s-5', 2, 109);
    expect([made.position('s'), made.position('t'), made.state.overshot.size]).toEqual([[0, 0], [3, 0], 0]);
  });

  test('fills that a start finds are reopened in the first turn', () => {
    const before = bench();
    const after = { state: before.state, held: before.engine.snapshot(), nextId: 5 };
    const made = new FuturesBench({
      after,
      early: (next) => {
        for (const [name, order] of before.orders) next.orders.set(name, order);
        next.fill('s-3', 2, 110);
        next.accepted('s-4');
        next.fill('s-4', 5, 109);
        expect(next.sent).toEqual([]);
      },
    });
    made.price(109);
    expect(made.sent).toContain('s-5 open long 2 market (overshoot)');
  });

  test('a restart reopens the excess that an earlier run could not', () => {
    const made = bench();
    made.tell({ kind: 'riskLatched', time: made.time, rule: 'kill', drawdown: 0, limit: 0, reason: 'test' } as never);
    made.together(() => {
      made.fill('s-3', 2, 110);
      made.accepted('s-4');
      made.fill('s-4', 5, 109);
    });
    made.tell({ kind: 'latchReset', time: made.time, rule: 'kill' } as never);
    const next = new FuturesBench({ after: { state: made.state, held: made.engine.snapshot(), nextId: 9 } });
    next.price(109);
    expect(next.sent).toEqual(['s-9 open long 2 market (overshoot)']);
    next.fill('s-9', 2, 109);
    expect([next.position('s'), next.state.overshot.size]).toEqual([[0, 0], 0]);
  });

  test('during a kill it stays closed, with a report', () => {
    const made = bench();
    made.tell({ kind: 'riskLatched', time: made.time, rule: 'kill', drawdown: 0, limit: 0, reason: 'test' } as never);
    made.together(() => {
      made.fill('s-3', 2, 110);
      made.accepted('s-4');
      made.fill('s-4', 5, 109);
    });
    expect(made.denied).toEqual(['s killed']);
    expect(made.state.overshot.size).toBe(1);
  });
});

test('a close in flight is trimmed to the position of its own strategy if the simulator has the strategies', async () => {
  const mine = at({
    1: order('buy', 5),
    2: limit('sell', 110, 2),
    4: order('sell', 5, { reduceOnly: true }),
  });
  const other = at({ 1: order('buy', 3) });
  const latency = { entryMs: 1500, cancelMs: 0, responseMs: 0 };
  const data = prices(100, 100, 100, 100, 111, 109, 108, 107, 107);
  const { filled, state } = await run([strategy('a', mine), strategy('b', other)], { data, latency });
  expect(filled).toEqual(['buy 5 at 100', 'buy 3 at 100', 'sell 2 at 110', 'sell 3 at 111']);
  expect(state.heldSteps(state.instruments[0]!)).toBe(3);
});

describe('a close larger than one order may be is sent as several', () => {
  const limits = { maxNotional: new Decimal(400) };
  const buys = [order('buy', 4), order('buy', 4), order('buy', 2)];
  const fills = ['buy 4 at 100', 'buy 4 at 100', 'buy 2 at 100'];
  for (const kind of ['netting', 'spot'] as const) {
    test.each<[string, Intents]>([
      ['a stop loss', protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, stopLoss: 95 })],
      ['a stop order', order('sell', 10, { type: 'stop', stopPrice: 95, reduceOnly: true })],
    ])(`${kind}: %s, whatever the price is by then`, async (_, exit) => {
      const data = prices(100, 100, 97, 95, 99, 99);
      const { filled, codes } = await run([strategy('a', at({ 1: buys, 2: exit }))], { kind, data, limits });
      expect(filled).toEqual([...fills, 'sell 4 at 95', 'sell 4 at 95', 'sell 2 at 95']);
      expect(codes).toEqual([]);
    });

    test(`${kind}: a reduce-only market order of a strategy`, async () => {
      const { filled, codes } = await run([strategy('a', at({ 1: buys, 3: order('sell', 10, { reduceOnly: true }) }))], {
        kind,
        data: FALL,
        limits,
      });
      expect(filled).toEqual([...fills, 'sell 4 at 97', 'sell 4 at 97', 'sell 2 at 97']);
      expect(codes).toEqual([]);
    });
  }

  test('with a latency, one after the other', async () => {
    const exit = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, stopLoss: 95 });
    const data = prices(100, 100, 97, 95, 94, 99);
    const latency = { entryMs: 600, cancelMs: 600, responseMs: 0 };
    const { filled, codes } = await run([strategy('a', at({ 1: buys, 2: exit }))], { kind: 'spot', data, limits, latency });
    expect(filled.slice(3)).toEqual(['sell 4 at 95', 'sell 4 at 94', 'sell 2 at 94']);
    expect(codes).toEqual([]);
  });

  test('none of them is below the minimum of one order', async () => {
    const sized = instrument(0, { minQuantity: '2', maxQuantity: '4' });
    const exit = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 9, stopLoss: 95 });
    const own = [order('buy', 4), order('buy', 3), order('buy', 2)];
    const { filled, codes } = await run([strategy('a', at({ 1: own, 2: exit }))], { data: FALL, instruments: [sized] });
    expect(filled.slice(3)).toEqual(['sell 4 at 95', 'sell 3 at 95', 'sell 2 at 95']);
    expect(codes).toEqual([]);
  });

  test("by its strategy's own limit", async () => {
    const exit = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, stopLoss: 95 });
    const own = { strategies: new Map([['a', { maxPosition: new Map(), maxQuantity: new Decimal(5) }]]) };
    const { filled } = await run([strategy('a', at({ 1: [order('buy', 5), order('buy', 5)], 2: exit }))], { data: FALL, limits: own });
    expect(filled.slice(2)).toEqual(['sell 5 at 95', 'sell 5 at 95']);
  });

  test('futures: where stops wait at the venue, each with its take profit', () => {
    const made = new FuturesBench({ limits });
    made.price(100);
    for (const id of ['s-1', 's-2']) {
      made.want(place({ symbol: 'BTC-USDT-PERP', side: 'buy', type: 'market', quantity: 3 }));
      made.fill(id, 3, 100);
    }
    made.sent;
    made.want(protect({ symbol: 'BTC-USDT-PERP', side: 'sell', quantity: 6, stopLoss: 90, takeProfit: 120 }));
    expect(made.sent).toEqual([
      's-3 close long 3 market when 90 (stopLoss)',
      's-4 close long 3 limit@120 when 120 (takeProfit)',
      's-5 close long 3 market when 90 (stopLoss)',
      's-6 close long 3 limit@120 when 120 (takeProfit)',
    ]);
    made.want(place({ symbol: 'BTC-USDT-PERP', side: 'sell', type: 'stop', stopPrice: 80, quantity: 6, reduceOnly: true }));
    expect(made.sent).toEqual(['s-8 close long 5 market when 80', 's-9 close long 1 market when 80']);
  });
});
