import { describe, expect, test } from '@jest/globals';
import type { Exits, PlaceOrder } from '../../../src/model/intents.ts';
import type { Rejection } from '../../../src/model/reasons.ts';
import { amend, cancel, place } from '../../../src/strategy/intents.ts';
import { perpetual, run, series } from '../../builders.ts';
import { type BenchOptions, FuturesBench } from '../futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';
const LIMITED: Rejection = { code: 'venueLimited', venueCode: '429', message: 'too many requests' };
const REFUSED: Rejection = { code: 'venueRefused', venueCode: '40017', message: 'parameter validation failed' };
const order = (side: 'buy' | 'sell', more: Partial<PlaceOrder> = {}) =>
  place({ symbol: SYMBOL, side, type: 'market', quantity: 10, ...more });
const to = (stopPrice: number) => amend({ ref: 'e:stopLoss', stopPrice });

/** The strategy `s` alone, long 10 from 100 with exits that wait at the venue, s-2 and on. From then on the venue says only what the test says. */
function long(exits: Exits = { stopLoss: 90 }, options: BenchOptions = {}): FuturesBench {
  const made = new FuturesBench({ alone: true, ...options });
  made.price(100);
  made.want(order('buy', { exits, ref: 'e' }));
  made.fill('s-1', 10, 100);
  made.sent;
  made.silent = true;
  return made;
}

/** The stop s-2 at 90 is moved to 95; the venue has not answered. */
function moving(options?: BenchOptions): FuturesBench {
  const made = long({ stopLoss: 90 }, options);
  made.want(to(95));
  expect(made.sent).toEqual(['s-3 close long 10 market when 95 (stopLoss)']);
  return made;
}

const open = ({ state }: FuturesBench) => [...state.openOrders.keys()].map((id) => id.replace('t-', ''));
const warnings = ({ events }: FuturesBench) => events.filter(({ kind }) => kind === 'exitDelayed' || kind === 'exitRefused');

