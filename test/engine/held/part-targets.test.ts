import { expect, test } from '@jest/globals';
import type { Exits, Intent } from '../../../src/model/intents.ts';
import { place, protect } from '../../../src/strategy/intents.ts';
import { perpetual } from '../../state/builders.ts';
import { run, strategy, tickers } from '../builders.ts';
import { FuturesBench } from '../futures-bench.ts';

const buy = (quantity: number, exits?: Exits) => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity, exits });

/** Prices a second apart; at these numbers of prices, from 1 on, the strategy returns these intents. */
async function filled(prices: readonly number[], script: Readonly<Record<number, Intent>>): Promise<string[]> {
  let seen = 0;
  const result = await run([strategy('a', { onTicker: () => script[++seen] })], {
    data: [tickers(prices.map((price, at) => [at, price]))],
  });
  expect([result.message, result.codes]).toEqual(['', []]);
  return [...result.filled];
}

test('a target for a part closes that part, and the stop protects all of it', async () => {
  const half: Exits = { stopLoss: 90, takeProfit: { price: 110, share: 0.5 } };
  expect(await filled([100, 100, 110, 110, 85, 85], { 1: buy(10, half) })).toEqual(['buy 10 at 100', 'sell 5 at 110', 'sell 5 at 85']);
  // Before the target, the stop closes both parts.
  expect(await filled([100, 100, 85, 85], { 1: buy(10, half) })).toEqual(['buy 10 at 100', 'sell 5 at 85', 'sell 5 at 85']);
});

test.each([
  [0.3, 10, 3],
  [0.29, 100, 29],
  ['0.35', 10, 3],
  [1, 10, 10],
  [0.05, 10, 0],
])('a share of %p of %p is %p, rounded down to a step', async (share, quantity, part) => {
  const sold = await filled([100, 100, 110, 110], { 1: buy(quantity, { stopLoss: 90, takeProfit: { percent: 10, share } }) });
  expect(sold.slice(1)).toEqual(part === 0 ? [] : [`sell ${part} at 110`]);
});

test('protect takes a target for a part, and what trails is the rest', async () => {
  const exits = protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 10, trailBy: 5, takeProfit: { price: 110, share: '0.4' } });
  expect(await filled([100, 100, 100, 110, 120, 115, 115], { 1: buy(10), 3: exits })).toEqual([
    'buy 10 at 100',
    'sell 4 at 110',
    'sell 6 at 115',
  ]);
});

test('over several fills of an entry the part is rounded once, also where exits wait at the venue', () => {
  const made = new FuturesBench({ instruments: [perpetual()] });
  made.price(100);
  const exits = { stopLoss: 90, takeProfit: { price: 110, share: 0.5 } };
  made.want(place({ symbol: 'BTC-USDT-PERP', side: 'buy', type: 'limit', price: 100, quantity: 3, exits }));
  made.sent;
  const targets: string[] = [];
  for (const _ of [1, 2, 3]) {
    made.fill('s-1', 1, 100);
    targets.push(...made.sent.filter((line) => line.includes('takeProfit')));
  }
  // Half of 3 is 1.
  expect(targets).toEqual([expect.stringContaining('close long 1 limit@110 when 110')]);
});

test('a share that is none is an error of the strategy', () => {
  for (const share of [0, 1.5, -1, 'x']) expect(() => buy(1, { takeProfit: { price: 110, share } })).toThrow('share above 0 and at most 1');
});
