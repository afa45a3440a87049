import { describe, expect, test } from '@jest/globals';
import type { Exits, PlaceOrder } from '../../src/model/intents.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import { PERP, perpetual } from '../state/builders.ts';
import { MINUTE, T0 } from './builders.ts';
import { type BenchOptions, FuturesBench } from './futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';
const order = (side: 'buy' | 'sell', more: Partial<PlaceOrder> = {}) =>
  place({ symbol: SYMBOL, side, type: 'market', quantity: 10, ...more });
const stop = (side: 'buy' | 'sell', stopPrice: number, more: Partial<PlaceOrder> = {}) => order(side, { type: 'stop', stopPrice, ...more });
const guard = (side: 'buy' | 'sell', exits: Exits, quantity = 10) => protect({ symbol: SYMBOL, side, quantity, ...exits });
const EXITS = { stopLoss: 90, takeProfit: 110 };

function bench(options: BenchOptions = {}): FuturesBench {
  const made = new FuturesBench(options);
  made.price(100);
  return made;
}

/** A bench whose strategy `s` is long 10 from 100 with its exits at the venue: s-2 the stop, s-3 the take profit. */
function guarded(options: BenchOptions = {}): FuturesBench {
  const made = bench(options);
  made.want(order('buy', { exits: EXITS, tag: 'in' }));
  made.fill('s-1', 10, 100);
  made.sent;
  return made;
}

