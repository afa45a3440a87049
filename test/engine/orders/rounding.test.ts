import { expect, test } from '@jest/globals';
import type { PlaceOrder } from '../../../src/model/intents.ts';
import { cancel, place } from '../../../src/strategy/intents.ts';
import { bars, instrument, run, strategy, T0 } from '../builders.ts';

const ENTRY = { symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 } as const;
/** Enters once, at the open of the second bar at 100, with these exits; the lowest price of later bars is 99. */
async function exitOf(order: Partial<PlaceOrder>, rows = [100, [100, 100, 100, 100], [100, 101, 99, 100], 100] as (number | number[])[]) {
  let placed = false;
  const onBar = () => {
    if (placed) return undefined;
    placed = true;
    return place({ ...ENTRY, ...order } as PlaceOrder);
  };
  return run([strategy('a', { onBar })], { data: [bars(rows)] });
}

test.each<[string, Partial<PlaceOrder>, string]>([
  ['a stop loss of a long is rounded down', { exits: { stopLoss: 99.5 } }, 'sell 1 at 99'],
  ['a stop loss of a short is rounded up', { side: 'sell', exits: { stopLoss: 100.5 } }, 'buy 1 at 101'],
])('%s, away from the fill', async (_, order, closed) => {
  const { filled, stopsBeyondFill } = await exitOf(order);
  expect(filled.at(-1)).toBe(closed);
  expect([filled.length, stopsBeyondFill]).toEqual([2, 0]);
});

test.each<[string, Partial<PlaceOrder>, string]>([
  ['a sell stop is rounded down', { side: 'sell', type: 'stop', stopPrice: 99.5 }, 'sell 1 at 99'],
  ['a buy stop is rounded up', { type: 'stop', stopPrice: 100.5 }, 'buy 1 at 101'],
])('%s, away from the price that it waits for', async (_, order, filled) => {
  const result = await exitOf(order, [100, 100, [100, 101, 99, 100], 100]);
  expect(result.filled).toEqual([filled]);
});

test('a sell of all free coins between two steps is rounded down and not denied', async () => {
  const coin = instrument(0, { stepSize: '0.00001', takerFee: '0' });
  let sold = false;
  const onBar = () => {
    if (sold) return cancel();
    sold = true;
    return place({ ...ENTRY, side: 'sell', quantity: 0.00999999 });
  };
  const { codes, filled } = await run([strategy('a', { onBar })], {
    data: [bars([100, 100, 100], { of: coin, from: T0 })],
    kind: 'spot',
    balances: { USDT: '1000', BTC: '0.00999999' },
  });
  expect([codes, filled]).toEqual([[], ['sell 0.00999 at 100']]);
});
