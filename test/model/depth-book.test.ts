import { expect, test } from '@jest/globals';
import { DepthBook, type DepthChange, DepthSequence } from '../../src/model/depth-book.ts';

/** A change of one bid; `snapshot` where the number before is left out. */
const bid = (ticks: number, steps: number, update: number, previous?: number): DepthChange => ({
  snapshot: previous === undefined,
  update,
  previous: previous ?? 0,
  bids: { ticks: [ticks], steps: [steps] },
  asks: { ticks: [], steps: [] },
});

/** The bids after each change, the best first; `-` where a change does nothing. */
function booksAfter(awaitsSnapshot: boolean, changes: readonly DepthChange[]): string[] {
  const sequence = new DepthSequence(awaitsSnapshot);
  const book = new DepthBook();
  return changes.map((change) => {
    const next = sequence.next(change);
    if (next === undefined) return '-';
    book.apply(next);
    const levels: number[] = [];
    for (let price = book.bids.bestTicks; !Number.isNaN(price); price = book.bids.next(price)) levels.push(price);
    return levels.join(' ');
  });
}

test('changes before a snapshot that are newer than it are applied to it', () => {
  expect(booksAfter(true, [bid(90, 1, 5, 4), bid(91, 1, 7, 5), bid(92, 1, 9, 7), bid(50, 1, 7), bid(93, 1, 12, 9)])).toEqual([
    ...['-', '-', '-'],
    '92 91 50',
    '93 92 91 50',
  ]);
});

test('without numbers, changes before the first snapshot are dropped, and each snapshot is the book', () => {
  expect(booksAfter(true, [bid(90, 1, 0, 0), bid(50, 1, 0), bid(60, 1, 0, 0), bid(40, 1, 0)])).toEqual(['-', '50', '60 50', '40']);
});

test('a snapshot without a number is the book though changes have numbers', () => {
  expect(booksAfter(true, [bid(50, 1, 0), bid(60, 1, 8, 7), bid(40, 1, 0), bid(41, 1, 9, 8)])).toEqual(['50', '60 50', '40', '41 40']);
});

test('a whole book takes nothing from a snapshot that is older, and one with a loss is mended by the next', () => {
  const changes = [bid(50, 1, 10), bid(51, 1, 12, 10), bid(40, 1, 11), bid(52, 1, 20, 15), bid(30, 1, 18), bid(31, 1, 21, 20)];
  expect(booksAfter(true, changes)).toEqual(['50', '51 50', '-', '52 51 50', '52 30', '52 31 30']);
});

test('a snapshot that the changes in hand do not follow leaves a book with a loss, which the next mends', () => {
  const changes = [bid(50, 1, 210, 200), bid(30, 1, 150), bid(51, 1, 220, 210), bid(40, 1, 215), bid(52, 1, 230, 220), bid(20, 1, 225)];
  expect(booksAfter(true, changes)).toEqual(['-', '50 30', '51 50 30', '51 40', '52 51 40', '-']);
});

test('a loss among the changes in hand is mended by the next snapshot, too', () => {
  const changes = [bid(50, 1, 8, 7), bid(51, 1, 10, 8), bid(52, 1, 20, 15), bid(30, 1, 7), bid(53, 1, 21, 20), bid(40, 1, 18)];
  expect(booksAfter(true, changes)).toEqual(['-', '-', '-', '52 51 50 30', '53 52 51 50 30', '53 52 40']);
});

test('a book with a loss does not use a snapshot older than its last complete state', () => {
  const changes = [bid(50, 1, 10), bid(51, 1, 12, 10), bid(52, 1, 20, 15), bid(40, 1, 11), bid(30, 1, 13), bid(20, 1, 12)];
  expect(booksAfter(true, changes)).toEqual(['50', '51 50', '52 51 50', '-', '52 30', '-']);
});
