import { expect, test } from '@jest/globals';
import type { ListedGrid } from '../../src/model/instrument.ts';
import type { PlaceOrder } from '../../src/model/intents.ts';
import { place } from '../../src/strategy/intents.ts';
import { T0 } from './builders.ts';
import { FuturesBench } from './futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';
/** Prices are multiples of 4, quantities of 3. */
const COARSE: ListedGrid = { ticks: 4, steps: 3, leastSteps: 3 };
const order = (side: 'buy' | 'sell', more: Partial<PlaceOrder> = {}) =>
  place({ symbol: SYMBOL, side, type: 'market', quantity: 10, ...more });

function changed(bench: FuturesBench, grid: ListedGrid = COARSE): void {
  const halted = { kind: 'healthChanged', time: T0, subject: 'instrument', symbol: SYMBOL, condition: 'halted', reason: 'why' } as const;
  bench.tell({ ...halted, grid });
}

/** A strategy that is long 10 from 100 with its exits at the venue, s-2 and s-3, sent before the grid changed. */
function guarded(): FuturesBench {
  const bench = new FuturesBench();
  bench.price(100);
  bench.want(order('buy', { exits: { stopLoss: 90, takeProfit: 110 }, tag: 'in' }));
  bench.fill('s-1', 10, 100);
  changed(bench);
  bench.sent;
  return bench;
}

const codes = (bench: FuturesBench) => bench.events.flatMap((event) => (event.kind === 'orderDenied' ? [event.reason.code] : []));

test('open exits stay as they are, and those that are placed again are rounded away from the price', () => {
  const bench = guarded();
  bench.price(101);
  expect(bench.sent).toEqual([]);
  bench.want(order('sell', { quantity: 4 }));
  expect(bench.sent).toEqual(['s-4 close long 3 market']);
  bench.fill('s-4', 2, 101);
  expect(bench.sent).toEqual([
    'cancel s-2 linked',
    'cancel s-3 linked',
    's-5 close long 6 market when 88 (in:stopLoss)',
    's-6 close long 6 limit@112 when 112 (in:takeProfit)',
  ]);
  // 7 are held and 6 are covered: there is nothing to replace.
  bench.fill('s-4', 1, 101);
  expect(bench.sent).toEqual([]);
});

test('a stop that is refused with gridChanged is sent again on the grid', () => {
  const bench = guarded();
  bench.canceled('s-2', 'external');
  bench.wait(1_000);
  expect(bench.sent).toEqual(['s-4 close long 9 market when 88 (in:stopLoss)']);
  bench.rejected('s-4', { code: 'gridChanged', venueCode: '40015', message: '' });
  changed(bench, { ticks: 7, steps: 2, leastSteps: 2 });
  bench.wait(999);
  expect(bench.sent).toEqual([]);
  bench.wait(1);
  expect(bench.sent).toEqual(['s-5 close long 10 market when 84 (in:stopLoss)']);
});

test('what the step leaves of a position is no order: it is denied, and reported as without its stop', () => {
  const bench = guarded();
  bench.want(order('sell', { quantity: 9 }));
  bench.sent;
  bench.fill('s-4', 9, 101);
  expect(bench.sent).toEqual(['cancel s-2 linked', 'cancel s-3 linked']);
  expect(codes(bench)).toEqual(['quantityBelowMinimum', 'quantityBelowMinimum']);
  const refused = bench.events.filter(({ kind }) => kind === 'exitRefused');
  expect(refused).toMatchObject([{ strategyId: 's', positionSide: 'long', exit: 'stop', code: 'quantityBelowMinimum' }]);
});

test('entries are denied', () => {
  const bench = guarded();
  bench.want(order('buy', { quantity: 3 }));
  expect(bench.sent).toEqual([]);
  expect(codes(bench)).toEqual(['instrumentHalted']);
});