describe('stops', () => {
  test.each<[string, PlaceOrder, string]>([
    ['a buy stop waits at the venue', stop('buy', 110), 's-1 open long 10 market when 110'],
    ['a sell stop opens short', stop('sell', 90), 's-1 open short 10 market when 90'],
    ['a stop-limit carries its limit', stop('buy', 110, { type: 'stopLimit', price: 112 }), 's-1 open long 10 limit@112 when 110'],
    ['a buy stop that is reached already goes out at the last price', stop('buy', 95), 's-1 open long 10 market'],
    ['one just reached too', stop('buy', 100), 's-1 open long 10 market'],
    ['a sell stop that is reached', stop('sell', 105), 's-1 open short 10 market'],
  ])('%s', (_, intent, sent) => {
    const made = bench();
    made.want(intent);
    expect(made.sent).toEqual([sent]);
  });

  test('with quotes, buy triggers use the ask, sell triggers the bid', () => {
    const made = new FuturesBench();
    made.quote(98, 103);
    made.want([stop('buy', 102), stop('buy', 104), stop('sell', 99), stop('sell', 97)]);
    expect(made.sent.map((line) => line.replace(/^\S+ \S+ /, ''))).toEqual([
      'long 10 market',
      'long 10 market when 104',
      'short 10 market',
      'short 10 market when 97',
    ]);
  });

  test('by the mark if the contract uses it', () => {
    const made = new FuturesBench({ instruments: [perpetual(0, {}, { triggerBy: 'mark' })] });
    made.price(100);
    made.mark(104);
    made.want([stop('buy', 103), stop('buy', 105)]);
    expect(made.sent).toEqual(['s-1 open long 10 market', 's-2 open long 10 market when 105']);
  });

  test('firing is an event of the order', () => {
    const made = bench();
    made.want(stop('buy', 110));
    made.triggered('s-1', 111);
    made.fill('s-1', 10, 111);
    expect(made.story('s-1')).toEqual(['orderSubmitted', 'orderAccepted', 'orderTriggered', 'orderFilled']);
    expect(made.events.find(({ kind }) => kind === 'orderSubmitted')).toMatchObject({ type: 'stop', stopTicks: 110 });
  });

  test('risk judges them as they go out, at their trigger', () => {
    const made = bench({ limits: { maxPosition: new Map([[SYMBOL, PERP.step.toDecimal(15)]]) } });
    made.want([stop('buy', 110), stop('buy', 110, { quantity: 6 }), stop('buy', 110, { quantity: 5 })]);
    expect(made.sent).toEqual(['s-1 open long 10 market when 110', 's-3 open long 5 market when 110']);
    expect(made.denied).toEqual(['s positionAboveLimit']);
    const valued = bench({ limits: { maxNotional: PERP.step.toDecimal(1050) } });
    valued.want([stop('buy', 106), stop('buy', 105), stop('buy', 95)]);
    expect(valued.sent).toEqual(['s-2 open long 10 market when 105', 's-3 open long 10 market']);
    expect(valued.denied).toEqual(['s notionalAboveMaximum']);
  });

  test('the engine holds them where the venue has no triggers', () => {
    const made = bench({ capabilities: { futuresTriggers: false } });
    made.want(stop('buy', 110));
    expect(made.sent).toEqual([]);
    made.price(110);
    expect(made.sent).toEqual(['s-1 open long 10 market']);
  });

  test('they are canceled there', () => {
    const made = bench();
    made.want(stop('buy', 110));
    made.want(cancel());
    expect(made.sent).toEqual(['s-1 open long 10 market when 110', 'cancel s-1 requested']);
  });

  test('a closing stop is canceled when its position is closed, with the reason', () => {
    const made = bench();
    made.want(order('buy'));
    made.fill('s-1', 10, 100);
    made.want(stop('sell', 90));
    made.want(order('sell'));
    made.sent;
    made.fill('s-3', 10, 101);
    expect(made.sent).toEqual(['cancel s-2 linked']);
    expect(made.story('s-2').at(-1)).toBe('orderCanceled linked');
  });

  test('one that opens stays', () => {
    const made = bench();
    made.want(order('buy'));
    made.fill('s-1', 10, 100);
    made.want(stop('buy', 120));
    made.want(order('sell'));
    made.fill('s-3', 10, 101);
    made.sent;
    expect(made.state.openOrders.size).toBe(1);
  });

  test('one whose price was passed on its way, so that the venue has the wrong direction, is canceled and sent at once', () => {
    const made = bench();
    made.silent = true;
    made.want(stop('buy', 110));
    made.price(115);
    made.accepted('s-1');
    expect(made.sent).toEqual(['s-1 open long 10 market when 110', 'cancel s-1 untriggered']);
    made.canceled('s-1', 'untriggered');
    expect(made.sent).toEqual(['s-2 open long 10 market']);
  });

  test('one whose price is no longer beyond its trigger then waits there again', () => {
    const made = bench();
    made.silent = true;
    made.want(stop('buy', 110));
    made.price(115);
    made.accepted('s-1');
    made.price(108);
    made.sent;
    made.canceled('s-1', 'untriggered');
    expect(made.sent).toEqual(['s-2 open long 10 market when 110']);
  });

  test('if it has fired meanwhile, nothing is sent twice', () => {
    const made = bench();
    made.silent = true;
    made.want(stop('buy', 110));
    made.price(115);
    made.accepted('s-1');
    made.triggered('s-1', 115);
    made.fill('s-1', 10, 115);
    made.cancelRejected('s-1');
    made.wait(60_000);
    expect(made.sent).toEqual(['s-1 open long 10 market when 110', 'cancel s-1 untriggered']);
    expect(made.position('s')).toEqual([10, 0]);
  });

  test('if a part of it fills before the cancel, only the rest is sent', () => {
    const made = bench();
    made.silent = true;
    made.want(stop('buy', 110, { type: 'stopLimit', price: 112 }));
    made.price(111);
    made.accepted('s-1');
    made.triggered('s-1', 111);
    made.fill('s-1', 4, 111);
    made.sent;
    made.canceled('s-1', 'untriggered');
    expect(made.sent).toEqual(['s-2 open long 6 limit@112']);
  });

  test('one that its strategy cancels meanwhile stays canceled', () => {
    const made = bench();
    made.silent = true;
    made.want(stop('buy', 110));
    made.price(115);
    made.accepted('s-1');
    made.want(cancel());
    made.sent;
    made.canceled('s-1', 'untriggered');
    expect(made.sent).toEqual([]);
    expect(made.state.openOrders.size).toBe(0);
  });

  test('one that closes stays gone once its position is', () => {
    const made = bench();
    made.want(order('buy'));
    made.fill('s-1', 10, 100);
    made.silent = true;
    made.want(stop('sell', 95, { type: 'stopLimit', price: 94 }));
    made.price(93);
    made.accepted('s-2');
    made.liquidated('long', 10, 93);
    made.sent;
    made.canceled('s-2', 'untriggered');
    expect(made.sent).toEqual([]);
    expect(made.denied).toEqual([]);
    expect(made.state.openOrders.size).toBe(0);
  });

  test('one that ends with its position has no time limit', () => {
    const made = bench();
    made.want(order('buy'));
    made.fill('s-1', 10, 100);
    made.want(stop('sell', 105, { type: 'stopLimit', price: 104 }));
    made.silent = true;
    made.liquidated('long', 10, 99);
    made.wait(5000);
    made.canceled('s-2', 'linked');
    expect(made.sent.slice(2)).toEqual(['cancel s-2 linked']);
    expect(made.denied).toEqual([]);
  });

  test('one that is replaced has its exits all the same', () => {
    const made = bench();
    made.silent = true;
    made.want(stop('buy', 110, { exits: { stopLoss: 80 } }));
    made.price(115);
    made.accepted('s-1');
    made.canceled('s-1', 'untriggered');
    made.sent;
    made.fill('s-2', 10, 115);
    expect(made.sent).toEqual(['s-3 close long 10 market when 80 (stopLoss)']);
  });
});

