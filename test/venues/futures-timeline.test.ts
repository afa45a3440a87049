import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { ConstantFundingSource } from '../../src/venues/simulated/sources.ts';
import { MINUTE_MS, type Row } from '../builders.ts';
import { at, BTC, ETH, PERP, type Replay, replay, type SourceSpec } from './replay.ts';

const flat = (...seconds: number[]): Row[] => seconds.map((second) => [second, 100, 100, 100, 100, 1]);
const bars = (of: typeof BTC, ...seconds: number[]): SourceSpec => ({ kind: 'bar', of, rows: flat(...seconds), intervalMs: MINUTE_MS });
const marks = (of: typeof BTC, ...seconds: number[]): SourceSpec => ({ kind: 'mark', of, rows: seconds.map((second) => [second, 101]) });
const funding = (of: typeof BTC, ...seconds: number[]): SourceSpec => ({ kind: 'funding', of, rows: seconds.map((second) => [second, 1]) });
const quotes = (...seconds: number[]): SourceSpec => ({ kind: 'quote', rows: seconds.map((second) => [second, 99, 101]) });

/** Matching finds that a position may lack margin when this reaches it. */
function lackMargin(run: Replay, ...texts: string[]): void {
  run.onReached((text) => {
    if (texts.includes(text)) run.matching.marginDue = true;
  });
}

describe('at one time', () => {
  test('data and marks, actions of strategies, arrivals, timers, funding, liquidation, and opens last', () => {
    const run = replay([bars(BTC, 0, 60), marks(BTC, 60), funding(BTC, 60)]);
    run.clock.schedule(at(60), () => run.note('timer'));
    run.clock.venue.add(at(60), () => run.note('arrival'));
    lackMargin(run, '60 btc mark');
    expect(run.run().log.slice(2, 16)).toEqual([
      '60 btc bar matched',
      '60 btc mark matched',
      '60 sees btc bar + btc mark',
      '60 arrival',
      'settled',
      '60 timer',
      'settled',
      '60 btc funding matched',
      '60 sees btc funding',
      '60 liquidates',
      'settled',
      '60 btc opens',
      'settled',
      '120 btc bar matched',
    ]);
  });

  test('the order is the same over two contracts, and their funding is charged whole before it is seen', () => {
    const run = replay([bars(BTC, 0, 60), bars(ETH, 0, 60), marks(BTC, 60), marks(ETH, 60), funding(BTC, 60), funding(ETH, 60)]);
    lackMargin(run, '60 eth funding', '60 eth opens');
    expect(run.run().log.filter((line) => line.startsWith('60 ') || line === 'settled')).toEqual([
      'settled', // The opens at 0.
      '60 btc bar matched',
      '60 eth bar matched',
      '60 btc mark matched',
      '60 eth mark matched',
      '60 sees btc bar + eth bar + btc mark + eth mark',
      '60 btc funding matched',
      '60 eth funding matched',
      '60 sees btc funding + eth funding',
      '60 liquidates',
      'settled',
      '60 btc opens',
      '60 eth opens',
      'settled',
      '60 liquidates',
      'settled',
      'settled', // After the end.
    ]);
  });

  test('timers that strategies set for this time on funding come before liquidation and opens', () => {
    const run = replay([bars(BTC, 0, 60), funding(BTC, 60)]);
    run.onItem((item) => {
      if (item.kind !== 'funding') return;
      run.clock.schedule(at(60), () => run.note('timer'));
      run.matching.marginDue = true;
    });
    expect(run.run().log.slice(4, 11)).toEqual([
      '60 btc funding matched',
      '60 sees btc funding',
      '60 timer',
      'settled',
      '60 liquidates',
      'settled',
      '60 btc opens',
    ]);
  });

  test('marks are ordered among the data by nanoseconds, then as declared', () => {
    const nanos = (first: number, second: number) =>
      replay([
        { ...quotes(0), nanos: [first] },
        { ...marks(BTC, 0), nanos: [second] },
      ])
        .run()
        .events.map(({ kind }) => kind);
    expect(nanos(100, 100)).toEqual(['quote', 'mark']);
    expect(nanos(100, 99)).toEqual(['mark', 'quote']);
  });

  test('sequences rise in the order of matching', () => {
    const { events } = replay([bars(BTC, 0, 60), marks(BTC, 60), funding(BTC, 60)]).run();
    // open 1; close 2, mark 3, funding 4 at 60 s; open 5; close 6.
    expect(events.map(({ kind, sequence }) => `${kind} ${sequence}`)).toEqual(['bar 2', 'mark 3', 'funding 4', 'bar 6']);
  });
});

