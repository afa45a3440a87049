import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { liquidationShares } from '../../src/engine/account-path.ts';
import type { OrderEvent, PositionLiquidated } from '../../src/model/account-events.ts';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import type { PlaceOrder } from '../../src/model/intents.ts';
import { applyAccount } from '../../src/state/apply.ts';
import { State } from '../../src/state/state.ts';
import { place } from '../../src/strategy/intents.ts';
import { PERP, trade } from '../state/builders.ts';
import { FuturesBench } from './futures-bench.ts';

const order = (side: 'buy' | 'sell', quantity: number, more: Partial<PlaceOrder> = {}) =>
  place({ symbol: 'BTC-USDT-PERP', side, type: 'market', quantity, ...more });

/** `s` is long 10 with a stop, `t` long 5. */
function bench(): FuturesBench {
  const heard: string[] = [];
  const made = new FuturesBench({
    script: {
      onOrder: ({ kind }) => void heard.push(kind),
      onFill: ({ tag, steps, fee }) => void heard.push(`${tag} ${steps} ${fee.toFixed()}`),
    },
  });
  made.price(100);
  made.want(order('buy', 10, { exits: { stopLoss: 80 } }));
  made.fill('s-1', 10, 100);
  made.want(order('buy', 5), 't');
  made.fill('t-3', 5, 100);
  heard.length = 0;
  made.sent;
  made.events.length = 0;
  return Object.assign(made, { heard });
}
const receivedBy = (made: FuturesBench) => (made as unknown as { heard: string[] }).heard;

test('a liquidation is shared out among the strategies that hold the side, as orders of their own', () => {
  const made = bench();
  made.liquidated('long', 15, 90, '6.75');
  expect(made.position('s')).toEqual([0, 0]);
  expect(made.position('t')).toEqual([0, 0]);
  expect(made.state.position(PERP, 'long').steps).toBe(0);
  expect(made.state.position(PERP, 'long').realizedProfit.toFixed()).toBe('-150');
  expect(made.story('liq-l3-s')).toEqual(['orderSubmitted', 'orderAccepted', 'orderFilled']);
  expect(made.state.order('liq-l3-t')).toMatchObject({ type: 'burstLiquidation', status: 'filled', strategyId: 't', orderId: 'l3' });
  expect(receivedBy(made)).toEqual([
    ...['orderSubmitted', 'orderAccepted', 'orderFilled', 'liquidation 10 4.5'],
    // Its stop has nothing left to close.
    ...['cancelSubmitted', 'orderCanceled'],
  ]);
  expect(made.sent).toEqual(['cancel s-2 linked']);
});

test('the log has the liquidation first, then the shares', () => {
  const made = bench();
  made.liquidated('long', 15, 90);
  expect(made.events.slice(0, 7).map(({ kind }) => kind)).toEqual([
    'positionLiquidated',
    ...['orderSubmitted', 'orderAccepted', 'orderFilled'],
    ...['orderSubmitted', 'orderAccepted', 'orderFilled'],
  ]);
});

test('a part of it makes exits smaller', () => {
  const made = bench();
  made.liquidated('long', 6, 90);
  expect(made.position('s')).toEqual([6, 0]);
  expect(made.position('t')).toEqual([3, 0]);
  expect(made.sent).toEqual(['cancel s-2 linked', 's-4 close long 6 market when 80 (stopLoss)']);
});

test('two of one instant are shared out one after the other', () => {
  const made = bench();
  made.together(() => {
    made.liquidated('long', 6, 90);
    made.liquidated('long', 9, 89);
  });
  expect(made.position('s')).toEqual([0, 0]);
  expect(made.position('t')).toEqual([0, 0]);
  expect(made.state.position(PERP, 'long').steps).toBe(0);
});

function liquidation(steps: number, fee: string, positionSide: 'long' | 'short' = 'long'): PositionLiquidated {
  const rest = [PERP.notional(90, steps), new Decimal(fee), 'USDT', 'taker', 'liquidation', 5, 7, 8, 5] as const;
  const fill = new Fill('f9', 'v1', '', '', PERP, positionSide === 'long' ? 'sell' : 'buy', positionSide, 90, steps, ...rest);
  return { kind: 'positionLiquidated', time: 5, orderId: 'v1', type: 'offsetLiquidation', fill };
}

function held(...steps: number[]): State {
  const ids = steps.map((_, index) => `${index}`);
  const target = new State([PERP], ids, { kind: 'futures', currency: 'USDT', equityEveryMs: 1000 });
  steps.forEach((size, index) => {
    if (size !== 0) trade(target, 'long', size, 100, { strategyId: ids[index]! });
  });
  return target;
}

