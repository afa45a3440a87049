import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DepthBook, type DepthChange, DepthSequence } from '../../src/model/depth-book.ts';

const PRICES = 6;

/** Changes of one level each; some are lost, and of some the book comes as a snapshot: ahead of time, at once or late. */
const market = fc.array(
  fc.record({
    ticks: fc.integer({ min: 1, max: PRICES }),
    steps: fc.integer({ min: 0, max: 9 }),
    lost: fc.integer({ min: 0, max: 5 }).map((die) => die === 0),
    snapshot: fc.option(fc.record({ delay: fc.integer({ min: -3, max: 6 }), within: fc.integer({ min: 0, max: 9 }) }), { freq: 3 }),
  }),
  { minLength: 5, maxLength: 40 },
);
type Change = typeof market extends fc.Arbitrary<(infer T)[]> ? T : never;

interface Arrival {
  /** Which change of the market it is or is the book after, from 1. */
  readonly index: number;
  readonly change: DepthChange;
}

/** Steps at each price once the first `count` changes have happened. */
function stepsAfter(changes: readonly Change[], count: number): number[] {
  const steps = Array.from({ length: PRICES }, () => 0);
  for (const change of changes.slice(0, count)) steps[change.ticks - 1] = change.steps;
  return steps;
}

/** What a recorder gets, in its order. The change of index 3 has the number 30; a snapshot may lie between two changes. */
function arrivalsOf(changes: readonly Change[]): Arrival[] {
  const asks = { ticks: [], steps: [] };
  const placed = changes.flatMap(({ ticks, steps, lost, snapshot }, at) => {
    const index = at + 1;
    const update = index * 10;
    const change = { snapshot: false, update, previous: update - 10, bids: { ticks: [ticks], steps: [steps] }, asks };
    const arrivals = lost ? [] : [{ place: index, index, change }];
    if (snapshot === null) return arrivals;
    const bids = { ticks: [1, 2, 3, 4, 5, 6], steps: stepsAfter(changes, index) };
    const book = { snapshot: true, update: update + snapshot.within, previous: 0, bids, asks };
    return [...arrivals, { place: index + snapshot.delay + 0.5, index, change: book }];
  });
  return placed.sort((a, b) => a.place - b.place);
}

test('wherever a snapshot is newer than the last loss, the book is that of the market', () => {
  fc.assert(
    fc.property(market, (changes) => {
      const sequence = new DepthSequence(true);
      const book = new DepthBook();
      let newest = 0;
      let newestSnapshot = 0;
      for (const { index, change } of arrivalsOf(changes)) {
        const next = sequence.next(change);
        if (next !== undefined) book.apply(next);
        newest = Math.max(newest, index);
        if (change.snapshot) newestSnapshot = Math.max(newestSnapshot, index);
        const lastLost = changes.slice(0, newest).findLastIndex(({ lost }) => lost) + 1;
        if (newestSnapshot === 0 || newestSnapshot < lastLost) continue;
        const steps = Array.from({ length: PRICES }, (_, at) => book.bids.stepsAt(at + 1));
        expect(steps).toEqual(stepsAfter(changes, newest));
      }
    }),
    { numRuns: 500 },
  );
});
