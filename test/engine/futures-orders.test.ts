import { describe, expect, test } from '@jest/globals';
import type { PlaceOrder } from '../../src/model/intents.ts';
import { place } from '../../src/strategy/intents.ts';
import { instrument, perpetual } from '../state/builders.ts';
import { type BenchOptions, FuturesBench } from './futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';
const order = (side: 'buy' | 'sell', more: Partial<PlaceOrder> = {}) =>
  place({ symbol: SYMBOL, side, type: 'market', ...(more.quoteQuantity === undefined ? { quantity: 5 } : {}), ...more });

/** A bench at 100 whose strategy `s` holds so much of each side. */
function bench(held: { long?: number; short?: number } = {}, options: BenchOptions = {}): FuturesBench {
  const made = new FuturesBench(options);
  made.price(100);
  for (const side of ['long', 'short'] as const) {
    const quantity = held[side];
    if (quantity === undefined) continue;
    made.want(order(side === 'long' ? 'buy' : 'sell', { quantity, positionSide: side }));
    const name = [...made.orders.keys()].at(-1)!;
    made.fill(name, quantity, 100);
  }
  made.sent;
  return made;
}

describe('which position an order works on', () => {
  test.each<[string, { long?: number; short?: number }, PlaceOrder, string[]]>([
    ['a buy opens long', {}, order('buy'), ['open long 5 market']],
    ['a sell opens short', {}, order('sell'), ['open short 5 market']],
    ['a buy beside a long opens more of it', { long: 3 }, order('buy'), ['open long 5 market']],
    ['a sell against a long closes it', { long: 9 }, order('sell'), ['close long 5 market']],
    ['and at most all of it: it never turns', { long: 3 }, order('sell'), ['close long 3 market']],
    ['a buy against a short closes it', { short: 9 }, order('buy'), ['close short 5 market']],
    ['with both open, a buy closes the short', { long: 4, short: 3 }, order('buy'), ['close short 3 market']],
    ['a named side is opened', { long: 4 }, order('sell', { positionSide: 'short' }), ['open short 5 market']],
    ['a named side is added to', { short: 4 }, order('buy', { positionSide: 'long' }), ['open long 5 market']],
    ['a named side is closed, trimmed to what is held', { long: 4 }, order('sell', { positionSide: 'long' }), ['close long 4 market']],
    ['a reduce-only sell closes long', { long: 4, short: 4 }, order('sell', { reduceOnly: true, quantity: 2 }), ['close long 2 market']],
    ['limits alike', { short: 4 }, order('buy', { type: 'limit', price: 90 }), ['close short 4 limit@90']],
    ['a named close with reduceOnly', { short: 4 }, order('buy', { positionSide: 'short', reduceOnly: true }), ['close short 4 market']],
    ['an amount of quote counts at the last price', {}, order('buy', { quoteQuantity: '550' }), ['open long 5 market']],
  ])('%s', (_, held, intent, sent) => {
    const made = bench(held);
    made.want(intent);
    expect(made.sent.map((line) => line.replace(/^\S+ /, ''))).toEqual(sent);
  });

  test("another strategy's position is none of its business", () => {
    const made = bench({ long: 5 });
    made.want(order('sell'), 't');
    expect(made.sent).toEqual(['t-2 open short 5 market']);
  });

  test.each<[string, PlaceOrder, string]>([
    ['a close with nothing to close', order('sell', { positionSide: 'long' }), 'reduceOnlyWouldGrow'],
    ['a reduce-only order with nothing to reduce', order('buy', { reduceOnly: true }), 'reduceOnlyWouldGrow'],
    ['an amount of quote below a step', order('buy', { quoteQuantity: '99.9' }), 'quantityInvalid'],
  ])('%s is denied', (_, intent, code) => {
    const made = bench();
    made.want(intent);
    expect([made.sent, made.denied]).toEqual([[], [`s ${code}`]]);
  });

  test.each<[string, BenchOptions, { long?: number }, PlaceOrder, string]>([
    ['a side that is none', {}, {}, order('buy', { positionSide: 'both' as never }), 'positionSide is long or short, not "both"'],
    [
      'reduceOnly on what opens',
      {},
      {},
      order('buy', { positionSide: 'long', reduceOnly: true }),
      'a reduceOnly order closes: it sells long or buys short',
    ],
    ['exits on what closes', {}, { long: 5 }, order('sell', { exits: { stopLoss: 110 } }), 'exits are for orders that open a position'],
    [
      'a time in force of a stop where triggers have none',
      { capabilities: { triggerTerms: false } },
      {},
      order('buy', { type: 'stop', stopPrice: 110, timeInForce: 'FOK' }),
      'a stop that waits at this venue is GTC, not FOK',
    ],
    [
      'a post-only one there',
      { capabilities: { triggerTerms: false } },
      {},
      order('buy', { type: 'stopLimit', stopPrice: 110, price: 111, postOnly: true }),
      'a stop that waits at this venue cannot be postOnly',
    ],
  ])('%s is denied, with the rule', (_, options, held, intent, rule) => {
    const made = bench(held, options);
    made.want(intent);
    expect([made.sent, made.rules]).toEqual([[], [rule]]);
  });

  test('a symbol without margin has no sides', () => {
    const made = new FuturesBench({ instruments: [perpetual(), instrument(1)] });
    made.price(100, made.state.instruments[1]);
    made.want(place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, positionSide: 'long' }));
    expect(made.rules).toEqual(['positionSide is for the contracts of a futures account']);
  });

  test('time in force and post-only go out with plain orders', () => {
    const made = bench({}, { capabilities: { triggerTerms: false } });
    made.want([order('buy', { timeInForce: 'IOC' }), order('buy', { type: 'limit', price: 90, postOnly: true })]);
    expect(made.sent).toEqual(['s-1 open long 5 market IOC', 's-2 open long 5 limit@90']);
    expect(made.orders.get('s-2')!.postOnly).toBe(true);
  });
});