describe('liquidation', () => {
  test('follows each single event', () => {
    const run = replay([quotes(0, 10, 20)]);
    lackMargin(run, '10 btc quote');
    expect(run.run().log.slice(2, 7)).toEqual([
      '10 btc quote matched',
      '10 sees btc quote',
      '10 liquidates',
      'settled',
      '20 btc quote matched',
    ]);
  });

  test('follows a mark between prices, an arrival, a timer, and an open', () => {
    const run = replay([quotes(0, 50, 150), marks(BTC, 10), bars(ETH, 60)]);
    lackMargin(run, '10 btc mark', '60 eth opens');
    for (const second of [20, 30]) {
      const due = () => {
        run.note('due');
        run.matching.marginDue = true;
      };
      if (second === 20) run.clock.venue.add(at(second), due);
      else run.clock.schedule(at(second), due);
    }
    expect(run.run().log.filter((line) => line.endsWith('liquidates') || line.endsWith('due') || line.endsWith('opens'))).toEqual([
      '10 liquidates',
      '20 due',
      '20 liquidates',
      '30 due',
      '30 liquidates',
      '60 eth opens',
      '60 liquidates',
    ]);
  });

  test('waits for the timers that strategies set for this very time', () => {
    const run = replay([quotes(0, 10, 20)]);
    run.onItem((item) => {
      if (item.kind !== 'quote' || item.time !== at(10)) return;
      run.clock.schedule(at(10), () => run.note('timer'));
      run.matching.marginDue = true;
    });
    expect(run.run().log.slice(3, 8)).toEqual(['10 sees btc quote', '10 timer', 'settled', '10 liquidates', 'settled']);
  });

  test('is not called if no position may lack margin', () => {
    const { log } = replay([bars(BTC, 0, 60), marks(BTC, 60), funding(BTC, 60)]).run();
    expect(log.filter((line) => line.endsWith('liquidates'))).toEqual([]);
  });
});

describe('the stamp of funding', () => {
  test.each([
    ['some milliseconds late', 60.016, 60],
    ['some milliseconds early', 59.99, 60],
    ['one second late', 61, 60],
    ['one second early', 59, 60],
    ['more than a second late, which is no jitter', 61.001, 61.001],
    ['more than a second early', 58.999, 58.999],
    ['inside the minute', 90, 90],
  ])('%s: %d s counts as %d s', (_title, stamp, due) => {
    const { events } = replay([quotes(0, 200), funding(BTC, stamp)]).run();
    expect(events.map(({ kind, time }) => `${kind} ${(time - at(0)) / 1000}`)).toEqual(['quote 0', `funding ${due}`, 'quote 200']);
  });

  test('that is late does not come after the bar that opens at its minute', () => {
    const { log } = replay([bars(BTC, 0, 60), funding(BTC, 60.005)]).run();
    expect(log.indexOf('60 btc funding matched')).toBeGreaterThan(log.indexOf('60 sees btc bar'));
    expect(log.indexOf('60 btc funding matched')).toBeLessThan(log.indexOf('60 btc opens'));
  });

  test('counts for `from` and `to` as its minute', () => {
    const minutes = bars(BTC, 0, 60, 120, 180, 240);
    const due = (from: number, to: number) =>
      replay([minutes, funding(BTC, 59.998, 120.003, 179.998, 240.004)], { from: at(from), to: at(to) })
        .run()
        .events.filter(({ kind }) => kind === 'funding')
        .map(({ time }) => (time - at(0)) / 1000);
    expect(due(0, 300)).toEqual([60, 120, 180, 240]);
    expect(due(60, 180)).toEqual([60, 120]);
    expect(due(120, 240.001)).toEqual([120, 180, 240]);
  });

  test('keeps the order of stamps, two of one minute included', () => {
    const { events, log } = replay([quotes(0, 300), funding(BTC, 59.5, 60.5, 120)]).run();
    expect(events.filter(({ kind }) => kind === 'funding').map(({ time }) => (time - at(0)) / 1000)).toEqual([60, 60, 120]);
    expect(log).toContain('60 sees btc funding + btc funding');
  });
});