const fillsOf = (events: readonly OrderEvent[]) => events.flatMap((event) => (event.kind === 'orderFilled' ? [event.fill] : []));

test.each<[string, number[], number, string, [string, number, string][]]>([
  ['one holder has all of it, under its own fill id', [0, 7], 7, '0.1', [['f9', 7, '0.1']]],
  // Thirds of 2: the running sums give 0, 1, 1.
  [
    'whole steps by the running sums, nothing to who gets none',
    [1, 1, 1],
    2,
    '0.1',
    [
      ['f9-1', 1, '0.05'],
      ['f9-2', 1, '0.05'],
    ],
  ],
  [
    'in proportion',
    [30, 10],
    4,
    '0.2',
    [
      ['f9-0', 3, '0.15'],
      ['f9-1', 1, '0.05'],
    ],
  ],
  [
    'the last has the rest of the fee',
    [1, 1, 1],
    3,
    '0.1',
    [
      ['f9-0', 1, '0.033333333333333333'],
      ['f9-1', 1, '0.033333333333333333'],
      ['f9-2', 1, '0.033333333333333334'],
    ],
  ],
  ['nobody has nothing', [0, 0], 5, '0.1', []],
])('%s', (_, steps, closed, fee, expected) => {
  const fills = fillsOf(liquidationShares(liquidation(closed, fee), held(...steps)));
  expect(fills.map((fill) => [fill.fillId, fill.steps, fill.fee.toFixed()])).toEqual(expected);
});

test('a share is reported as an order of the venue, with the type that it has there', () => {
  const [submitted, accepted, filled] = liquidationShares(liquidation(4, '0.2'), held(4));
  expect(submitted).toMatchObject({
    kind: 'orderSubmitted',
    clientOrderId: 'liq-v1-0',
    type: 'offsetLiquidation',
    again: false,
    request: { side: 'sell', positionSide: 'long', type: 'market', timeInForce: 'IOC', reduceOnly: true, steps: 4, tag: 'liquidation' },
  });
  expect(accepted).toMatchObject({ kind: 'orderAccepted', orderId: 'v1', held: false });
  expect(filled).toMatchObject({ kind: 'orderFilled', complete: true, fill: { priceTicks: 90, decidedSequence: 7, pricedSequence: 8 } });
});

test('each part of a forced order that is filled in parts is an order', () => {
  const target = held(4);
  const first = liquidation(3, '0.1');
  for (const event of [first, ...liquidationShares(first, target)]) applyAccount(target, event);
  const rest = liquidation(1, '0.1');
  const [submitted] = liquidationShares(rest, target);
  expect(submitted).toMatchObject({ kind: 'orderSubmitted', clientOrderId: `liq-v1-0-${rest.fill.fillId}` });
  for (const event of [rest, ...liquidationShares(rest, target)]) applyAccount(target, event);
  expect(target.position(PERP, 'long').steps).toBe(0);
});

test('shares sum to the liquidation, and none is more than its strategy holds', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), (steps, part) => {
      const total = steps.reduce((sum, size) => sum + size, 0);
      const closed = Math.floor(total * part);
      fc.pre(closed > 0);
      const target = held(...steps);
      const event = liquidation(closed, '0.123456789');
      const events = liquidationShares(event, target);
      const fills = fillsOf(events);
      expect(fills.reduce((sum, fill) => sum + fill.steps, 0)).toBe(closed);
      expect(fills.reduce((sum, fill) => sum.plus(fill.fee), ZERO).toFixed()).toBe('0.123456789');
      expect(fills.reduce((sum, fill) => sum.plus(fill.notional), ZERO).toFixed()).toBe(event.fill.notional.toFixed());
      for (const fill of fills) expect(fill.steps).toBeLessThanOrEqual(steps[Number(fill.strategyId)]!);
      applyAccount(target, event);
      for (const one of events) applyAccount(target, one);
      const left = [...target.books.values()].map((book) => book.position(PERP, 'long').steps);
      expect(left.reduce((sum, size) => sum + size, 0)).toBe(target.position(PERP, 'long').steps);
    }),
  );
});

test('a short side is shared out alike', () => {
  const target = held(0);
  trade(target, 'short', 4, 100, { strategyId: '0' });
  const [fill] = fillsOf(liquidationShares(liquidation(3, '0', 'short'), target));
  expect(fill).toMatchObject({ side: 'buy', positionSide: 'short', steps: 3 });
});