describe('the end of the run', () => {
  test('closes both sides of every strategy', () => {
    const made = bench({ long: 5, short: 3 }, { closeAtEnd: true });
    made.want(order('buy', { quantity: 2 }), 't');
    made.fill('t-3', 2, 100);
    made.sent;
    made.ending();
    expect(made.sent).toEqual([
      's-4 close long 5 market (endOfRun)',
      's-5 close short 3 market (endOfRun)',
      't-6 close long 2 market (endOfRun)',
    ]);
  });

  test('cancels triggers first, also those from onStop', () => {
    const script = { onStop: () => order('sell', { type: 'stop', stopPrice: 80 }) };
    const made = bench({ long: 5 }, { closeAtEnd: true, script });
    made.want(order('sell', { type: 'stop', stopPrice: 90 }));
    made.sent;
    made.ending();
    expect(made.sent).toEqual([
      'cancel s-2 requested',
      's-3 close long 5 market when 80',
      'cancel s-3 requested',
      's-4 close long 5 market (endOfRun)',
    ]);
  });
});

test('the drawdown latch cancels opening orders on both sides, and keeps closing ones', () => {
  const made = bench({ long: 5, short: 3 }, { limits: { maxDrawdown: { share: 0.00005, onBreach: 'cancel' } } });
  made.want([
    order('buy', { type: 'limit', price: 80, positionSide: 'long' }),
    order('sell', { type: 'stop', stopPrice: 40, positionSide: 'short' }),
    order('sell', { type: 'stop', stopPrice: 40, positionSide: 'long' }),
    order('buy', { type: 'limit', price: 30, positionSide: 'short' }),
  ]);
  made.sent;
  made.price(50);
  expect(made.sent).toEqual(['cancel s-3 riskLatch', 'cancel s-4 riskLatch']);
});

test('a limit that closes leaves a stop at the venue in force until its close has filled, and cancels opening orders at once', () => {
  const made = bench({ long: 5 }, { limits: { maxDrawdown: { share: 0.00005, onBreach: 'flatten' } } });
  made.want([
    order('buy', { type: 'limit', price: 30, positionSide: 'long' }),
    order('sell', { type: 'stop', stopPrice: 40, positionSide: 'long' }),
  ]);
  made.accepted('s-3');
  made.sent;
  made.price(50);
  expect(made.sent).toEqual(['cancel s-2 riskLatch', 's-4 close long 5 market (maxDrawdown)']);
  made.fill('s-4', 4, 50);
  expect(made.sent).toEqual(['cancel s-3 linked', 's-5 close long 1 market when 40']);
  made.fill('s-4', 1, 50);
  expect(made.sent).toEqual(['cancel s-5 linked']);
});

test('a kill that flattens leaves a stop at the venue in force until its close has filled; one that does not cancels it', () => {
  const protectedLong = () => {
    const made = bench({ long: 5 });
    made.want(order('sell', { type: 'stop', stopPrice: 40, positionSide: 'long' }));
    made.accepted('s-2');
    made.sent;
    return made;
  };
  const made = protectedLong();
  made.kill(true);
  expect(made.sent).toEqual(['s-3 close long 5 market (kill)']);
  made.fill('s-3', 5, 50);
  expect(made.sent).toEqual(['cancel s-2 linked']);
  const other = protectedLong();
  other.kill(false);
  expect(other.sent).toEqual(['cancel s-2 killed']);
});

test('a spot market buy is converted where it must be, a futures one never', () => {
  const made = bench({}, { capabilities: { marketBuyByQuantity: false } });
  made.want(order('buy'));
  expect(made.sent).toEqual(['s-1 open long 5 market']);
});
