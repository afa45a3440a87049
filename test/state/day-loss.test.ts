import { expect, test } from '@jest/globals';
import { DayLoss } from '../../src/state/drawdown.ts';

const DAY = 86_400_000;

/** Equity at times; a day is begun by the first event after its midnight, as the state does it. */
function followed(points: readonly (readonly [time: number, equity: number])[]): { day: DayLoss; deepest: number[] } {
  const day = new DayLoss();
  const deepest: number[] = [];
  day.onDeeper = () => deepest.push(day.current);
  for (const [time, equity] of points) {
    day.advance(time);
    day.observe(time, equity);
  }
  return { day, deepest };
}

test('the fall is measured from the first equity of the day, not from its peak', () => {
  const { day } = followed([
    [1, 1000],
    [2, 1100],
    [3, 950],
  ]);
  expect([day.start, day.current]).toEqual([1000, 0.05]);
});

test('a day begins with the equity at midnight, and midnight itself ends the previous day', () => {
  const { day } = followed([
    [1, 1000],
    [DAY, 900],
    [DAY + 1, 810],
  ]);
  expect([day.start, day.current, day.dayEnd]).toEqual([900, 0.1, 2 * DAY]);
});

test('a loss during a time without events counts in the day of the next event', () => {
  const { day } = followed([
    [1, 1000],
    [5 * DAY + 1, 700],
  ]);
  expect([day.current, day.dayEnd]).toEqual([0.3, 6 * DAY]);
});

test.each([0, -100])('a fall from a first equity of %d has no share, and is above every limit', (start) => {
  expect(
    followed([
      [1, start],
      [2, start - 1],
    ]).deepest,
  ).toEqual([0, Number.POSITIVE_INFINITY]);
});

test('it reports only new lows, and none above the start of the day', () => {
  expect(
    followed([
      [1, 1000],
      [2, 990],
      [3, 995],
      [4, 990],
      [5, 980],
      [DAY + 1, 985],
      [DAY + 2, 970],
    ]).deepest,
  ).toEqual([0, 0.01, 0.02, 10 / 980]);
});

test('after a restart the present equity is where it is measured from', () => {
  const { day } = followed([
    [1, 1000],
    [2, 900],
  ]);
  day.restart();
  expect(day.current).toBe(0);
  day.observe(3, 810);
  expect(day.current).toBe(0.1);
});