test('marks and rates keep their decimals, whatever the tick', () => {
  const { events } = replay([
    quotes(0, 100),
    { kind: 'mark', rows: [[10, 9_424_051_430_435]], priceDecimals: 8 },
    {
      kind: 'funding',
      rows: [
        [20, 757],
        [60, -612],
      ],
      priceDecimals: 8,
    },
  ]).run();
  const [, mark, first, second] = events;
  expect(mark?.kind === 'mark' && [mark.exactPrice.toFixed(), mark.price]).toEqual(['94240.51430435', 94240.51430435]);
  expect(first?.kind === 'funding' && [first.exactRate.toFixed(), first.rate]).toEqual(['0.00000757', 7.57e-6]);
  expect(second?.kind === 'funding' && second.exactRate.toFixed()).toBe('-0.00000612');
});

describe('marks and funding go along with prices', () => {
  test('from the first price on', () => {
    const run = replay([bars(BTC, 120), marks(BTC, 0, 60, 120, 180), funding(BTC, 0, 60, 120)]);
    expect(run.timeline.startTime).toBe(at(120));
    run.run();
    expect(run.log.slice(0, 5)).toEqual([
      '120 btc mark matched',
      '120 sees btc mark',
      '120 btc funding matched',
      '120 sees btc funding',
      '120 btc opens',
    ]);
    expect(run.timeline.firstTime).toBe(at(120));
  });

  test('to the time of the last price, that time included', () => {
    const { log, timeline } = replay([bars(BTC, 0), quotes(0, 30), marks(BTC, 0, 60, 120), funding(BTC, 60, 180)]).run();
    expect(log.slice(-8)).toEqual([
      '60 btc mark matched',
      '60 sees btc bar + btc mark',
      '60 btc funding matched',
      '60 sees btc funding',
      'useLastPrice',
      'ending',
      '60 expireAll',
      'settled',
    ]);
    expect(timeline.lastTime).toBe(at(60));
  });

  test('without prices there is no run', () => {
    const { log, timeline } = replay([marks(BTC, 0), funding(BTC, 0)]).run();
    expect(timeline.startTime).toBe(Number.POSITIVE_INFINITY);
    expect(log.slice(0, 2)).toEqual(['useLastPrice', 'ending']);
  });
});

describe('constant funding', () => {
  const HOUR = 3_600_000;
  const EIGHT = { rate: new Decimal('0.0001'), everyMs: 8 * HOUR };
  const whole = (from: number, to: number) => new ConstantFundingSource(PERP, EIGHT, from, to);
  /** Hours after the tests' start, which is midnight, at which funding is due in a run with a price each half hour. */
  const hoursOf = (source: ConstantFundingSource, firstHour: number, hours: number) => {
    const seconds = Array.from({ length: hours * 2 + 1 }, (_, half) => (firstHour + half / 2) * 3_600);
    const { events } = replay([quotes(...seconds)], { more: [source] }).run();
    return events.flatMap((event) => (event.kind === 'funding' ? [(event.time - at(0)) / HOUR] : []));
  };
  const EVER = Number.POSITIVE_INFINITY;

  test.each([
    ['is due at 00:00, 08:00 and 16:00 UTC', whole(-EVER, EVER), 0, 24, [0, 8, 16, 24]],
    ['begins at the first such time of the prices', whole(-EVER, EVER), 1, 20, [8, 16]],
    ['begins at `from`, included', whole(at(8 * 3_600), EVER), 0, 24, [8, 16, 24]],
    ['ends before `to`', whole(-EVER, at(16 * 3_600)), 0, 24, [0, 8]],
    ['is not due where no such time lies between', whole(at(1), at(8 * 3_600)), 0, 24, []],
  ])('%s', (_title, source, firstHour, hours, due) => {
    expect(hoursOf(source, firstHour, hours)).toEqual(due);
  });

  test('has its rate, its contract and the sequence of the run', () => {
    const { events } = replay([quotes(0, 1)], { more: [whole(-EVER, EVER)] }).run();
    expect(events[1]).toMatchObject({ kind: 'funding', symbol: 'PERP-USDT-PERP', time: at(0), sequence: 2, rate: 0.0001 });
  });
});
