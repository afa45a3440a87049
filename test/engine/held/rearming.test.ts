import { describe, expect, test } from '@jest/globals';
import { ClientIds } from '../../../src/engine/orders/client-ids.ts';
import type { Exits, PlaceOrder } from '../../../src/model/intents.ts';
import type { Rejection } from '../../../src/model/reasons.ts';
import { cancel, place, protect } from '../../../src/strategy/intents.ts';
import { PERP } from '../../state/builders.ts';
import { type BenchOptions, FuturesBench } from '../futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';
const LIMITED: Rejection = { code: 'venueLimited', venueCode: '429', message: 'too many requests' };
const REFUSED: Rejection = { code: 'venueRefused', venueCode: '40017', message: 'parameter validation failed' };
const HERE: BenchOptions = { capabilities: { futuresTriggers: false } };
const order = (side: 'buy' | 'sell', more: Partial<PlaceOrder> = {}) =>
  place({ symbol: SYMBOL, side, type: 'market', quantity: 10, ...more });

/** Long 10 from 100, with these exits: held by the engine where the options say so, s-2 and on. */
function long(exits: Exits, options: BenchOptions = HERE): FuturesBench {
  const made = new FuturesBench(options);
  made.price(100);
  made.want(order('buy', { exits }));
  made.fill('s-1', 10, 100);
  made.sent;
  return made;
}

/** The stop of a long position has gone out as s-2. */
function stopOut(options?: BenchOptions): FuturesBench {
  const made = long({ stopLoss: 90 }, options);
  made.price(89);
  expect(made.sent).toEqual(['s-2 close long 10 market (stopLoss)']);
  return made;
}

const open = ({ state }: FuturesBench) =>
  [...state.openOrders.values()].map(({ clientOrderId, held }) => `${clientOrderId} ${held ? 'held' : 'sent'}`);
const lost = ({ events }: FuturesBench) => events.flatMap((event) => (event.kind === 'exitRefused' ? [`${event.exit} ${event.code}`] : []));

