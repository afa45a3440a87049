import { expect, test } from '@jest/globals';
import { DayZone } from '../../src/model/day-zone.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { EquityCurve } from '../../src/state/equity-curve.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Passes equities as the reducer does: the curve is written before an event, when time has passed a mark. */
function curve(everyMs: number, events: readonly (readonly [number, number])[], zone = 'UTC'): EquityCurve {
  let equity = 0;
  const sampledFigures = () => {
    return {
      cash: new Decimal(1),
      equity: new Decimal(equity),
      peak: 1000,
      drawdown: equity / 1000,
      exposure: 0,
      netExposure: 0,
      unprotected: 0,
    };
  };
  const result = new EquityCurve(everyMs, new DayZone(zone), { sampledFigures, takeActivity: () => equity > 2 });
  for (const [time, next] of events) {
    if (time > result.nextTime) result.advance(time, true);
    equity = next;
    if (!result.started) result.start(time);
  }
  result.finish(events.at(-1)?.[0] ?? 0);
  return result;
}

const plain = ({ samples }: EquityCurve) => samples.map(({ time, equity }) => [time, equity.toNumber()]);
const days = (result: EquityCurve) => result.days.map(({ time, equity }) => [time / DAY, equity.toNumber()]);

test('the first sample is the start, and a sample at T includes everything up to and including T', () => {
  const events = [
    [5, 1],
    [10, 2],
    [10, 3],
    [11, 4],
    [19, 5],
    [20, 6],
    [25, 7],
  ] as const;
  expect(plain(curve(10, events))).toEqual([
    [5, 1],
    [10, 3],
    [20, 6],
    [25, 7],
  ]);
});

test('times without events repeat the last value', () => {
  const events = [
    [0, 1],
    [35, 2],
  ] as const;
  expect(plain(curve(10, events))).toEqual([
    [0, 1],
    [10, 1],
    [20, 1],
    [30, 1],
    [35, 2],
  ]);
});

test('an end at the time of a sample is written once', () => {
  const events = [
    [5, 1],
    [20, 2],
  ] as const;
  expect(plain(curve(10, events))).toEqual([
    [5, 1],
    [10, 1],
    [20, 2],
  ]);
});

test('a sample has the drawdown of its time', () => {
  const events = [
    [5, 100],
    [12, 200],
  ] as const;
  expect(curve(10, events).samples.map(({ drawdown }) => drawdown)).toEqual([0.1, 0.1, 0.2]);
});

test('a day is (midnight, midnight]: an event at midnight belongs to the day before', () => {
  const events = [
    [DAY / 2, 1],
    [DAY, 2],
    [DAY + 1, 3],
    [2 * DAY - 1, 4],
    [2 * DAY, 5],
  ] as const;
  expect(days(curve(HOUR, events))).toEqual([
    [1, 2],
    [2, 5],
  ]);
});

test('a start at midnight is no day of its own', () => {
  const events = [
    [DAY, 1],
    [DAY + HOUR, 2],
    [2 * DAY, 3],
    [3 * DAY, 4],
  ] as const;
  expect(days(curve(HOUR, events))).toEqual([
    [2, 3],
    [3, 4],
  ]);
});

test('nor are several events at the midnight of the start, of several symbols', () => {
  const events = [
    [DAY, 1],
    [DAY, 2],
    [DAY + HOUR, 3],
    [2 * DAY, 4],
  ] as const;
  expect(days(curve(HOUR, events))).toEqual([[2, 4]]);
});

test('a run of one event has no day, unless the event changed its equity', () => {
  expect(days(curve(HOUR, [[DAY, 1]]))).toEqual([]);
  const same = [
    [DAY, 1],
    [DAY, 3],
  ] as const;
  expect(days(curve(HOUR, same))).toEqual([[1, 3]]);
});

test('days without market data have no entry', () => {
  const events = [
    [DAY / 2, 1],
    [5 * DAY + 1, 2],
    [5 * DAY + 2, 3],
  ] as const;
  expect(days(curve(DAY, events))).toEqual([
    [1, 1],
    [6, 3],
  ]);
});

test('an event of the account begins no day', () => {
  let equity = 1;
  const sampledFigures = () => ({
    cash: new Decimal(0),
    equity: new Decimal(equity),
    peak: 1,
    drawdown: 0,
    exposure: 0,
    netExposure: 0,
    unprotected: 0,
  });
  const result = new EquityCurve(DAY, new DayZone(), { sampledFigures, takeActivity: () => false });
  result.start(DAY / 2);
  // A fill at the open of a bar after a weekend, and the close of that bar.
  result.advance(4 * DAY, false);
  equity = 2;
  result.advance(5 * DAY, true);
  equity = 3;
  result.finish(5 * DAY);
  expect(days(result)).toEqual([
    [1, 1],
    [5, 3],
  ]);
});

test('a fill after the last market event, at midnight, belongs to the day that ended', () => {
  let equity = 1;
  const sampledFigures = () => ({
    cash: new Decimal(0),
    equity: new Decimal(equity),
    peak: 1,
    drawdown: 0,
    exposure: 0,
    netExposure: 0,
    unprotected: 0,
  });
  const result = new EquityCurve(DAY, new DayZone(), { sampledFigures, takeActivity: () => true });
  result.start(DAY / 2);
  result.advance(DAY, true);
  equity = 2;
  result.advance(DAY + 400, false);
  equity = 3;
  result.finish(DAY);
  expect(days(result)).toEqual([[1, 3]]);
});

test('a day without activity is idle', () => {
  const events = [
    [1, 1],
    [DAY, 2],
    [DAY + 1, 3],
  ] as const;
  expect(curve(DAY, events).days.map(({ idle }) => idle)).toEqual([true, false]);
});

test('days end at midnight of the zone, also on days with 23 and 25 hours', () => {
  const zone = new DayZone('America/New_York');
  const end = (time: string) => new Date(zone.endOf(Date.parse(time))).toISOString();
  expect(end('2025-03-09T04:59:00Z')).toBe('2025-03-09T05:00:00.000Z');
  expect(end('2025-03-09T05:00:00Z')).toBe('2025-03-09T05:00:00.000Z');
  expect(end('2025-03-09T05:00:00.001Z')).toBe('2025-03-10T04:00:00.000Z');
  expect(end('2025-11-02T04:00:00.001Z')).toBe('2025-11-03T05:00:00.000Z');
  // Clocks in Chile go forward at midnight: the day begins at 01:00.
  expect(new DayZone('America/Santiago').endOf(Date.parse('2025-09-06T12:00:00Z'))).toBe(Date.parse('2025-09-07T04:00:00Z'));
});

test('a run without events has no curve', () => {
  const empty = curve(10, []);
  expect([empty.samples, empty.days]).toEqual([[], []]);
});
