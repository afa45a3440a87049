import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DelayQueue, type Latency, Overload } from '../../../src/venues/simulated/latency.ts';
import { SimulatedClock } from '../../../src/venues/simulated/simulated-clock.ts';

/** What sets out, and when it arrives: `[sent at, takes]` to `[index, arrived at]`. */
function arrivals(trips: readonly (readonly [sentAt: number, takes: number])[], atOnce = true): (readonly [number, number])[] {
  const clock = new SimulatedClock();
  const found: (readonly [number, number])[] = [];
  let takes = 0;
  const queue = new DelayQueue(clock, () => takes, atOnce);
  const runUntil = (time: number) => {
    while (clock.venue.nextTime <= time) {
      clock.advanceTo(clock.venue.nextTime);
      clock.venue.runNext();
    }
    clock.advanceTo(time);
  };
  for (const [index, [sentAt, ms]] of trips.entries()) {
    runUntil(sentAt);
    takes = ms;
    queue.send(() => found.push([index, clock.now()]));
  }
  runUntil(1_000_000);
  return found;
}

describe('on one leg', () => {
  test.each([
    [
      'what takes less comes with what it would overtake',
      [
        [0, 10],
        [2, 3],
        [20, 1],
      ],
      [
        [0, 10],
        [1, 10],
        [2, 21],
      ],
    ],
    [
      'what takes no time waits for what is under way',
      [
        [0, 5],
        [1, 0],
      ],
      [
        [0, 5],
        [1, 5],
      ],
    ],
    ['what takes no time arrives as it sets out', [[7, 0]], [[0, 7]]],
  ] as [string, [number, number][], [number, number][]][])('%s', (_, trips, expected) => {
    expect(arrivals(trips)).toEqual(expected);
  });

  test('no message overtakes another or is early, whatever their delays', () => {
    const trip = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(fc.array(trip, { maxLength: 30 }), fc.boolean(), (given, atOnce) => {
        const trips = given.sort(([a], [b]) => a - b);
        const found = arrivals(trips, atOnce);
        expect(found.map(([index]) => index)).toEqual(trips.map((_, index) => index));
        for (const [index, time] of found) expect(time).toBeGreaterThanOrEqual(trips[index]![0] + trips[index]![1]);
      }),
    );
  });
});

describe('an exchange that is overloaded', () => {
  const latency = (more: Partial<Latency>): Latency => ({ entryMs: 0, cancelMs: 0, responseMs: 0, ...more });

  test('takes so many orders within a second, and refuses those beyond, which do not count', () => {
    const overload = new Overload(latency({ overload: { ordersPerSecond: 2 } }));
    const at = (now: number) => overload.refusal(now, false);
    const refused = { code: 'overloaded', by: 'rate', orders: '3', windowMs: '1000' };
    expect([at(0), at(300), at(600)]).toEqual([undefined, undefined, refused]);
    // At 1000 the order of 0 is a second old, and no more within the second.
    expect([at(999.9), at(1000), at(1200), at(1300)]).toEqual([refused, undefined, refused, undefined]);
  });

  test('refuses a share of all orders, by chance, the same ones for the same seed', () => {
    const refusals = (seed: number) => {
      const overload = new Overload(latency({ overload: { probability: 0.25 }, seed }));
      return Array.from({ length: 10_000 }, (_, index) => overload.refusal(index * 10_000, false)?.code === 'overloaded');
    };
    const some = refusals(3);
    // A standard deviation is the root of 0.25 x 0.75 / 10 000, 0.0043.
    expect(Math.abs(some.filter(Boolean).length / 10_000 - 0.25)).toBeLessThan(0.015);
    expect(refusals(3)).toEqual(some);
    expect(refusals(4)).not.toEqual(some);
  });

  test('1 refuses all, 0 none', () => {
    const all = new Overload(latency({ overload: { probability: 1 } }));
    const none = new Overload(latency({ overload: { probability: 0 } }));
    expect(all.refusal(0, false)).toEqual({ code: 'overloaded', by: 'chance', orders: '1', windowMs: '1000' });
    expect(none.refusal(0, false)).toBeUndefined();
  });
});