describe('linked exits', () => {
  test('wait at the venue as soon as their entry has filled', () => {
    const made = bench();
    made.want(order('buy', { exits: EXITS, tag: 'in' }));
    made.fill('s-1', 10, 100);
    expect(made.sent).toEqual([
      's-1 open long 10 market (in)',
      's-2 close long 10 market when 90 (in:stopLoss)',
      's-3 close long 10 limit@110 when 110 (in:takeProfit)',
    ]);
    const kinds = made.events.flatMap((event) => (event.kind === 'orderSubmitted' ? [[event.type, event.stopTicks]] : []));
    expect(kinds).toEqual([
      ['market', undefined],
      ['stop', 90],
      ['limit', undefined],
    ]);
  });

  test('those of a short are mirrored', () => {
    const made = bench();
    made.want(order('sell', { exits: { stopLoss: 110, takeProfit: 90 } }));
    made.fill('s-1', 10, 100);
    expect(made.sent.slice(1)).toEqual([
      's-2 close short 10 market when 110 (stopLoss)',
      's-3 close short 10 limit@90 when 90 (takeProfit)',
    ]);
  });

  test('each partial fill of the entry has its own', () => {
    const made = bench();
    made.want(order('buy', { exits: { stopLoss: 90 } }));
    made.fill('s-1', 4, 100);
    made.fill('s-1', 6, 101);
    expect(made.sent.slice(1)).toEqual(['s-2 close long 4 market when 90 (stopLoss)', 's-3 close long 6 market when 90 (stopLoss)']);
  });

  test('fills of one instant share theirs', () => {
    const made = bench();
    made.want(order('buy', { exits: EXITS }));
    made.together(() => {
      made.fill('s-1', 4, 100);
      made.fill('s-1', 6, 101);
    });
    expect(made.sent.slice(1)).toEqual([
      's-2 close long 10 market when 90 (stopLoss)',
      's-3 close long 10 limit@110 when 110 (takeProfit)',
    ]);
  });

  test('the stop that fills cancels the take profit', () => {
    const made = guarded();
    made.triggered('s-2', 90);
    expect(made.sent).toEqual([]);
    made.fill('s-2', 10, 90);
    expect(made.sent).toEqual(['cancel s-3 linked']);
    expect(made.story('s-3').at(-1)).toBe('orderCanceled linked');
    expect(made.state.openOrders.size).toBe(0);
  });

  test('a take profit that was triggered and rests keeps the stop, and is canceled when that fills', () => {
    const made = guarded();
    made.triggered('s-3', 110);
    made.price(95);
    expect(made.sent).toEqual([]);
    made.triggered('s-2', 90);
    made.fill('s-2', 10, 90);
    expect(made.sent).toEqual(['cancel s-3 linked']);
  });

  test('a partial fill of one leg makes the other smaller: it is replaced', () => {
    const made = guarded();
    made.triggered('s-3', 110);
    made.fill('s-3', 3, 110);
    expect(made.sent).toEqual(['cancel s-2 linked', 's-4 close long 7 market when 90 (in:stopLoss)']);
    made.fill('s-3', 5, 110);
    expect(made.sent).toEqual(['cancel s-4 linked', 's-5 close long 2 market when 90 (in:stopLoss)']);
    made.triggered('s-5', 90);
    made.fill('s-5', 2, 90);
    expect(made.sent).toEqual(['cancel s-3 linked']);
    expect(made.position('s')).toEqual([0, 0]);
  });

  test('a leg that fills before it could be replaced takes its replacement with it', () => {
    const made = guarded();
    made.silent = true;
    made.triggered('s-3', 110);
    made.fill('s-3', 3, 110);
    made.triggered('s-2', 90);
    made.fill('s-2', 7, 90);
    expect(made.sent).toEqual([
      'cancel s-2 linked',
      's-4 close long 7 market when 90 (in:stopLoss)',
      'cancel s-4 linked',
      'cancel s-3 linked',
    ]);
  });

  test('a manual close of a part reduces both legs, a complete one cancels them', () => {
    const made = guarded();
    made.want(order('sell', { quantity: 4 }));
    made.sent;
    made.fill('s-4', 4, 101);
    expect(made.sent).toEqual([
      'cancel s-2 linked',
      'cancel s-3 linked',
      's-5 close long 6 market when 90 (in:stopLoss)',
      's-6 close long 6 limit@110 when 110 (in:takeProfit)',
    ]);
    made.want(order('sell'));
    expect(made.sent).toEqual(['s-7 close long 6 market']);
    made.fill('s-7', 6, 102);
    expect(made.sent).toEqual(['cancel s-5 linked', 'cancel s-6 linked']);
  });

  test('legs grow with their position again, up to their original size', () => {
    const made = guarded();
    made.want(order('sell', { quantity: 6 }));
    made.fill('s-4', 6, 101);
    made.want(order('buy', { quantity: 2 }));
    made.sent;
    made.fill('s-7', 2, 101);
    expect(made.sent).toEqual([
      'cancel s-5 linked',
      'cancel s-6 linked',
      's-8 close long 6 market when 90 (in:stopLoss)',
      's-9 close long 6 limit@110 when 110 (in:takeProfit)',
    ]);
    made.want(order('buy', { quantity: 20 }));
    made.fill('s-10', 20, 101);
    expect(made.sent.slice(-1)).toEqual(['s-12 close long 10 limit@110 when 110 (in:takeProfit)']);
  });

  test('legs larger than a limit that was lowered are parted when they go out again, and each part has its own link', () => {
    const before = guarded();
    // A contract is worth 0.1 USDT a tick here: 5 of them at the take profit of 110.
    const limits = { maxNotional: PERP.notional(110, 5) };
    const made = new FuturesBench({ limits, after: { state: before.state, held: before.engine.snapshot(), nextId: 4 } });
    made.price(100);
    expect(made.sent).toEqual([]);
    made.want(order('sell', { quantity: 2 }));
    made.fill('s-4', 2, 100);
    expect(made.sent).toEqual([
      's-4 close long 2 market',
      'cancel s-2 linked',
      'cancel s-3 linked',
      's-5 close long 5 market when 90 (in:stopLoss)',
      's-6 close long 5 limit@110 when 110 (in:takeProfit)',
      's-7 close long 5 market when 90 (in:stopLoss)',
      's-8 close long 5 limit@110 when 110 (in:takeProfit)',
    ]);
    made.triggered('s-5', 90);
    made.fill('s-5', 5, 90);
    expect(made.sent.slice(-2)).toEqual([
      's-9 close long 3 market when 90 (in:stopLoss)',
      's-10 close long 3 limit@110 when 110 (in:takeProfit)',
    ]);
    expect(made.denied).toEqual([]);
  });

  test('a stop that trails, and has no price yet, makes no part of its take profit smaller than the limit allows', () => {
    const before = bench();
    before.want(order('sell', { exits: { trail: { percent: 5, activateAt: 92 }, takeProfit: 90 } }));
    before.fill('s-1', 10, 100);
    const limits = { maxNotional: PERP.notional(90, 5) };
    const made = new FuturesBench({ limits, after: { state: before.state, held: before.engine.snapshot(), nextId: 9 } });
    made.price(100);
    made.sent;
    made.want(order('buy', { quantity: 2 }));
    made.fill('s-9', 2, 100);
    const sizes = made.sent.filter((line) => line.includes('takeProfit')).map((line) => Number(line.split(' ')[3]));
    expect(sizes).toEqual([5, 5]);
  });

  test('so does a stop by itself, which is cut to the position as it is placed', () => {
    const made = bench();
    made.want(order('buy', { quantity: 4 }));
    made.fill('s-1', 4, 100);
    made.want(stop('sell', 90, { reduceOnly: true }));
    made.want(order('buy', { quantity: 5 }));
    expect(made.sent).toEqual(['s-1 open long 4 market', 's-2 close long 4 market when 90', 's-3 open long 5 market']);
    made.fill('s-3', 5, 101);
    expect(made.sent).toEqual(['cancel s-2 linked', 's-4 close long 9 market when 90']);
    made.want(order('buy', { quantity: 5 }));
    made.fill('s-5', 5, 101);
    expect(made.sent.slice(-1)).toEqual(['s-6 close long 10 market when 90']);
  });

  test('one that finds all closed by another stop waits without a warning', () => {
    const made = bench();
    made.want(order('buy'));
    made.fill('s-1', 10, 100);
    made.want([
      stop('sell', 98, { reduceOnly: true, quantity: 20 }),
      order('buy', { type: 'limit', price: 98, quantity: 5, exits: { stopLoss: 98 } }),
    ]);
    made.sent;
    made.silent = true;
    made.price(98);
    made.together(() => {
      made.fill('s-3', 5, 98);
      made.triggered('s-2', 98);
      made.fill('s-2', 10, 98);
    });
    expect(made.sent).toEqual(['cancel s-2 linked', 's-4 close long 5 market (stopLoss)']);
    expect(made.events.filter(({ kind }) => kind === 'exitDelayed')).toEqual([]);
    made.fill('s-4', 5, 98);
    expect(made.state.openOrders.size).toBe(0);
  });

  test('a take profit that rests is left to the venue to trim', () => {
    const made = guarded();
    made.triggered('s-3', 110);
    made.want(order('sell', { quantity: 4 }));
    made.sent;
    made.fill('s-4', 4, 108);
    expect(made.sent).toEqual(['cancel s-2 linked', 's-5 close long 6 market when 90 (in:stopLoss)']);
  });

  test('legs shrink with each other, whatever else the strategy holds', () => {
    const made = guarded();
    made.want(order('buy', { quantity: 20 }));
    made.fill('s-4', 20, 100);
    made.sent;
    made.triggered('s-3', 110);
    made.fill('s-3', 3, 110);
    expect(made.sent).toEqual(['cancel s-2 linked', 's-5 close long 7 market when 90 (in:stopLoss)']);
  });

  test('exits of one side care nothing for the other', () => {
    const made = guarded();
    made.want(order('sell', { positionSide: 'short', quantity: 3 }));
    made.fill('s-4', 3, 100);
    made.want(order('buy', { positionSide: 'short' }));
    made.fill('s-5', 3, 101);
    expect(made.sent).toEqual(['s-4 open short 3 market', 's-5 close short 3 market']);
    expect(made.state.openOrders.size).toBe(2);
  });

  test("another strategy's fills care nothing for them either", () => {
    const made = guarded();
    made.want(order('buy', { quantity: 2 }), 't');
    made.fill('t-4', 2, 100);
    made.want(order('sell', { quantity: 2 }), 't');
    made.fill('t-5', 2, 100);
    expect(made.sent).toEqual(['t-4 open long 2 market', 't-5 close long 2 market']);
  });

  test('a leg that the venue refuses takes nothing with it while there is a position, and all when there is none', () => {
    const made = guarded();
    made.rejected('s-2');
    expect(made.sent).toEqual([]);
    const flat = bench();
    flat.want(order('buy', { exits: EXITS }));
    flat.fill('s-1', 10, 100);
    flat.sent;
    flat.silent = true;
    flat.want(order('sell'));
    flat.fill('s-4', 10, 100);
    expect(flat.sent).toEqual(['s-4 close long 10 market', 'cancel s-2 linked', 'cancel s-3 linked']);
    flat.rejected('s-2');
    expect(flat.sent).toEqual([]);
  });

  test('protect protects an existing position, at most its size', () => {
    const made = bench();
    made.want(order('buy', { quantity: 6 }));
    made.fill('s-1', 6, 100);
    made.sent;
    made.want(guard('sell', EXITS));
    expect(made.sent).toEqual(['s-2 close long 6 market when 90 (stopLoss)', 's-3 close long 6 limit@110 when 110 (takeProfit)']);
  });

  test('protect without a position is denied', () => {
    const made = bench();
    made.want(guard('sell', EXITS));
    expect(made.sent).toEqual([]);
    expect(made.denied).toEqual(['s reduceOnlyWouldGrow']);
  });

  test('a leg that is reached already is sent at once, and the other still waits', () => {
    const made = bench();
    made.want(order('buy', { exits: { stopLoss: 95, takeProfit: 120 } }));
    made.price(94);
    made.fill('s-1', 10, 94);
    expect(made.sent.slice(1)).toEqual(['s-2 close long 10 market (stopLoss)', 's-3 close long 10 limit@120 when 120 (takeProfit)']);
  });

  test('they pass risk, and a leg that is denied leaves the other', () => {
    const made = bench({ limits: { orderRate: { orders: 2, perMs: 1000 } } });
    made.want(order('buy', { exits: EXITS, tag: 'in' }));
    made.fill('s-1', 10, 100);
    expect(made.sent).toEqual(['s-1 open long 10 market (in)', 's-2 close long 10 market when 90 (in:stopLoss)']);
    expect(made.events.find(({ kind }) => kind === 'orderDenied')).toMatchObject({
      clientOrderId: '',
      strategyId: 's',
      symbol: SYMBOL,
      tag: 'in:takeProfit',
      reason: { code: 'orderRateAboveLimit' },
    });
    made.triggered('s-2', 90);
    made.fill('s-2', 10, 90);
    expect(made.sent).toEqual([]);
  });

  test('the strategy may cancel one and keep the other', () => {
    const made = guarded();
    made.want(cancel({ tag: 'in:takeProfit' }));
    expect(made.sent).toEqual(['cancel s-3 requested']);
    made.triggered('s-2', 90);
    made.fill('s-2', 10, 90);
    expect(made.sent).toEqual([]);
  });

  test('a cancel that overtook its leg is sent again when the leg arrives', () => {
    const made = bench();
    made.want(order('buy', { exits: { stopLoss: 90 } }));
    made.silent = true;
    made.fill('s-1', 10, 100);
    made.want(order('sell'));
    made.fill('s-3', 10, 100);
    made.cancelRejected('s-2');
    expect(made.sent.slice(1)).toEqual(['s-2 close long 10 market when 90 (stopLoss)', 's-3 close long 10 market', 'cancel s-2 linked']);
    made.accepted('s-2');
    expect(made.sent).toEqual(['cancel s-2 linked']);
  });

  test('an order that has not been sent is withdrawn before it is sent', () => {
    const made = bench();
    made.want(order('buy', { exits: { stopLoss: 90 } }));
    made.together(() => {
      made.fill('s-1', 10, 100);
      made.liquidated('long', 10, 95);
    });
    expect(made.sent).toEqual(['s-1 open long 10 market']);
    expect(made.denied).toEqual([]);
  });

  test('the end of the run ends them where they are', () => {
    const made = guarded();
    for (const name of ['s-2', 's-3']) made.tell({ kind: 'orderExpired', time: made.time, clientOrderId: `t-${name}`, reason: 'endOfRun' });
    expect(made.sent).toEqual([]);
    expect(made.state.openOrders.size).toBe(0);
  });
});

