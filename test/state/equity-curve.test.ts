import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { EquityCurve } from '../../src/state/drawdown.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

const at = (equity: number) => ({ equity: new Decimal(equity), drawdown: equity / 1000, exposure: 0, netExposure: 0 });

/** Feeds equities as the reducer does: what stood before an event is written when time has passed a mark. */
function curve(everyMs: number, events: readonly (readonly [number, number])[]): EquityCurve {
  const result = new EquityCurve(everyMs);
  let standing = 0;
  for (const [time, equity] of events) {
    if (time > result.nextTime) result.advance(time, () => at(standing));
    standing = equity;
  }
  result.finish(events.at(-1)?.[0] ?? 0, () => at(standing));
  return result;
}

const plain = ({ samples }: EquityCurve) => samples.map(({ time, equity }) => [time, equity.toNumber()]);
const days = (result: EquityCurve) => result.days.map(({ time, equity }) => [time / DAY, equity.toNumber()]);

test('a sample at T holds everything up to and including T', () => {
  expect(
    plain(
      curve(10, [
        [5, 1],
        [10, 2],
        [10, 3],
        [11, 4],
        [19, 5],
        [20, 6],
        [25, 7],
      ]),
    ),
  ).toEqual([
    [10, 3],
    [20, 6],
    [25, 7],
  ]);
});

test('moments without events repeat what stands', () => {
  expect(
    plain(
      curve(10, [
        [0, 1],
        [35, 2],
      ]),
    ),
  ).toEqual([
    [0, 1],
    [10, 1],
    [20, 1],
    [30, 1],
    [35, 2],
  ]);
});

test('an end that falls on a sample is written once', () => {
  expect(
    plain(
      curve(10, [
        [5, 1],
        [20, 2],
      ]),
    ),
  ).toEqual([
    [10, 1],
    [20, 2],
  ]);
});

test('a sample carries the drawdown of its moment', () => {
  expect(
    curve(10, [
      [5, 100],
      [12, 200],
    ]).samples[0]!.drawdown,
  ).toBe(0.1);
});

test('a day is (midnight, midnight]: what happens at midnight belongs to the day before', () => {
  expect(
    days(
      curve(HOUR, [
        [DAY / 2, 1],
        [DAY, 2],
        [DAY + 1, 3],
        [2 * DAY - 1, 4],
        [2 * DAY, 5],
      ]),
    ),
  ).toEqual([
    [1, 2],
    [2, 5],
  ]);
});

test('days without market data have no entry', () => {
  expect(
    days(
      curve(DAY, [
        [DAY / 2, 1],
        [5 * DAY + 1, 2],
        [5 * DAY + 2, 3],
      ]),
    ),
  ).toEqual([
    [1, 1],
    [6, 3],
  ]);
});

test('a run without events has no curve', () => {
  const empty = new EquityCurve(10);
  empty.finish(0, () => at(1));
  expect([empty.samples, empty.days]).toEqual([[], []]);
});
