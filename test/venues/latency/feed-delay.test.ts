import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Delay } from '../../../src/venues/simulated/latency.ts';
import { type Row, secondsOf } from '../../builders.ts';
import { at, BTC, ETH, PERP, replay } from '../replay.ts';

const END = ['useLastPrice', 'ending', '13 expireAll', 'settled'];

describe('with a feed leg of 3 s', () => {
  const latency = { feedMs: 3000 };

  test('matching has an event at its time, strategies receive it 3 s later', () => {
    const { log, events } = replay(
      [
        {
          kind: 'quote',
          rows: [
            [0, 99, 101],
            [10, 98, 100],
          ],
        },
      ],
      { latency },
    ).run();
    expect(log).toEqual(['0 btc quote matched', '3 sees btc quote', '10 btc quote matched', '13 sees btc quote', ...END]);
    // The event bears the exchange's time, whenever it is heard.
    expect(events.map(({ time }) => secondsOf(time))).toEqual([0, 10]);
  });

  test('data continues to reach matching while earlier data is on its way', () => {
    const rows: Row[] = [0, 1, 2, 3, 4].map((second) => [second, 100 + second]);
    const { log } = replay([{ kind: 'ticker', rows }], { latency }).run();
    expect(log.slice(0, 8)).toEqual([
      '0 btc ticker matched',
      '1 btc ticker matched',
      '2 btc ticker matched',
      '3 btc ticker matched',
      '3 sees btc ticker',
      '4 btc ticker matched',
      '4 sees btc ticker',
      '5 sees btc ticker',
    ]);
  });

  test('events of one time are delivered together, marks too', () => {
    const { log } = replay(
      [
        { kind: 'quote', of: PERP, rows: [[0, 99, 101]] },
        { kind: 'ticker', of: ETH, rows: [[0, 7]] },
        { kind: 'mark', of: PERP, rows: [[0, 100]] },
      ],
      { latency },
    ).run();
    expect(log.filter((line) => line.includes('sees'))).toEqual(['3 sees perp quote + eth ticker + perp mark']);
  });

  test('the order at one time: data reaches matching, earlier data is delivered, then arrivals, then timers', () => {
    const run = replay(
      [
        {
          kind: 'quote',
          rows: [
            [0, 99, 101],
            [3, 98, 100],
          ],
        },
      ],
      { latency },
    );
    run.clock.schedule(at(3), () => run.note('timer'));
    run.clock.venue.add(at(3), () => run.note('arrival'));
    expect(run.run().log.slice(0, 7)).toEqual([
      '0 btc quote matched',
      '3 btc quote matched',
      '3 sees btc quote',
      '3 arrival',
      'settled',
      '3 timer',
      'settled',
    ]);
  });

  test('funding is charged at its time and delivered later', () => {
    const { log } = replay(
      [
        {
          kind: 'quote',
          of: PERP,
          rows: [
            [0, 99, 101],
            [70, 99, 101],
          ],
        },
        { kind: 'funding', of: PERP, rows: [[60, 1]] },
      ],
      { latency },
    ).run();
    expect(log.filter((line) => line.includes('funding'))).toEqual(['60 perp funding matched', '63 sees perp funding']);
  });

  test('bars open only for matching, and are delivered after their close', () => {
    const { log } = replay(
      [
        {
          kind: 'bar',
          rows: [
            [0, 9, 9, 9, 9, 1],
            [60, 9, 9, 9, 9, 1],
          ],
        },
      ],
      { latency },
    ).run();
    expect(log.slice(0, 8)).toEqual([
      '0 btc opens',
      'settled',
      '60 btc bar matched',
      '60 btc opens',
      'settled',
      '63 sees btc bar',
      '120 btc bar matched',
      '123 sees btc bar',
    ]);
  });

  test('data on its way at the end is delivered, and answered, before the end is reported', () => {
    const run = replay([{ kind: 'ticker', rows: [[0, 5]] }], { latency });
    run.clock.venue.add(at(2), () => run.note('arrival'));
    run.clock.schedule(at(2.5), () => run.note('timer'));
    run.clock.schedule(at(4), () => run.note('timer after the end'));
    expect(run.run().log).toEqual([
      '0 btc ticker matched',
      '2 arrival',
      'settled',
      '2.5 timer',
      'settled',
      '3 sees btc ticker',
      'useLastPrice',
      'ending',
      '3 expireAll',
      'settled',
    ]);
  });

  test('positions that lack margin are liquidated at the time of the event, not at its delivery', () => {
    const run = replay([{ kind: 'quote', of: PERP, rows: [[0, 99, 101]] }], { latency });
    run.onReached(() => {
      run.matching.marginDue = true;
    });
    expect(run.run().log.slice(0, 4)).toEqual(['0 perp quote matched', '0 liquidates', 'settled', '3 sees perp quote']);
  });
});

const anyDelay = fc.oneof(
  fc.integer({ min: 1, max: 20_000 }),
  fc.record({ uniform: fc.constant([0, 20_000]) }),
  fc.record({ normal: fc.constant({ mean: 1000, deviation: 4000 }) }),
  fc.record({ exponential: fc.constant({ least: 0, mean: 3000 }) }),
);
const anyRows = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 40 }).map((times): Row[] => {
  return times.sort((a, b) => a - b).map((second, index) => [second, index + 1]);
});

test('with any delays: everything is delivered, once, in order, never early, and the clock never goes back', () => {
  fc.assert(
    fc.property(anyDelay, anyRows, anyRows, fc.integer({ min: 0, max: 99 }), (feedMs: Delay, some, others, seed) => {
      const run = replay(
        [
          { kind: 'ticker', of: BTC, rows: some },
          { kind: 'ticker', of: ETH, rows: others },
        ],
        { latency: { feedMs, seed } },
      );
      const heard: number[] = [];
      run.onItem((item) => {
        const seen = item.kind === 'together' ? item.events : item.kind === 'ticker' ? [item] : [];
        for (const { time } of seen) {
          expect(run.clock.now()).toBeGreaterThanOrEqual(time);
          if (typeof feedMs === 'number') expect(run.clock.now()).toBe(time + feedMs);
          heard.push(run.clock.now());
        }
      });
      const { events } = run.run();
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
      expect(events).toHaveLength(some.length + others.length);
      expect([...heard].sort((a, b) => a - b)).toEqual(heard);
    }),
    { numRuns: 150 },
  );
});
