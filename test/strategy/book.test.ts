import { expect, test } from '@jest/globals';
import { DepthBook } from '../../src/model/depth-book.ts';
import { BookView } from '../../src/strategy/views.ts';
import { instrument } from '../builders.ts';

const ONE = instrument({ tickSize: '0.1', stepSize: '0.01' });

/** Levels as price and quantity. */
function book(bids: readonly (readonly [number, number])[], asks: readonly (readonly [number, number])[]): BookView {
  const levels = (of: readonly (readonly [number, number])[]) => ({
    ticks: of.map(([price]) => Math.round(price * 10)),
    steps: of.map(([, quantity]) => Math.round(quantity * 100)),
  });
  const depth = new DepthBook();
  depth.apply({ snapshot: true, bids: levels(bids), asks: levels(asks) });
  return new BookView(ONE, depth);
}

// The middle is 100; 1 % of it reaches 99 and 101.
const BOOK = book(
  [
    [99.9, 3],
    [99.5, 1],
    [98, 6],
  ],
  [
    [100.1, 1],
    [101, 2],
    [101.1, 5],
  ],
);
const ONE_SIDED = book([[99.9, 3]], []);

test('the microprice weighs each best price by the quantity of the other side', () => {
  // (99.9 * 1 + 100.1 * 3) / 4
  expect(BOOK.microprice).toBeCloseTo(100.05, 12);
  expect(ONE_SIDED.microprice).toBeNaN();
});

test('the imbalance is the difference of both quantities over their sum, in levels or within a percentage of the middle', () => {
  expect(BOOK.imbalance(1)).toBe(0.5);
  // Bids 4, asks 3.
  expect(BOOK.imbalance(2)).toBeCloseTo(1 / 7, 12);
  // Bids 10, asks 8: no more levels than the book has.
  expect(BOOK.imbalance(9)).toBeCloseTo(2 / 18, 12);
  // Bids 4, asks 3: 101 is just within.
  expect(BOOK.imbalance({ percent: 1 })).toBeCloseTo(1 / 7, 12);
  expect(BOOK.imbalance({ percent: 0.05 })).toBe(0);
  expect(ONE_SIDED.imbalance(1)).toBeNaN();
  expect(ONE_SIDED.imbalance({ percent: 1 })).toBeNaN();
});

test('depth within a percentage of the middle includes its limits', () => {
  expect(BOOK.depthWithin(1)).toEqual({ bid: 4, ask: 3 });
  expect(BOOK.depthWithin(2)).toEqual({ bid: 10, ask: 8 });
  expect(ONE_SIDED.depthWithin(1)).toEqual({ bid: 0, ask: 0 });
});

test('the price for a quantity is the average over the levels that a market order would take', () => {
  expect(BOOK.priceFor('buy', 1)).toBe(100.1);
  // 1 at 100.1 and 1 at 101.
  expect(BOOK.priceFor('buy', 2)).toBeCloseTo(100.55, 12);
  // 3 at 99.9 and 0.3 at 99.5.
  expect(BOOK.priceFor('sell', 3.3)).toBeCloseTo((3 * 99.9 + 0.3 * 99.5) / 3.3, 12);
  expect(BOOK.priceFor('buy', 8)).toBeCloseTo((100.1 + 2 * 101 + 5 * 101.1) / 8, 12);
  expect(BOOK.priceFor('buy', 8.01)).toBeNaN();
  expect(ONE_SIDED.priceFor('buy', 1)).toBeNaN();
});
