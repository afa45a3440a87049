import { describe, expect, test } from '@jest/globals';
import type { Row } from '../builders.ts';
import { at, ETH, type ReplayOptions, replay, type SourceSpec } from './replay.ts';

/** Quotes at these seconds. */
const quotes = (...seconds: number[]): SourceSpec => ({
  kind: 'quote',
  rows: seconds.map((second): Row => [second, 100 + second, 102 + second]),
});
/** The same of another instrument. */
const others = (...seconds: number[]): SourceSpec => ({ ...quotes(...seconds), of: ETH });
const runs = (specs: readonly SourceSpec[], options: ReplayOptions = {}) => replay(specs, { ...options, runs: true });
const END = ['useLastPrice', 'ending', 'expireAll', 'settled'];
const lines = (log: readonly string[]) =>
  log.map((line) => line.replace(/^\S+ (?=useLastPrice|ending|expireAll|settled)/, '')).filter((line) => !END.includes(line));

describe('quotes that no order meets', () => {
  test('are delivered in runs, each an instant of its own, and none is passed to matching', () => {
    const { log, events, timeline } = runs([quotes(0, 1, 2, 3, 4)]).run();
    expect(lines(log)).toEqual([
      'run',
      '0 sees btc quote',
      '1 sees btc quote',
      // What comes after the last row of a chunk is known once the next is read.
      '2 btc quote matched',
      '2 sees btc quote',
      'run',
      '3 sees btc quote',
      '4 btc quote matched',
      '4 sees btc quote',
    ]);
    expect(events.map((event) => event.kind === 'quote' && [event.sequence, event.time, event.bidTicks, event.askTicks])).toEqual(
      [0, 1, 2, 3, 4].map((second) => [second + 1, at(second), 100 + second, 102 + second]),
    );
    expect([timeline.marketEvents, timeline.firstTime, timeline.lastTime]).toEqual([5, at(0), at(4)]);
  });

  test('are delivered one by one if matching needs them', () => {
    const { log } = replay([quotes(0, 1)]).run();
    expect(lines(log)).toEqual(['0 btc quote matched', '0 sees btc quote', '1 btc quote matched', '1 sees btc quote']);
  });
});

describe('a run ends', () => {
  test('before quotes of one time, which strategies see together', () => {
    const { log } = runs([quotes(0, 1, 1)]).run();
    expect(lines(log)).toEqual(['run', '0 sees btc quote', '1 btc quote matched', '1 btc quote matched', '1 sees btc quote + btc quote']);
  });

  test('and is none for a single quote before an event of another series', () => {
    const { log } = runs([quotes(0, 2), { kind: 'trade', rows: [[1, 100]] }]).run();
    expect(lines(log).slice(0, 3)).toEqual(['0 btc quote matched', '0 sees btc quote', '1 btc trade matched']);
  });

  test('before an event of another series', () => {
    const { log } = runs([quotes(0, 1, 4), { kind: 'trade', rows: [[3, 100]] }]).run();
    expect(lines(log).slice(0, 5)).toEqual(['run', '0 sees btc quote', '1 sees btc quote', '3 btc trade matched', '3 sees btc trade']);
  });

  test('before a timer, and before one that is set in a turn of it', () => {
    const one = runs([quotes(0, 2, 9)]);
    one.clock.schedule(at(1), () => one.note('first timer'));
    one.onItem((item) => {
      if (item.kind === 'quote' && item.time === at(2)) one.clock.schedule(at(3), () => one.note('second timer'));
    });
    expect(lines(one.run().log)).toEqual([
      'run',
      '0 sees btc quote',
      '1 first timer',
      'run',
      '2 sees btc quote',
      '3 second timer',
      '9 btc quote matched',
      '9 sees btc quote',
    ]);
  });

  test('before the end of the period, which it leaves out', () => {
    const { events } = runs([quotes(0, 1, 2)], { to: at(1) }).run();
    expect(events.map(({ time }) => time)).toEqual([at(0)]);
  });

  test('if the monitor wants to look, after the present quote', () => {
    const wanted = new Int32Array(1);
    const one = runs([quotes(0, 1, 2)], { monitor: { wanted, look: () => false } });
    one.onItem((item) => {
      if (item.kind === 'quote') wanted[0] = 1;
    });
    expect(one.run().events).toHaveLength(1);
    expect(one.timeline.interrupted).toBe(true);
  });

  test.each([
    ['one instrument', [quotes]],
    ['two', [quotes, others]],
  ])('of %s with occasional looks of the monitor', (_, series) => {
    const seconds = Array.from({ length: 600 / series.length }, (__, index) => index);
    const specs = series.map((of, at) => ({ ...of(...seconds.map((second) => second + at / 2)), chunkRows: 1_000 }));
    const looks: number[] = [];
    runs(specs, { monitor: { look: (events) => looks.push(events) > 0 } }).run();
    expect(looks).toEqual([256, 512, 600]);
  });

  test('where margin may lack, which is looked at before the next quote', () => {
    const one = runs([quotes(0, 1, 2)]);
    one.onItem((item) => {
      if (item.kind !== 'quote' || item.time !== at(0)) return;
      one.matching.marginDue = true;
      one.stopRun();
    });
    expect(lines(one.run().log).slice(0, 4)).toEqual(['run', '0 sees btc quote', 'newest 0 btc', '0 liquidates']);
  });

  test('with an error of a turn, and its quotes are counted', () => {
    const one = runs([quotes(0, 1, 2)]);
    one.onItem((item) => {
      if (item.kind === 'quote' && item.time === at(1)) throw new Error('no');
    });
    expect(() => one.run()).toThrow('no');
    expect([one.timeline.marketEvents, one.timeline.lastTime]).toEqual([2, at(1)]);
  });
});

