import { describe, expect, test } from '@jest/globals';
import type { MatchingEngine } from '../../src/matching/matching-engine.ts';
import { DepthBook } from '../../src/model/depth-book.ts';
import type { Depth } from '../../src/model/market-events.ts';
import { DepthSource } from '../../src/venues/simulated/sources.ts';
import { at, instrument, type Row, secondsOf, series } from '../builders.ts';

const END = Number.POSITIVE_INFINITY;

interface Told {
  readonly seconds: number;
  readonly snapshot: boolean;
  /** Best bid and ask with their steps, after it. */
  readonly top: string;
}

/** What a source tells, with the book that comes of it. */
function told(rows: readonly Row[], from = Number.NEGATIVE_INFINITY, to = END): Told[] {
  const seen: Depth[] = [];
  const source = new DepthSource(instrument(), series('depth', rows), from, to);
  const matching = { onDepth: (depth: Depth) => void seen.push(depth) } as unknown as MatchingEngine;
  for (let sequence = 1; source.time < END; sequence++) source.deliver(matching, sequence);
  const book = new DepthBook();
  return seen.map((depth) => {
    book.apply(depth);
    const { bids, asks } = book;
    const top = `${bids.stepsAt(bids.bestTicks)}@${bids.bestTicks} ${asks.stepsAt(asks.bestTicks)}@${asks.bestTicks}`;
    return { seconds: secondsOf(depth.time), snapshot: depth.snapshot, top };
  });
}

const bid = (seconds: number, ticks: number, steps: number, update = 0, previous = 0): Row => [
  seconds,
  1,
  ticks,
  steps,
  0,
  update,
  previous,
];
const ask = (seconds: number, ticks: number, steps: number, update = 0, previous = 0): Row => [
  seconds,
  -1,
  ticks,
  steps,
  0,
  update,
  previous,
];
const snapshot = (seconds: number, update: number, bidTicks: number, askTicks: number): Row[] => [
  [seconds, 1, bidTicks, 5, 1, update, 0],
  [seconds, -1, askTicks, 5, 1, update, 0],
];

describe('recorded depth', () => {
  test('rows of one time are one change, in whatever chunks', () => {
    expect(told([bid(0, 100, 1), bid(0, 99, 1), bid(0, 98, 1), ask(0, 102, 1), bid(1, 101, 2)])).toEqual([
      { seconds: 0, snapshot: false, top: '1@100 1@102' },
      { seconds: 1, snapshot: false, top: '2@101 1@102' },
    ]);
  });

  test('before the first snapshot there is no book', () => {
    expect(told([bid(0, 100, 1, 1), ...snapshot(1, 5, 90, 110), bid(2, 91, 1, 6, 5)])).toEqual([
      { seconds: 1, snapshot: true, top: '5@90 5@110' },
      { seconds: 2, snapshot: false, top: '1@91 5@110' },
    ]);
  });

  test('a snapshot is delivered with the pending changes that are not older', () => {
    expect(told([bid(0, 95, 1, 4, 3), bid(1, 96, 1, 5, 4), ask(2, 109, 1, 6, 5), ...snapshot(3, 5, 90, 110)])).toEqual([
      { seconds: 3, snapshot: true, top: '1@96 1@109' },
    ]);
  });

  test('changes that are older than the snapshot are passed over', () => {
    expect(told([...snapshot(0, 5, 90, 110), bid(1, 95, 1, 4, 3), bid(2, 94, 1, 6, 5)])).toEqual([
      { seconds: 0, snapshot: true, top: '5@90 5@110' },
      { seconds: 2, snapshot: false, top: '1@94 5@110' },
    ]);
  });

  test('while no change is lost, a late snapshot adds nothing', () => {
    expect(told([...snapshot(0, 5, 90, 110), bid(1, 95, 1, 6, 5), bid(2, 96, 1, 7, 6), ...snapshot(3, 6, 95, 110)])).toHaveLength(3);
  });

  test('after a lost change a snapshot makes the book whole, with the changes since that are not older than it', () => {
    const rows = [...snapshot(0, 5, 90, 110), bid(1, 95, 1, 9, 8), bid(2, 96, 1, 10, 9), ...snapshot(3, 9, 93, 110)];
    expect(told(rows).at(-1)).toEqual({ seconds: 3, snapshot: true, top: '1@96 5@110' });
  });

  test('without any snapshot the book follows from the changes', () => {
    expect(told([bid(0, 100, 1), ask(0, 102, 1)])).toEqual([{ seconds: 0, snapshot: false, top: '1@100 1@102' }]);
  });

  test('changes before the start build the book of the first change at or after it', () => {
    const rows = [...snapshot(0, 5, 90, 110), bid(1, 95, 1, 6, 5), ask(2, 105, 1, 7, 6), bid(3, 95, 0, 8, 7)];
    expect(told(rows, at(2))).toEqual([
      { seconds: 2, snapshot: true, top: '1@95 1@105' },
      { seconds: 3, snapshot: false, top: '5@90 1@105' },
    ]);
    expect(told(rows, at(2), at(3))).toHaveLength(1);
    expect(told(rows, at(9))).toEqual([]);
  });
});