describe('on bars', () => {
  /** The bars of the feed told as matching tells them: an open at each minute. */
  function opened(made: FuturesBench, minute: number, ticks: number): void {
    made.time = T0 + minute * MINUTE;
    made.held!.opens(made.state.instruments[0]!, made.time, ticks);
  }

  test('a stop sent inside a bar is active from the next open, one sent at an open from that open', () => {
    const made = bench();
    opened(made, 0, 100);
    made.want(stop('buy', 110));
    made.time += 30_000;
    made.want(stop('buy', 111));
    expect(made.sent).toEqual(['s-1 open long 10 market when 110', 's-2 open long 10 market when 111 from next bar']);
  });

  test.each([
    [true, 's-2 close long 10 market when 90 from next bar (stopLoss)'],
    [false, 's-2 close long 10 market when 90 (stopLoss)'],
  ])('exits of a fill at the open, waiting for the next bar: %p', (exitsWaitForNextBar, sent) => {
    const made = bench({ exitsWaitForNextBar });
    made.want(order('buy', { exits: { stopLoss: 90 } }));
    opened(made, 1, 100);
    made.fill('s-1', 10, 100);
    expect(made.sent.slice(1)).toEqual([sent]);
  });

  test('a reduced leg is active from the same time as its original', () => {
    const made = bench({ exitsWaitForNextBar: true });
    made.want(order('buy', { exits: EXITS }));
    opened(made, 1, 100);
    made.fill('s-1', 10, 100);
    made.triggered('s-3', 110);
    made.fill('s-3', 4, 110);
    expect(made.sent.at(-1)).toBe('s-4 close long 6 market when 90 from next bar (stopLoss)');
    opened(made, 2, 110);
    made.fill('s-3', 4, 110);
    expect(made.sent.at(-1)).toBe('s-5 close long 2 market when 90 (stopLoss)');
  });

  test('whether a stop is reached depends on the open, if that is newer than the last close', () => {
    const made = bench({ exitsWaitForNextBar: true });
    made.want(order('buy', { exits: { stopLoss: { distance: 5 }, takeProfit: 120 } }));
    opened(made, 1, 110);
    made.fill('s-1', 10, 110);
    expect(made.sent.slice(1)).toEqual([
      's-2 close long 10 market when 105 from next bar (stopLoss)',
      's-3 close long 10 limit@120 when 120 from next bar (takeProfit)',
    ]);
  });

  test('and on the present price of matching inside the bar', () => {
    const made = bench();
    opened(made, 1, 100);
    made.want(order('buy', { exits: { stopLoss: { distance: 5 } } }));
    made.instant(110);
    made.fill('s-1', 10, 110);
    expect(made.sent.at(-1)).toBe('s-2 close long 10 market when 105 (stopLoss)');
    made.time = T0 + 2 * MINUTE;
    made.bar(104);
    made.want(guard('sell', { stopLoss: 104 }));
    expect(made.sent).toEqual(['s-3 close long 10 market when 104 from next bar (stopLoss)']);
  });

  test('one whose price is reached already waits for the next open, which triggers it at any price', () => {
    const made = bench();
    opened(made, 0, 100);
    made.time += 1000;
    made.want(stop('buy', 95));
    expect(made.sent).toEqual(['s-1 open long 10 market when 100 from next bar']);
    opened(made, 1, 98);
    expect(made.sent).toEqual([]);
  });

  test('nothing that waits at the venue makes matching pause for the engine', () => {
    const made = guarded();
    expect(made.held!.any(PERP)).toBe(false);
    expect(made.held!.next(PERP, 100, 80)).toBeUndefined();
    expect(made.held!.hasEntry(PERP, 'sell')).toBe(false);
  });
});