describe('quotes of two instruments', () => {
  test('are one merged run, in order of time, each with the next sequence', () => {
    const { log, events, timeline } = runs([quotes(0, 2, 3, 9), others(1, 4, 5, 8)]).run();
    expect(lines(log).slice(0, 7)).toEqual([
      'mergedRun',
      '0 sees btc quote',
      '1 sees eth quote',
      '2 sees btc quote',
      // What comes after the last row of a chunk is known once the next is read.
      '3 btc quote matched',
      '3 sees btc quote',
      'run',
    ]);
    expect(events.map((event) => event.kind === 'quote' && [event.symbol, event.sequence, event.time, event.bidTicks])).toEqual(
      [0, 1, 2, 3, 4, 5, 8, 9].map((second, index) => [
        [1, 4, 5, 8].includes(second) ? 'ETH-USDT' : 'BTC-USDT',
        index + 1,
        at(second),
        100 + second,
      ]),
    );
    expect([timeline.marketEvents, timeline.firstTime, timeline.lastTime]).toEqual([8, at(0), at(9)]);
  });

  test('of one time are delivered together', () => {
    const { log } = runs([quotes(0, 2, 5), others(1, 2, 6)], {}).run();
    expect(lines(log).slice(0, 6)).toEqual([
      'mergedRun',
      '0 sees btc quote',
      '1 sees eth quote',
      '2 btc quote matched',
      '2 eth quote matched',
      '2 sees btc quote + eth quote',
    ]);
  });

  test('of one time of the same instrument are delivered together', () => {
    const { log } = runs([quotes(0, 2, 2, 5), others(1, 4, 6)]).run();
    expect(lines(log).slice(0, 6)).toEqual([
      'mergedRun',
      '0 sees btc quote',
      '1 sees eth quote',
      '2 btc quote matched',
      '2 btc quote matched',
      '2 sees btc quote + btc quote',
    ]);
  });

  test('end before an event of a third series', () => {
    const { log } = runs([quotes(0, 2, 5), others(1, 4, 6), { kind: 'trade', rows: [[3, 100]] }]).run();
    expect(lines(log).slice(0, 6)).toEqual([
      'mergedRun',
      '0 sees btc quote',
      '1 sees eth quote',
      '2 sees btc quote',
      '3 btc trade matched',
      '3 sees btc trade',
    ]);
  });

  test('are no merged run if a single one comes before that', () => {
    const { log } = runs([quotes(0, 2, 5), others(1, 4, 6), { kind: 'trade', rows: [[0.5, 100]] }]).run();
    expect(lines(log).slice(0, 3)).toEqual(['0 btc quote matched', '0 sees btc quote', '0.5 btc trade matched']);
  });

  test('end before a timer that is set in a turn of them', () => {
    const one = runs([quotes(0, 3, 5), others(1, 4, 6)]);
    one.onItem((item) => {
      if (item.kind === 'quote' && item.time === at(1)) one.clock.schedule(at(2), () => one.note('timer'));
    });
    expect(lines(one.run().log).slice(0, 6)).toEqual([
      'mergedRun',
      '0 sees btc quote',
      '1 sees eth quote',
      '2 timer',
      'mergedRun',
      '3 sees btc quote',
    ]);
  });

  test('end before the end of the period, which they leave out', () => {
    const { events } = runs([quotes(0, 2, 3), others(1, 4, 6)], { to: at(2) }).run();
    expect(events.map(({ time }) => time)).toEqual([at(0), at(1)]);
  });

  test('end with an error of a turn, and are counted', () => {
    const one = runs([quotes(0, 2, 5), others(1, 4, 6)]);
    one.onItem((item) => {
      if (item.kind === 'quote' && item.time === at(1)) throw new Error('no');
    });
    expect(() => one.run()).toThrow('no');
    expect([one.timeline.marketEvents, one.timeline.lastTime]).toEqual([2, at(1)]);
  });

  test('of an instrument with orders are delivered one by one, and the other still runs', () => {
    const { log } = runs([quotes(0, 1, 5), others(3, 6)], { follows: (of) => of !== ETH }).run();
    expect(lines(log).slice(0, 5)).toEqual(['run', '0 sees btc quote', '1 sees btc quote', '3 eth quote matched', '3 sees eth quote']);
  });

  test('leave the newest of each to an order that arrives', () => {
    const one = runs([quotes(0, 2, 3, 9), others(1, 4, 9)]);
    one.onItem((item) => {
      if (item.kind === 'quote' && item.time === at(2)) one.stopRun();
    });
    expect(lines(one.run().log).slice(0, 5)).toEqual([
      'mergedRun',
      '0 sees btc quote',
      '1 sees eth quote',
      '2 sees btc quote',
      'newest 2 btc, 1 eth',
    ]);
  });
});
