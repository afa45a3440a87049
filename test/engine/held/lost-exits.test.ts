import { describe, expect, test } from '@jest/globals';
import type { LostExit } from '../../../src/engine/held/held-order.ts';
import type { Exits } from '../../../src/model/intents.ts';
import { unprotected } from '../../../src/state/unprotected.ts';
import { cancel, place, protect } from '../../../src/strategy/intents.ts';
import { type BenchOptions, FuturesBench } from '../futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';

/** Long 10 from 100 with these exits, which wait at the exchange as s-2 and on. */
function long(exits: Exits | undefined, options: BenchOptions = {}): FuturesBench {
  const made = new FuturesBench(options);
  made.price(100);
  made.want(place({ symbol: SYMBOL, side: 'buy', type: 'market', quantity: 10, exits }));
  made.fill('s-1', 10, 100);
  made.sent;
  return made;
}

const reports = ({ events }: FuturesBench) =>
  events.flatMap((event) =>
    event.kind === 'exitRefused' || event.kind === 'exitDelayed' ? [`${event.kind} ${event.exit} ${event.code}`] : [],
  );
const bare = ({ state }: FuturesBench) => unprotected(state).map(({ strategyId, steps, exit }) => `${strategyId} ${steps} ${exit}`);
const latched = ({ state }: FuturesBench) => [...state.latches.values()].map(({ rule, strategyId }) => `${rule} ${strategyId}`);

describe('a stop that somebody cancels at the exchange', () => {
  test('is placed again a second later, and its loss is reported', () => {
    const made = long({ stopLoss: 90 });
    made.canceled('s-2', 'external');
    expect([made.sent, reports(made)]).toEqual([[], ['exitDelayed stop canceledOutside']]);
    made.wait(1_000);
    expect(made.sent).toEqual(['s-3 close long 10 market when 90 (stopLoss)']);
    expect([bare(made), [...made.state.refusedExits.keys()]]).toEqual([[], []]);
  });

  test('stays away the second time', () => {
    const made = long({ stopLoss: 90 });
    made.canceled('s-2', 'external');
    made.wait(1_000);
    made.canceled('s-3', 'external');
    made.wait(60_000);
    expect(made.sent).toEqual(['s-3 close long 10 market when 90 (stopLoss)']);
    expect(reports(made)).toEqual(['exitDelayed stop canceledOutside', 'exitRefused stop canceledOutside']);
    expect([bare(made), latched(made)]).toEqual([['s 10 stop'], []]);
  });

  test('is counted over a restart', () => {
    const made = long({ stopLoss: 90 });
    made.canceled('s-2', 'external');
    made.wait(1_000);
    const again = new FuturesBench({ after: { state: made.state, held: made.engine.snapshot(), nextId: 4 } });
    again.canceled('s-3', 'external');
    again.wait(60_000);
    expect([again.sent, reports(again), bare(again)]).toEqual([[], ['exitRefused stop canceledOutside'], ['s 10 stop']]);
  });

  test('is placed again if it was canceled while the bot did not run', () => {
    const made = long({ stopLoss: 90 });
    const early = (bench: FuturesBench) => bench.canceled('s-2', 'external');
    const again = new FuturesBench({ after: { state: made.state, held: made.engine.snapshot(), nextId: 3 }, early });
    again.wait(1_000);
    expect(again.sent).toEqual(['s-3 close long 10 market when 90 (stopLoss)']);
  });

  test.each<[LostExit, string[]]>([
    ['reduce', ['reduce s']],
    ['warn', []],
  ])('stays away with lostExit: %s', (lostExit, latches) => {
    const made = long({ stopLoss: 90 }, { lostExit });
    made.canceled('s-2', 'external');
    made.wait(60_000);
    expect([made.sent, reports(made), bare(made), latched(made)]).toEqual([
      [],
      ['exitRefused stop canceledOutside'],
      ['s 10 stop'],
      latches,
    ]);
  });

  test('is not placed again after a kill, and its position counts as unprotected', () => {
    const made = long({ stopLoss: 90 });
    // A watchdog cancels what the bot had, and its file KILL latches the next start.
    const early = (bench: FuturesBench) => {
      bench.tell({ kind: 'riskLatched', time: bench.time, rule: 'kill', drawdown: 0, limit: 0 } as never);
      bench.canceled('s-2', 'external');
    };
    const again = new FuturesBench({ after: { state: made.state, held: made.engine.snapshot(), nextId: 3 }, early });
    again.wait(60_000);
    expect([again.sent, reports(again), bare(again)]).toEqual([[], [], ['s 10 stop']]);
  });

  test('is not placed again for a position that was closed meanwhile', () => {
    const made = long({ stopLoss: 90 });
    made.canceled('s-2', 'external');
    made.liquidated('long', 10, 80);
    made.wait(60_000);
    expect([made.sent, bare(made), [...made.state.refusedExits.keys()]]).toEqual([[], [], []]);
  });

  test('leaves its take profit, with which the position still has no stop', () => {
    const made = long({ stopLoss: 90, takeProfit: 110 }, { lostExit: 'warn' });
    made.canceled('s-2', 'external');
    expect(bare(made)).toEqual(['s 10 stop']);
  });
});

test('a close at market protects its position, unless its outcome is unknown', () => {
  const made = long({ stopLoss: 90 }, { lostExit: 'warn' });
  made.canceled('s-2', 'external');
  made.want(place({ symbol: SYMBOL, side: 'sell', positionSide: 'long', type: 'market', quantity: 10, reduceOnly: true }));
  expect(bare(made)).toEqual([]);
  const [close] = [...made.state.openOrders.values()].filter(({ request }) => request.reduceOnly);
  made.tell({ kind: 'orderUnknown', time: made.time, clientOrderId: close!.clientOrderId });
  expect(bare(made)).toEqual(['s 10 stop']);
});

test('a take profit that somebody cancels at the exchange is placed again once, and halts nothing', () => {
  const made = long({ takeProfit: 110 });
  made.canceled('s-2', 'external');
  made.wait(1_000);
  expect(made.sent).toEqual(['s-3 close long 10 limit@110 when 110 (takeProfit)']);
  made.canceled('s-3', 'external');
  made.wait(60_000);
  expect([made.sent, reports(made), bare(made)]).toEqual([[], [], ['s 10 exit']]);
});

describe('a position is unprotected', () => {
  test('from the moment at which its strategy takes its stop back until it places another', () => {
    const made = long({ stopLoss: 90 });
    expect(bare(made)).toEqual([]);
    made.want(cancel({ tag: 'stopLoss' }));
    expect(bare(made)).toEqual(['s 10 stop']);
    made.want(protect({ symbol: SYMBOL, side: 'sell', quantity: 10, stopLoss: 80 }));
    expect(bare(made)).toEqual([]);
  });

  test('never if it had no exit', () => {
    const made = long(undefined);
    expect(bare(made)).toEqual([]);
  });

  test('no longer once it is closed', () => {
    const made = long({ stopLoss: 90 }, { lostExit: 'warn' });
    made.canceled('s-2', 'external');
    made.want(place({ symbol: SYMBOL, side: 'sell', positionSide: 'long', type: 'market', quantity: 10, reduceOnly: true }));
    expect(bare(made)).toEqual([]);
    made.fill('s-3', 10, 95);
    made.want(place({ symbol: SYMBOL, side: 'buy', type: 'market', quantity: 5 }));
    made.fill('s-4', 5, 95);
    expect([made.position('s'), bare(made)]).toEqual([[5, 0], []]);
  });
});