describe('a stop of a contract that trails', () => {
  /** Long 10 from 100; s-2 trails by 5, s-3 is the take profit. */
  function trailing(options: BenchOptions = {}): FuturesBench {
    const made = bench(options);
    made.want(order('buy', { exits: { trailBy: 5, takeProfit: 120 } }));
    made.fill('s-1', 10, 100);
    return made;
  }

  test('is held by the engine, as the venue has none; its take profit waits there', () => {
    const made = trailing();
    expect(made.sent).toEqual(['s-1 open long 10 market', 's-3 close long 10 limit@120 when 120 (takeProfit)']);
    made.price(110);
    made.price(106);
    expect(made.sent).toEqual([]);
  });

  test('is sent as a market order, next to its take profit, which ends when it has filled', () => {
    const made = trailing();
    made.sent;
    made.price(110);
    made.price(104);
    expect(made.sent).toEqual(['s-2 close long 10 market (trailingStop)']);
    made.fill('s-2', 4, 104);
    expect(made.sent).toEqual(['cancel s-3 linked', 's-4 close long 6 limit@120 when 120 (takeProfit)']);
    made.fill('s-2', 6, 104);
    expect(made.sent).toEqual(['cancel s-4 linked']);
    expect(made.story('s-2').map((line) => line.replace('order', ''))).toEqual([
      'Submitted',
      'Accepted',
      'Triggered',
      'Submitted',
      'Accepted',
      'Filled',
      'Filled',
    ]);
  });

  test('is not sent again once its position is gone', () => {
    const made = trailing();
    made.price(94);
    made.sent;
    made.fill('s-3', 10, 120);
    expect(made.sent).toEqual(['cancel s-2 linked']);
    made.wait(60_000);
    expect(made.sent).toEqual([]);
  });

  test('protect holds one from the last price, that of a short mirrored', () => {
    const made = bench();
    made.want(order('sell'));
    made.fill('s-1', 10, 100);
    made.want(guard('buy', { trailBy: 5 }));
    made.price(90);
    made.sent;
    made.price(95);
    expect(made.sent).toEqual(['s-2 close short 10 market (trailingStop)']);
  });
});
