import { expect, test } from '@jest/globals';
import { ContractBook, type MarginHolder } from '../../../src/matching/futures/contract-book.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Mark } from '../../../src/model/market-events.ts';
import { perpetual } from '../../builders.ts';

const TIERS = [{ upTo: '1000', maintenance: '0.01' }, { upTo: '5000', maintenance: '0.02' }, { maintenance: '0.1' }];
const BTC = perpetual({ contract: { tiers: TIERS } });

/** A book whose last price is 100, and a margin that does not suffice from `low` down and from `high` up. */
function bookWith(low: number, high: number) {
  const book = new ContractBook(BTC, 60_000);
  book.prices.onLast(100, 0);
  const lacks = () => book.prices.exact.lessThanOrEqualTo(low) || book.prices.exact.greaterThanOrEqualTo(high);
  const holder: MarginHolder = {
    mayLack: () => book.prices.value <= low || book.prices.value >= high,
    get due() {
      return lacks();
    },
  };
  book.join(holder);
  return { book, holder };
}

test.each([
  [100, 50, 80],
  [100, 80, 80],
  [81, 80, 80],
  [100, 81, undefined],
  [100, 500, 137],
  [90, 137, 137],
  [100, 136, undefined],
  [100, 100, undefined],
])('the first price on the way from %d to %d that leaves a margin short is %s', (from, to, due) => {
  const { book } = bookWith(80, 137);
  expect(book.dueTicks(from, to)).toBe(due);
  // Asking leaves the prices as they were.
  expect([book.prices.lastTicks, book.prices.value, book.prices.exact.toFixed()]).toEqual([100, 100, '100']);
});

test('of several margins the first one that lacks counts', () => {
  const { book } = bookWith(80, 137);
  const { prices } = book;
  book.join({
    mayLack: () => prices.value <= 90,
    get due() {
      return prices.exact.lessThanOrEqualTo(90);
    },
  });
  expect([book.dueTicks(100, 50), book.dueTicks(100, 200)]).toEqual([90, 137]);
});

test('while a mark counts no last price makes a margin lack, and the mark is unchanged', () => {
  const { book } = bookWith(80, 137);
  book.prices.onMark(new Mark(BTC, 0, 0, 70, 0));
  expect([book.dueTicks(100, 50), book.prices.value]).toEqual([undefined, 70]);
});

test('a margin that is exactly enough is not due, however doubtful the double', () => {
  const { book } = bookWith(0, 1000);
  book.join({ mayLack: () => true, due: false });
  expect([book.mayLack(), book.dueTicks(100, 50)]).toEqual([true, undefined]);
});

test('a removed margin is not checked any more, and removing it twice has no effect', () => {
  const { book, holder } = bookWith(80, 137);
  book.join(holder);
  book.leave(holder);
  expect(book.dueTicks(100, 50)).toBeUndefined();
  const other: MarginHolder = { mayLack: () => true, due: true };
  book.join(other);
  book.leave(holder);
  expect(book.mayLack()).toBe(true);
});

test.each(['0', '999', '1000', '1000.5', '5000', '7500'])('the maintenance margin of %s is the exact one, as a double', (value) => {
  const { book } = bookWith(80, 137);
  expect(book.maintenance(Number(value))).toBeCloseTo(BTC.contract!.tiers.maintenance(new Decimal(value)).toNumber(), 9);
});
