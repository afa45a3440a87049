import { describe, expect, test } from '@jest/globals';
import type { Row } from '../builders.ts';
import { at, BTC, ETH, replay, type SourceSpec } from './replay.ts';

const END = ['useLastPrice', 'ending'];
const QUOTES: readonly Row[] = [
  [0, 99, 101],
  [10, 98, 100],
];
const TRADES: readonly Row[] = [
  [0, 100],
  [10, 99],
];
const bars = (of: typeof BTC, rows: readonly Row[], intervalMs = 60_000): SourceSpec => ({ kind: 'bar', of, rows, intervalMs });
const flat = (...seconds: number[]): Row[] => seconds.map((second) => [second, 100, 100, 100, 100, 1]);

describe('at one time', () => {
  test('all data reaches matching before strategies see any of it, and they see it together', () => {
    const { log } = replay([
      { kind: 'quote', rows: QUOTES.slice(0, 1) },
      { kind: 'trade', rows: TRADES.slice(0, 1) },
      { kind: 'ticker', of: ETH, rows: [[0, 7]] },
    ]).run();
    expect(log.slice(0, 4)).toEqual([
      '0 btc quote matched',
      '0 btc trade matched',
      '0 eth ticker matched',
      '0 sees btc quote + btc trade + eth ticker',
    ]);
  });

  test('data of one time has the declared order of its sources', () => {
    const specs: SourceSpec[] = [
      { kind: 'trade', rows: TRADES.slice(0, 1) },
      { kind: 'quote', rows: QUOTES.slice(0, 1) },
    ];
    expect(
      replay(specs)
        .run()
        .events.map(({ kind }) => kind),
    ).toEqual(['trade', 'quote']);
    expect(
      replay(specs.reverse())
        .run()
        .events.map(({ kind }) => kind),
    ).toEqual(['quote', 'trade']);
  });

  test('nanoseconds go before the declared order', () => {
    const { events } = replay([
      { kind: 'quote', rows: QUOTES.slice(0, 1), nanos: [900] },
      { kind: 'trade', rows: TRADES.slice(0, 1), nanos: [100] },
    ]).run();
    expect(events.map(({ kind }) => kind)).toEqual(['trade', 'quote']);
  });

  test('rows of one series with one time keep their order, across the chunks of the file', () => {
    const rows: Row[] = [1, 2, 3, 4, 5, 6, 7].map((price) => [5, price]);
    const { events, log } = replay([{ kind: 'ticker', rows }]).run();
    expect(events.map((event) => event.kind === 'ticker' && event.lastTicks)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(log.filter((line) => line.includes('sees'))).toHaveLength(1);
  });

  test('rows of one time interleave with another series by nanoseconds', () => {
    const { events } = replay([
      {
        kind: 'quote',
        rows: [
          [0, 1, 2],
          [0, 3, 4],
        ],
        nanos: [100, 300],
      },
      {
        kind: 'trade',
        rows: [
          [0, 9],
          [0, 9],
        ],
        nanos: [200, 400],
      },
    ]).run();
    expect(events.map(({ kind }) => kind)).toEqual(['quote', 'trade', 'quote', 'trade']);
  });

  test('arrivals come after the data, one by one, each settled before the next', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    run.clock.venue.add(at(10), () => run.note('first arrives'));
    run.clock.venue.add(at(10), () => run.note('second arrives'));
    expect(run.run().log.slice(2)).toEqual([
      '10 btc quote matched',
      '10 sees btc quote',
      '10 first arrives',
      'settled',
      '10 second arrives',
      'settled',
      ...END,
      '10 expireAll',
      'settled',
    ]);
  });

  test('timers come after arrivals, though they were set earlier', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    run.clock.schedule(at(10), () => run.note('timer'));
    run.clock.venue.add(at(10), () => run.note('arrival'));
    const { log } = run.run();
    expect(log.indexOf('10 arrival')).toBeLessThan(log.indexOf('10 timer'));
  });

  test('a timer that a timer sets for this very time fires at it too', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    run.clock.schedule(at(10), () => run.clock.schedule(at(10), () => run.note('again')));
    expect(run.run().log).toContain('10 again');
  });

  test('bars open last: after the bars that close, the arrivals and the timers', () => {
    const run = replay([bars(BTC, flat(0, 60))]);
    run.clock.schedule(at(60), () => run.note('timer'));
    run.clock.venue.add(at(60), () => run.note('arrival'));
    expect(run.run().log.slice(2, 10)).toEqual([
      '60 btc bar matched',
      '60 sees btc bar',
      '60 arrival',
      'settled',
      '60 timer',
      'settled',
      '60 btc opens',
      'settled',
    ]);
  });

  test('bars of two symbols all close, and are seen together, before any opens', () => {
    const { log } = replay([bars(BTC, flat(0, 60)), bars(ETH, flat(0, 60))]).run();
    expect(log.slice(3, 8)).toEqual([
      '60 btc bar matched',
      '60 eth bar matched',
      '60 sees btc bar + eth bar',
      '60 btc opens',
      '60 eth opens',
    ]);
  });

  test('bars of different intervals meet at the ends of the longer one', () => {
    const { log } = replay([bars(BTC, flat(0, 60, 120, 180), 60_000), bars(ETH, flat(0, 120), 120_000)]).run();
    expect(log.filter((line) => /^(60|120) /.test(line))).toEqual([
      '60 btc bar matched',
      '60 sees btc bar',
      '60 btc opens',
      '120 btc bar matched',
      '120 eth bar matched',
      '120 sees btc bar + eth bar',
      '120 btc opens',
      '120 eth opens',
    ]);
  });
});

