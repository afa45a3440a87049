import { describe, expect, test } from '@jest/globals';
import type { Intent } from '../../../src/model/intents.ts';
import { Random } from '../../../src/model/random.ts';
import type { RiskLimits } from '../../../src/risk/limits.ts';
import { closePosition, place, protect } from '../../../src/strategy/intents.ts';
import { perpetual } from '../../state/builders.ts';
import { instrument, run, strategy, T0, tickers } from '../builders.ts';
import { FuturesBench } from '../futures-bench.ts';

const SYMBOL = 'BTC-USDT-PERP';

const SIZED = instrument(0, { minQuantity: '5' });
const ETH_LIKE = instrument(0, { minNotional: '500' });

const buy = (quantity: number, stopLoss?: number) =>
  place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity, exits: stopLoss === undefined ? undefined : { stopLoss } });
const sell = (quantity: number) => place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity });
const guard = (quantity: number, stopLoss: number) => protect({ symbol: 'BTC-USDT', side: 'sell', quantity, stopLoss });

/** Prices a second apart; at each of these numbers of prices, from 1 on, the strategy returns these intents. */
async function life(
  prices: readonly number[],
  script: Readonly<Record<number, Intent | readonly Intent[]>>,
  { of = SIZED, limits = {} }: { of?: typeof SIZED; limits?: Partial<RiskLimits> } = {},
) {
  let seen = 0;
  const onTicker = () => {
    seen += 1;
    return script[seen];
  };
  const result = await run([strategy('a', { onTicker })], {
    data: [tickers(prices.map((price, at) => [at, price]))],
    instruments: [of],
    limits: { maxPosition: new Map(), ...limits },
  });
  expect(result.message).toBe('');
  return { filled: result.filled, codes: result.codes, changed: result.sizesChanged.get('a') ?? 0, start: T0 };
}

describe('a close that would leave less than the smallest order', () => {
  test.each([
    ['a market sell', sell(7)],
    ['a reduce-only order', place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 7, reduceOnly: true })],
    ['a share of the position', closePosition({ symbol: 'BTC-USDT', share: '0.7' })],
  ])('%s takes all, if the position has a stop', async (_what, close) => {
    // 10 less 7 leaves 3, which no order may close: the smallest is 5.
    const { filled, codes, changed } = await life([100, 100, 101, 101, 60], { 1: buy(10, 90), 3: close });
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 101']);
    expect([codes, changed]).toEqual([[], 1]);
  });

  test('keeps its size where the rest is large enough, or has no exits', async () => {
    const enough = await life([100, 100, 101, 101, 60, 60], { 1: buy(12, 90), 3: sell(7) });
    expect(enough).toMatchObject({ filled: ['buy 12 at 100', 'sell 7 at 101', 'sell 5 at 60'], changed: 0 });
    const bare = await life([100, 100, 101, 101, 60], { 1: buy(10), 3: sell(7) });
    expect(bare).toMatchObject({ filled: ['buy 10 at 100', 'sell 7 at 101'], changed: 0 });
  });

  test('is judged by the minimum of an amount too, with room for a lower price', async () => {
    // At 100 the rest of 5 is worth 500, but 10 % lower it would not be.
    const { filled } = await life([100, 100, 100, 100, 60], { 1: buy(12, 90), 3: sell(7) }, { of: ETH_LIKE });
    expect(filled).toEqual(['buy 12 at 100', 'sell 12 at 100']);
    const enough = await life([100, 100, 100, 100, 95], { 1: buy(13, 96), 3: sell(7) }, { of: ETH_LIKE });
    expect(enough.filled).toEqual(['buy 13 at 100', 'sell 7 at 100', 'sell 6 at 95']);
  });
});

describe('an exit below the smallest order', () => {
  const two = { 1: buy(10), 3: [guard(2, 95), guard(8, 80)] };
  const fall = [100, 100, 100, 94, 94, 79, 79];

  test('joins another exit of its position', async () => {
    const { filled, codes, changed } = await life(fall, two);
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 79']);
    expect([codes, changed]).toEqual([[], 1]);
  });

  test('closes the position, by setting', async () => {
    const { filled, codes } = await life(fall, two, { limits: { exitsBelowMinimum: 'close' } });
    expect(filled).toEqual(['buy 10 at 100', 'sell 10 at 94']);
    expect(codes).toEqual([]);
  });

  test('closes as much as the smallest order needs, where there is no other exit', async () => {
    const { filled } = await life(fall, { 1: buy(10), 3: guard(2, 95) });
    expect(filled).toEqual(['buy 10 at 100', 'sell 5 at 94']);
    // 8 less 5 would leave 3.
    const whole = await life(fall, { 1: buy(8), 3: guard(2, 95) });
    expect(whole.filled).toEqual(['buy 8 at 100', 'sell 8 at 94']);
  });

  test('is sent as it is where it is large enough, and takes a rest that is not', async () => {
    const { filled, changed } = await life(fall, { 1: buy(12), 3: [guard(6, 95), guard(6, 80)] });
    expect([filled, changed]).toEqual([['buy 12 at 100', 'sell 6 at 94', 'sell 6 at 79'], 0]);
    const rest = await life(fall, { 1: buy(10), 3: [guard(6, 95), guard(4, 80)] });
    expect(rest.filled).toEqual(['buy 10 at 100', 'sell 10 at 94']);
  });

  test('at a venue with triggers, joins one that waits there', () => {
    const made = new FuturesBench({ instruments: [perpetual(0, { minQuantity: '5' })] });
    made.price(100);
    made.want(place({ symbol: SYMBOL, side: 'buy', type: 'market', quantity: 10 }));
    made.fill('s-1', 10, 100);
    made.sent;
    const stop = (quantity: number, stopLoss: number) => protect({ symbol: SYMBOL, side: 'sell', quantity, stopLoss });
    made.want([stop(8, 80), stop(2, 95)]);
    expect(made.sent).toEqual(['s-4 close long 10 market when 80 (stopLoss)']);
  });
});

/** 160 lives of random entries with exits, partial closes and prices: each order of the strategy itself is large enough. */
test('no life leaves a position with a stop that no order may execute', async () => {
  const counts = { joined: 0, refused: 0 };
  for (let seed = 1; seed <= 160; seed++) {
    const random = new Random(seed, 'lives');
    const whole = (from: number, to: number) => from + Math.floor(random.uniform() * (to - from + 1));
    let price = 100;
    const prices = Array.from({ length: 60 }, () => {
      price = Math.max(50, price + whole(-4, 4));
      return price;
    });
    const script: Record<number, Intent> = {};
    for (let at = 1; at <= 60; at += whole(1, 4)) {
      const close = whole(1, 3) === 1;
      script[at] = close
        ? place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: whole(5, 9), reduceOnly: true })
        : place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: whole(5, 9), exits: { stopLoss: { percent: whole(1, 5) } } });
    }
    const { codes, changed } = await life(prices, script, { limits: { exitsBelowMinimum: seed % 2 === 0 ? 'join' : 'close' } });
    counts.joined += changed;
    counts.refused += codes.filter((code) => code === 'quantityBelowMinimum').length;
  }
  expect(counts.refused).toBe(0);
  expect(counts.joined).toBeGreaterThan(20);
});