describe('a stop that waits at the venue and is moved', () => {
  test('stays until the venue has accepted the new one', () => {
    const made = moving();
    expect(open(made)).toEqual(['s-2', 's-3']);
    made.accepted('s-3');
    expect(made.sent).toEqual(['cancel s-2 amended']);
    made.canceled('s-2', 'amended');
    expect(open(made)).toEqual(['s-3']);
  });

  test.each([0, 300])('protects the position in every instant, with answers after %d ms', async (responseMs) => {
    // The cancel of the old one would arrive half a second before the new one, and the price falls in between.
    const traded = perpetual();
    const left = [
      place({ symbol: SYMBOL, side: 'buy', type: 'market', quantity: 1, ref: 'e', exits: { stopLoss: 90 } }),
      undefined,
      amend({ ref: 'e:stopLoss', stopPrice: 97 }),
    ];
    const prices = { 0: 100, 10: 101, 20: 101, 20.7: 89, 20.8: 99, 40: 99 };
    const rows = Object.entries(prices)
      .map(([time, price]) => [Number(time), price] as const)
      .sort(([a], [b]) => a - b);
    const { fills, events } = await run({
      sources: [{ instrument: traded, kind: 'ticker', open: () => series('ticker', rows) }],
      kind: 'futures',
      latency: { entryMs: 1000, cancelMs: 500, responseMs },
      script: { onTicker: () => left.shift() },
    });
    expect(fills.map(({ side, price, tag }) => `${side} at ${price} ${tag}`.trim())).toEqual(['buy at 100', 'sell at 89 stopLoss']);
    const accepted = events.flatMap((event) => (event.kind === 'orderAccepted' ? [event.clientOrderId] : []));
    const ended = events.flatMap((event) =>
      event.kind === 'orderCanceled' || event.kind === 'orderRejected' || event.kind === 'orderFilled' ? [event.clientOrderId] : [],
    );
    expect(accepted.filter((id) => !ended.includes(id))).toEqual([]);
  });

  test('stays where the new one is refused for good, and can be moved again', () => {
    const made = moving();
    made.rejected('s-3', REFUSED);
    expect(made.sent).toEqual([]);
    expect(open(made)).toEqual(['s-2']);
    expect(made.story('s-3').at(-1)).toBe('orderRejected');
    expect(warnings(made)).toEqual([]);
    made.want(to(94));
    made.accepted('s-4');
    expect(made.sent).toEqual(['s-4 close long 10 market when 94 (stopLoss)', 'cancel s-2 amended']);
  });

  test('stays where risk denies the new one', () => {
    // The entry and its stop are the two orders of a minute.
    const made = long({ stopLoss: 90 }, { limits: { orderRate: { orders: 2, perMs: 60_000 } } });
    made.want(to(95));
    expect(made.sent).toEqual([]);
    expect(made.denied).toEqual(['s orderRateAboveLimit']);
    expect(open(made)[0]).toBe('s-2');
    expect(warnings(made)).toEqual([]);
  });

  test('is given the size of the position where fills came before the refusal', () => {
    const made = moving();
    made.want(order('sell', { quantity: 4 }));
    made.fill('s-4', 4, 100);
    // The newest takes the place of the one that waits for its acceptance.
    expect(made.sent).toEqual(['s-4 close long 4 market', 'cancel s-3 linked', 's-5 close long 6 market when 95 (stopLoss)']);
    made.canceled('s-3', 'linked');
    made.rejected('s-5', REFUSED);
    expect(made.sent).toEqual(['s-6 close long 6 market when 90 (stopLoss)']);
    made.rejected('s-6', REFUSED);
    expect(made.sent).toEqual([]);
    expect(open(made)).toEqual(['s-2']);
  });

  test('stays while a refusal passes, and the new one is tried again', () => {
    const made = moving();
    made.rejected('s-3', LIMITED);
    expect(warnings(made)).toEqual([]);
    expect(open(made)).toEqual(['s-2', 's-4']);
    made.wait(1000);
    expect(made.sent).toEqual(['s-4 close long 10 market when 95 (stopLoss)']);
    made.accepted('s-4');
    expect(made.sent).toEqual(['cancel s-2 amended']);
  });

  test('makes the new one smaller where it fires and fills in part before', () => {
    const made = moving();
    made.triggered('s-2', 90);
    made.fill('s-2', 4, 90);
    expect(made.sent).toEqual(['cancel s-3 linked', 's-4 close long 6 market when 95 (stopLoss)']);
    made.fill('s-2', 6, 90);
    expect(made.sent).toEqual(['cancel s-4 linked']);
    expect(made.position('s')).toEqual([0, 0]);
  });

  test('takes the new one with it where it fills before', () => {
    const made = moving();
    made.triggered('s-2', 90);
    made.fill('s-2', 10, 90);
    expect(made.sent).toEqual(['cancel s-3 linked']);
    // The cancel overtook it.
    made.cancelRejected('s-3');
    made.accepted('s-3');
    expect(made.sent).toEqual(['cancel s-3 linked']);
    made.canceled('s-3', 'linked');
    expect(open(made)).toEqual([]);
  });

  test('closes the position once where the price passes both before the cancel arrives', async () => {
    const traded = perpetual();
    const left = [
      place({ symbol: SYMBOL, side: 'buy', type: 'market', quantity: 1, ref: 'e', exits: { stopLoss: 90 } }),
      undefined,
      amend({ ref: 'e:stopLoss', stopPrice: 97 }),
    ];
    const rows = [100, 101, 101, 85, 84, 83].map((price, index) => [index < 3 ? index * 10 : 18 + index, price] as const);
    const { fills, events } = await run({
      sources: [{ instrument: traded, kind: 'ticker', open: () => series('ticker', rows) }],
      kind: 'futures',
      latency: { entryMs: 500, cancelMs: 5000, responseMs: 100 },
      script: { onTicker: () => left.shift() },
    });
    expect(events.filter(({ kind }) => kind === 'orderTriggered')).toHaveLength(2);
    expect(fills.map(({ side, price, quantity }) => `${side} ${quantity} at ${price}`)).toEqual(['buy 1 at 100', 'sell 1 at 85']);
  });

  test('closes no more than the position where both fire', () => {
    const made = moving();
    made.accepted('s-3');
    made.triggered('s-3', 95);
    made.triggered('s-2', 90);
    made.fill('s-3', 10, 90);
    made.canceled('s-2', 'linked');
    expect(made.position('s')).toEqual([0, 0]);
    expect(open(made)).toEqual([]);
    expect(made.sent).toEqual(['cancel s-2 amended']);
  });

  test('ends with the position, and so does the new one', () => {
    const made = moving();
    made.want(order('sell'));
    made.fill('s-4', 10, 100);
    expect(made.sent).toEqual(['s-4 close long 10 market', 'cancel s-2 linked', 'cancel s-3 linked']);
  });

  test('is replaced by the newest where it is moved again before the answer', () => {
    const made = moving();
    made.want(to(96));
    expect(made.sent).toEqual(['cancel s-3 amended', 's-4 close long 10 market when 96 (stopLoss)']);
    made.accepted('s-3');
    made.canceled('s-3', 'amended');
    expect(made.sent).toEqual([]);
    expect(open(made)).toEqual(['s-2', 's-4']);
    made.accepted('s-4');
    expect(made.sent).toEqual(['cancel s-2 amended']);
    made.canceled('s-2', 'amended');
    expect(open(made)).toEqual(['s-4']);
    expect(made.denied).toEqual([]);
  });

  test('can be moved on by its ref or by the id of the old one while that is being canceled', () => {
    const made = moving();
    made.accepted('s-3');
    made.want(to(96));
    made.accepted('s-4');
    expect(made.sent).toEqual(['cancel s-2 amended', 's-4 close long 10 market when 96 (stopLoss)', 'cancel s-3 amended']);
    const other = moving();
    other.want(amend({ clientOrderId: 't-s-2', stopPrice: 97 }));
    expect(other.sent).toEqual(['cancel s-3 amended', 's-4 close long 10 market when 97 (stopLoss)']);
  });

  test.each<[string, Parameters<typeof cancel>[0]]>([
    ['all', {}],
    ['the old one', { clientOrderId: 't-s-2' }],
    ['the new one', { clientOrderId: 't-s-3' }],
  ])('ends with the new one where its strategy cancels %s', (_, which) => {
    const made = moving();
    made.want(cancel(which));
    expect(made.sent.sort()).toEqual(['cancel s-2 requested', 'cancel s-3 requested']);
    made.accepted('s-3');
    made.canceled('s-2');
    made.canceled('s-3');
    expect(open(made)).toEqual([]);
    expect(made.sent.filter((line) => !line.startsWith('cancel'))).toEqual([]);
  });

  test('ends with the new one in a kill', () => {
    const made = moving();
    made.kill(false);
    expect(made.sent.sort()).toEqual(['cancel s-2 killed', 'cancel s-3 killed']);
  });

  test('stays with the new one while a limit flattens, until the position is closed', () => {
    const made = moving({ limits: { maxDrawdown: { share: 0.00001, onBreach: 'flatten' } } });
    made.price(96);
    expect(made.sent).toEqual(['s-4 close long 10 market (maxDrawdown)']);
    made.fill('s-4', 10, 96);
    expect(made.sent.sort()).toEqual(['cancel s-2 linked', 'cancel s-3 linked']);
  });

  test('is canceled after a restart, when the new one is accepted', () => {
    const before = moving();
    const held = JSON.parse(JSON.stringify(before.engine.snapshot().orders.map(({ outgoing }) => outgoing ?? null)));
    expect(held).toEqual([null, 't-s-2']);
    const made = new FuturesBench({ alone: true, after: { state: before.state, held: before.engine.snapshot(), nextId: 4 } });
    made.silent = true;
    made.price(100);
    expect(made.sent).toEqual([]);
    made.accepted('s-3');
    expect(made.sent).toEqual(['cancel s-2 amended']);
  });

  test('is canceled at the start where the new one was accepted since the snapshot', () => {
    const before = moving();
    const held = before.engine.snapshot();
    before.accepted('s-3');
    const made = new FuturesBench({ alone: true, after: { state: before.state, held, nextId: 4 } });
    made.silent = true;
    made.price(100);
    expect(made.state.openOrders.get('t-s-2')?.cancelRequested).toBe(true);
  });

  test('stays where the price passes the new one on its way, until that is sent at once', () => {
    const made = moving();
    made.price(94);
    made.accepted('s-3');
    expect(made.sent).toEqual(['cancel s-3 untriggered']);
    made.canceled('s-3', 'untriggered');
    expect(made.sent).toEqual(['s-4 close long 10 market (stopLoss)']);
    made.accepted('s-4');
    expect(made.sent).toEqual([]);
    made.fill('s-4', 10, 94);
    expect(made.sent).toEqual(['cancel s-2 amended']);
  });

  test('is canceled when the venue accepts a limit that needs no trigger any more', () => {
    const made = long({ takeProfit: 110 });
    made.want(amend({ ref: 'e:takeProfit', price: 99 }));
    expect(made.sent).toEqual(['s-3 close long 10 limit@99 (takeProfit)']);
    made.accepted('s-3');
    expect(made.sent).toEqual(['cancel s-2 amended']);
  });

  test('is not sent again where the price passed it on its own way: the new one is', () => {
    const made = new FuturesBench({ alone: true });
    made.price(100);
    made.want(order('buy', { exits: { stopLoss: 95 }, ref: 'e' }));
    made.silent = true;
    made.fill('s-1', 10, 100);
    made.want(to(90));
    made.price(94);
    made.accepted('s-2');
    made.canceled('s-2', 'untriggered');
    made.accepted('s-3');
    expect(made.sent.slice(1)).toEqual([
      's-2 close long 10 market when 95 (stopLoss)',
      's-3 close long 10 market when 90 (stopLoss)',
      'cancel s-2 untriggered',
    ]);
    expect(open(made)).toEqual(['s-3']);
  });

  test('is not placed again where somebody cancels it at the exchange', () => {
    const made = moving();
    made.canceled('s-2', 'external');
    expect(made.sent).toEqual([]);
    made.accepted('s-3');
    expect(made.sent).toEqual([]);
    expect(open(made)).toEqual(['s-3']);
  });
});