describe('over time', () => {
  test('timers and arrivals between data are instants of their own, on the clock too', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    run.clock.schedule(at(4), () => run.note('timer'));
    run.clock.venue.add(at(3), () => run.note('arrival'));
    expect(run.run().log.slice(2, 7)).toEqual(['3 arrival', 'settled', '4 timer', 'settled', '10 btc quote matched']);
  });

  test('a timer that strategies set for the past fires at once, at the present time', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    run.onItem((item) => {
      if (item.kind === 'quote' && item.time === at(0)) run.clock.schedule(at(-100), () => run.note('late'));
    });
    expect(run.run().log.slice(1, 4)).toEqual(['0 sees btc quote', '0 late', 'settled']);
  });

  test('a canceled timer does not fire', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    const cancel = run.clock.schedule(at(5), () => run.note('timer'));
    cancel();
    expect(run.run().log).not.toContain('5 timer');
  });

  test('sequences rise with the data, opens included', () => {
    const { events } = replay([bars(BTC, flat(0, 60)), { kind: 'ticker', of: ETH, rows: [[60, 7]] }]).run();
    // open 1; close 2 and ticker 3 at 60 s; open 4; close 5.
    expect(events.map(({ sequence }) => sequence)).toEqual([2, 3, 5]);
  });

  test('the end: market orders use the last price, strategies stop, messages arrive, and only then open orders expire', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    run.clock.venue.add(at(12), () => run.note('arrival'));
    run.clock.schedule(at(11), () => run.note('timer'));
    run.onItem((item) => {
      if (item.kind === 'ending') run.clock.venue.add(at(15), () => run.note('last order'));
    });
    expect(run.run().log.slice(4)).toEqual([
      'useLastPrice',
      'ending',
      '12 arrival',
      'settled',
      '15 last order',
      'settled',
      '15 expireAll',
      'settled',
    ]);
  });

  test('events of the end of the run are answered before open orders expire', () => {
    const run = replay([{ kind: 'quote', rows: QUOTES }]);
    const { log } = run.run();
    expect(log.indexOf('ending')).toBeLessThan(log.findIndex((line) => line.endsWith('expireAll')));
  });

  test('a monitor that returns false stops the replay, which then ends normally', () => {
    const rows: Row[] = Array.from({ length: 10_000 }, (_, index) => [index, 1]);
    const looks: number[] = [];
    const monitor = { look: (events: number) => looks.push(events) < 1 };
    const { timeline, log } = replay([{ kind: 'ticker', rows }], { monitor }).run();
    expect(timeline.interrupted).toBe(true);
    expect(timeline.marketEvents).toBeLessThan(10_000);
    expect(log.slice(-4).map((line) => line.replace(/^\d+ /, ''))).toEqual(['useLastPrice', 'ending', 'expireAll', 'settled']);
  });

  test('a monitor that another thread activates stops after the present event', () => {
    const rows: Row[] = Array.from({ length: 200 }, (_, index) => [index, 1]);
    const wanted = new Int32Array(new SharedArrayBuffer(4));
    const one = replay([{ kind: 'ticker', rows }], { monitor: { wanted, look: () => false } });
    one.onItem((item) => {
      if (item.kind === 'ticker' && item.time === at(7)) wanted[0] = 1;
    });
    one.run();
    expect(one.timeline).toMatchObject({ interrupted: true, marketEvents: 8 });
    expect(one.log.at(-2)).toBe('7 expireAll');
  });

  test('and while timers fire between two events', () => {
    const wanted = new Int32Array(new SharedArrayBuffer(4));
    const rows: Row[] = [
      [0, 1],
      [1, 1],
    ];
    const one = replay([{ kind: 'ticker', rows }], { monitor: { wanted, look: () => false } });
    let fired = 0;
    const fire = () => {
      if (++fired === 5) wanted[0] = 1;
      one.clock.schedule(one.clock.now() + 1, fire);
    };
    one.clock.schedule(at(0) + 1, fire);
    one.run();
    expect(fired).toBe(5);
    expect(one.timeline).toMatchObject({ interrupted: true, marketEvents: 1 });
  });

  test('without data nothing happens but the end', () => {
    const { log, timeline } = replay([{ kind: 'ticker', rows: [] }]).run();
    expect(timeline.startTime).toBe(Number.POSITIVE_INFINITY);
    expect(log.slice(0, 2)).toEqual(END);
  });
});
