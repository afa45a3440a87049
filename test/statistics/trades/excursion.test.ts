import { expect, test } from '@jest/globals';
import type { Fill } from '../../../src/model/fill.ts';
import type { PriceRange } from '../../../src/statistics/trades/trade.ts';
import { fill, OTHER, PERP, plainTrades, runRecord, SPOT } from '../builders.ts';

const range = (low: number, high: number): PriceRange => ({ lowTicks: low * 100, highTicks: high * 100 });

/** The trades of fills, each with the prices that were seen before it. */
function trades(fills: readonly (readonly [Fill, PriceRange?])[], parts: Parameters<typeof runRecord>[0] = {}) {
  const notes = new Map(fills.map(([one, seen]) => [one, { reason: 'signal', range: seen }] as const));
  return plainTrades(runRecord({ fills: fills.map(([one]) => one), notes, ...parts }));
}

const told = ({ mae, mfe }: { mae: { toFixed(): string }; mfe: { toFixed(): string } }) => [mae.toFixed(), mfe.toFixed()];

test('a long has its worst result at the lowest price and its best at the highest', () => {
  const { closed } = trades([
    [fill({ side: 'buy', quantity: '2', price: '100' })],
    [fill({ side: 'sell', quantity: '2', price: '105' }), range(90, 120)],
  ]);
  expect(closed.map(told)).toEqual([['-20', '40']]);
  expect(closed.map(({ maeShare, mfeShare }) => [maeShare, mfeShare])).toEqual([[-0.1, 0.2]]);
});

test('a short the other way round', () => {
  const { closed } = trades([
    [fill({ side: 'sell', quantity: '2', price: '100' })],
    [fill({ side: 'buy', quantity: '2', price: '105' }), range(90, 120)],
  ]);
  expect(closed.map(told)).toEqual([['-40', '20']]);
});

test('its own exit counts where no price went as far', () => {
  const { closed } = trades([
    [fill({ side: 'buy', quantity: '1', price: '100' })],
    [fill({ side: 'sell', quantity: '1', price: '80' }), range(99, 101)],
  ]);
  expect(closed.map(told)).toEqual([['-20', '1']]);
});

test('additions and earlier exits count with their values at that time', () => {
  const { closed } = trades([
    [fill({ side: 'buy', quantity: '1', price: '100' })],
    // One at 100: -10.
    [fill({ side: 'buy', quantity: '1', price: '90' }), range(90, 100)],
    // Two for 190: at 130 +70, at 80 -30.
    [fill({ side: 'sell', quantity: '1', price: '120' }), range(80, 130)],
    // One, and 70 still to come back: at 60 -10, at 110 +40.
    [fill({ side: 'sell', quantity: '1', price: '100' }), range(60, 110)],
  ]);
  expect(closed.map(told)).toEqual([['-30', '70']]);
});

test('prices before the entry, after the exit and of other symbols count in no trade', () => {
  const { closed } = trades([
    [fill({ side: 'buy', quantity: '1', price: '100' }), range(1, 999)],
    [fill({ side: 'buy', quantity: '1', price: '10', instrument: OTHER }), range(1, 999)],
    [fill({ side: 'sell', quantity: '1', price: '101' })],
    [fill({ side: 'buy', quantity: '1', price: '100' }), range(1, 999)],
  ]);
  expect(closed.map(told)).toEqual([['0', '1']]);
});

test('a fill of one strategy is a price for the trades of the others', () => {
  const other = (side: 'buy' | 'sell') => fill({ side, quantity: '1', price: '100', strategyId: 't' });
  const { closed } = trades([
    [fill({ side: 'buy', quantity: '1', price: '100' })],
    [other('buy'), range(95, 100)],
    [fill({ side: 'sell', quantity: '1', price: '100' }), range(98, 103)],
    [other('sell'), range(70, 101)],
  ]);
  expect(closed.map(told)).toEqual([
    ['-5', '3'],
    ['-30', '3'],
  ]);
});

test('an open trade also uses the last prices', () => {
  const { open } = trades([[fill({ side: 'buy', quantity: '1', price: '100' })]], { lastRanges: new Map([[SPOT, range(60, 130)]]) });
  expect(open.map(told)).toEqual([['-40', '30']]);
});

test('half a tick counts: the middle of a quote', () => {
  const { open } = trades([[fill({ side: 'buy', quantity: '1', price: '100' })]], {
    lastRanges: new Map([[SPOT, { lowTicks: 9_999.5, highTicks: 10_000 }]]),
  });
  expect(open.map(told)).toEqual([['-0.005', '0']]);
});

test('the exit reason is the note of its last exit fill, and a liquidation without a note', () => {
  const fills = [
    fill({ side: 'buy', quantity: '2', price: '100' }),
    fill({ side: 'sell', quantity: '1', price: '110' }),
    fill({ side: 'sell', quantity: '1', price: '90' }),
    fill({ side: 'buy', quantity: '1', price: '90', instrument: PERP, positionSide: 'long' }),
    fill({
      side: 'sell',
      quantity: '1',
      price: '50',
      instrument: PERP,
      positionSide: 'long',
      tag: 'liquidation',
      clientOrderId: 'liq-1-s',
    }),
  ];
  const notes = new Map([
    [fills[1]!, { reason: 'takeProfit', range: undefined } as const],
    [fills[2]!, { reason: 'stop', range: undefined } as const],
  ]);
  expect(plainTrades(runRecord({ fills, notes })).closed.map(({ exitReason }) => exitReason)).toEqual(['stop', 'liquidation']);
});