describe('an exit that fills make smaller', () => {
  test('stays until the venue has accepted the smaller one', () => {
    const made = long({ stopLoss: 90, takeProfit: 110 });
    made.triggered('s-3', 110);
    made.fill('s-3', 3, 110);
    expect(made.sent).toEqual(['s-4 close long 7 market when 90 (stopLoss)']);
    made.fill('s-3', 5, 110);
    expect(made.sent).toEqual(['cancel s-4 linked', 's-5 close long 2 market when 90 (stopLoss)']);
    made.accepted('s-4');
    made.canceled('s-4', 'linked');
    made.accepted('s-5');
    expect(made.sent.filter((line) => !line.includes('s-4'))).toEqual(['cancel s-2 linked']);
    made.canceled('s-2', 'linked');
    made.fill('s-3', 2, 110);
    expect(made.sent).toEqual(['cancel s-5 linked']);
    made.canceled('s-5', 'linked');
    expect(open(made)).toEqual([]);
  });
});

describe('the old one is canceled first', () => {
  test('where another strategy trades the symbol: both together could close its part', () => {
    const made = long({ stopLoss: 90 }, { alone: false });
    made.want(to(95));
    expect(made.sent).toEqual(['cancel s-2 amended', 's-3 close long 10 market when 95 (stopLoss)']);
  });

  test('where the account has more than the strategy', () => {
    const made = long();
    const { state } = made;
    const account = state.position(state.instruments[0]!, 'long') as { steps: number };
    Object.defineProperty(account, 'steps', { get: () => 15 });
    made.want(to(95));
    expect(made.sent).toEqual(['cancel s-2 amended', 's-3 close long 10 market when 95 (stopLoss)']);
  });

  test('where it opens a position', () => {
    const made = new FuturesBench({ alone: true });
    made.price(100);
    made.want(order('buy', { type: 'stop', stopPrice: 110, ref: 'o' }));
    made.sent;
    made.silent = true;
    made.want(amend({ ref: 'o', stopPrice: 108 }));
    expect(made.sent).toEqual(['cancel s-1 amended', 's-2 open long 10 market when 108']);
  });
});