describe('a stop that the engine holds', () => {
  test('is held again when an exchange refuses it for now, and is sent while the price is still beyond it', () => {
    const made = stopOut();
    made.rejected('s-2', LIMITED);
    expect(made.story('s-2').at(-1)).toBe('orderRejected');
    expect(made.story('s-3')).toEqual(['orderSubmitted', 'orderAccepted']);
    expect(made.state.openOrders.get('t-s-3')).toMatchObject({ held: true, stopTicks: 90, tag: 'stopLoss' });
    made.wait(999);
    made.price(88);
    expect(made.sent).toEqual([]);
    made.wait(1);
    expect(made.sent).toEqual(['s-3 close long 10 market (stopLoss)']);
    made.fill('s-3', 10, 88);
    made.wait(60_000);
    expect([made.position('s'), open(made), made.sent, lost(made)]).toEqual([[0, 0], [], [], []]);
  });

  test('waits for its trigger again if the price has returned', () => {
    const made = stopOut();
    made.rejected('s-2', LIMITED);
    made.price(95);
    made.wait(1_000);
    expect(made.sent).toEqual([]);
    made.price(90);
    expect(made.sent).toEqual(['s-3 close long 10 market (stopLoss)']);
  });

  test('is tried at longer and longer distances, up to half a minute', () => {
    const made = stopOut();
    const waited: number[] = [];
    for (let number = 2; number < 10; number++) {
      made.rejected(`s-${number}`, LIMITED);
      const from = made.time;
      while (made.sent.length === 0) made.wait(500);
      waited.push(made.time - from);
    }
    expect(waited).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  test.each<[string, Rejection]>([
    ['never left', { code: 'neverSent', message: 'over the budget' }],
    ['never arrived', { code: 'neverArrived', waitedMs: '36000' }],
    ['met an overloaded exchange', { code: 'overloaded', by: 'chance', orders: '1', windowMs: '1000' }],
  ])('is sent again if it %s', (_, reason) => {
    const made = stopOut();
    made.tell({ kind: 'orderUnknown', time: made.time, clientOrderId: 't-s-2' });
    made.rejected('s-2', reason);
    made.wait(1_000);
    expect(made.sent).toEqual(['s-3 close long 10 market (stopLoss)']);
  });

  test('that risk denies for now is sent once risk approves it', () => {
    const made = long({ stopLoss: 90 }, { ...HERE, limits: { orderRate: { orders: 1, perMs: 3_000 } } });
    made.price(89);
    expect([made.denied, made.sent]).toEqual([['s orderRateAboveLimit'], []]);
    expect(made.story('s-2').slice(-2)).toEqual(['orderTriggered', 'orderDenied']);
    made.wait(1_000);
    expect([made.denied.length, made.sent]).toEqual([2, []]);
    made.wait(2_000);
    expect(made.sent).toEqual(['s-4 close long 10 market (stopLoss)']);
  });

  test('a trailing stop keeps its mark, and trails meanwhile', () => {
    const made = long({ trailBy: 5 });
    made.price(110);
    made.price(104);
    made.sent;
    made.rejected('s-2', LIMITED);
    expect(made.state.openOrders.get('t-s-3')).toMatchObject({ held: true, stopTicks: 105 });
    made.price(112);
    made.wait(1_000);
    made.price(108);
    expect(made.sent).toEqual([]);
    made.price(107);
    expect(made.sent).toEqual(['s-3 close long 10 market (trailingStop)']);
  });

  test('keeps its link: a take profit that fills meanwhile ends it', () => {
    const made = long({ stopLoss: 90, takeProfit: 110 });
    made.price(89);
    made.rejected('s-2', LIMITED);
    made.price(110);
    expect(made.sent).toEqual(['s-2 close long 10 market (stopLoss)', 's-3 close long 10 limit@110 (takeProfit)']);
    made.fill('s-3', 4, 110);
    expect(made.state.openOrders.get('t-s-4')?.request.steps).toBe(6);
    made.fill('s-3', 6, 110);
    made.wait(60_000);
    expect([open(made), made.sent]).toEqual([[], []]);
  });

  test.each<[string, (made: FuturesBench) => void]>([
    ['its strategy cancels it', (made) => made.want(cancel({ tag: 'stopLoss' }))],
    ['its position is closed', (made) => made.liquidated('long', 10, 80)],
  ])('is over where %s while it waits', (_, act) => {
    const made = stopOut();
    made.rejected('s-2', LIMITED);
    act(made);
    made.price(80);
    made.wait(60_000);
    expect([open(made), made.story('s-3').at(-1)?.split(' ')[0]]).toEqual([[], 'orderCanceled']);
    expect(made.sent).toEqual([]);
  });

  test('is not sent again where somebody has canceled it before the exchange refused it', () => {
    const made = stopOut();
    made.silent = true;
    made.want(cancel({ tag: 'stopLoss' }));
    made.cancelRejected('s-2');
    made.rejected('s-2', { code: 'neverArrived', waitedMs: '36000' });
    made.wait(60_000);
    expect([open(made), made.sent]).toEqual([[], ['cancel s-2 requested']]);
  });

  test('that would open a position is not sent again: its strategy receives the refusal', () => {
    const made = new FuturesBench(HERE);
    made.price(100);
    made.want(order('buy', { type: 'stop', stopPrice: 105 }));
    made.price(106);
    made.rejected('s-1', LIMITED);
    made.wait(60_000);
    expect([open(made), made.sent, lost(made)]).toEqual([[], ['s-1 open long 10 market'], []]);
  });

  test('continues after a restart, with the rest of its wait', () => {
    const made = stopOut();
    made.rejected('s-2', LIMITED);
    made.wait(400);
    const again = new FuturesBench({ ...HERE, after: { state: made.state, held: made.engine.snapshot(), nextId: 4 } });
    again.time = made.time;
    again.wait(599);
    again.price(88);
    expect(again.sent).toEqual([]);
    again.wait(1);
    expect(again.sent).toEqual(['s-3 close long 10 market (stopLoss)']);
    again.rejected('s-3', LIMITED);
    again.wait(1_999);
    expect(again.sent).toEqual([]);
    again.wait(1);
    expect(again.sent).toEqual(['s-4 close long 10 market (stopLoss)']);
  });
});

describe('a stop that the engine holds over a restart', () => {
  const restarted = (ids: ClientIds) => {
    const made = long({ trailBy: 5 });
    expect(open(made)).toEqual(['t-s-2 held']);
    const again = new FuturesBench({ ...HERE, ids, after: { state: made.state, held: made.engine.snapshot(), nextId: 3 } });
    again.price(94);
    return again;
  };

  test('is sent under another client id in a new era: a run that the journal has lost may have used its own', () => {
    const again = restarted(new ClientIds('t', { era: 'b', from: 3, isRenewed: true }));
    expect(again.sent).toEqual(['s-b-3 close long 10 market (trailingStop)']);
    expect(again.story('s-2')).toEqual(['orderCanceled linked']);
    again.fill('s-b-3', 10, 94);
    expect(again.state.openOrders.size).toBe(0);
  });

  test('keeps its client id in an era that is none of a doubtful journal', () => {
    expect(restarted(new ClientIds('t', { era: 'b', from: 3 })).sent).toEqual(['s-2 close long 10 market (trailingStop)']);
  });
});

describe('a stop that waits at the venue', () => {
  test('is parted where a limit was lowered meanwhile', () => {
    const made = long({ stopLoss: 90 }, {});
    made.rejected('s-2', LIMITED);
    made.sent;
    const limits = { maxNotional: PERP.notional(90, 4) };
    const again = new FuturesBench({ limits, after: { state: made.state, held: made.engine.snapshot(), nextId: 4 } });
    again.price(100);
    again.wait(1_000);
    expect(again.sent).toEqual([4, 4, 2].map((steps, index) => `s-${4 + index} close long ${steps} market when 90 (stopLoss)`));
    expect(lost(again)).toEqual([]);
  });

  test('is placed again where the exchange refuses it for now', () => {
    const made = long({ stopLoss: 90 }, {});
    made.rejected('s-2', LIMITED);
    expect(open(made)).toEqual(['t-s-3 held']);
    made.price(85);
    made.price(95);
    made.wait(1_000);
    expect(made.sent).toEqual(['s-3 close long 10 market when 90 (stopLoss)']);
    expect([open(made), made.state.openOrders.get('t-s-3')?.status]).toEqual([['t-s-3 sent'], 'accepted']);
    made.triggered('s-3', 90);
    made.fill('s-3', 10, 90);
    expect(made.position('s')).toEqual([0, 0]);
  });

  test('is sent at market if the price is beyond it by then', () => {
    const made = long({ stopLoss: 90 }, {});
    made.rejected('s-2', LIMITED);
    made.price(85);
    made.wait(1_000);
    expect(made.sent).toEqual(['s-3 close long 10 market (stopLoss)']);
  });

  test('is placed again where our own gate keeps it for now', () => {
    const made = long({ stopLoss: 90 }, { limits: { orderRate: { orders: 1, perMs: 1_500 } } });
    expect([made.denied, open(made)]).toEqual([['s orderRateAboveLimit'], ['t-s-3 held']]);
    made.wait(1_000);
    expect([made.denied.length, made.story('s-3').at(-1), open(made)]).toEqual([2, 'orderDenied', ['t-s-4 held']]);
    made.wait(2_000);
    expect(made.sent).toEqual(['s-4 close long 10 market when 90 (stopLoss)']);
  });

  test('is placed again in the size of its position where it was being replaced', () => {
    const made = long({ stopLoss: 90 }, {});
    made.want(order('sell', { quantity: 4 }));
    made.fill('s-3', 4, 100);
    made.rejected('s-4', LIMITED);
    made.sent;
    made.wait(1_000);
    expect(made.sent).toEqual(['s-5 close long 6 market when 90 (stopLoss)']);
  });

  test('is over where it is canceled in the turn in which it would be placed again', () => {
    const made = long({ stopLoss: 90 }, {});
    made.rejected('s-2', LIMITED);
    made.sent;
    // The exchange closes the position, and the engine takes that up with the end of the wait.
    made.together(() => {
      made.liquidated('long', 10, 80);
      made.wait(1_000);
    });
    expect(made.story('s-3')).toEqual(['orderSubmitted', 'orderAccepted', 'orderCanceled linked']);
    made.wait(60_000);
    expect([open(made), made.sent]).toEqual([[], []]);
  });

  test('is taken back by its strategy while the engine keeps it', () => {
    const made = long({ stopLoss: 90 }, {});
    made.rejected('s-2', LIMITED);
    made.want(cancel({ tag: 'stopLoss' }));
    made.wait(60_000);
    expect([open(made), made.sent]).toEqual([[], []]);
  });
});

describe('a stop that is refused for good', () => {
  test('is not sent again, and its loss is reported once', () => {
    const made = stopOut();
    made.rejected('s-2', REFUSED);
    made.price(80);
    made.wait(60_000);
    expect([open(made), made.sent, lost(made)]).toEqual([[], [], ['stop venueRefused']]);
    expect([...made.state.refusedExits.values()]).toMatchObject([{ strategyId: 's', positionSide: 'long', code: 'venueRefused' }]);
  });

  test.each<[string, (made: FuturesBench) => void]>([
    ['its position is gone', (made) => made.liquidated('long', 10, 80)],
    ['another stop guards the position', (made) => made.want(protect({ symbol: SYMBOL, side: 'sell', quantity: 10, stopLoss: 70 }))],
  ])('is no loss any more once %s', (_, act) => {
    const made = stopOut();
    made.rejected('s-2', REFUSED);
    act(made);
    expect([...made.state.refusedExits.keys()]).toEqual([]);
  });

  test('leaves its take profit, whose own refusal is no such loss', () => {
    const made = long({ stopLoss: 90, takeProfit: 110 });
    made.price(110);
    made.rejected('s-3', REFUSED);
    expect([open(made), lost(made)]).toEqual([['t-s-2 held'], []]);
  });
});
