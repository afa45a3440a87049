import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { shiftedPlan } from '../../../src/app/bias/decisions-of-plan.ts';
import type { PlannedRun } from '../../../src/app/planning/plan-backtest.ts';
import type { TidegateError } from '../../../src/model/errors.ts';
import { DAY, HOUR, hours, PERP, planned, T0 } from './workbench.ts';

const QUIET = { futures: { marks: 'last', funding: 'none' } };
const needs = (bars: string, history: number) => `static needs = { bars: '${bars}', history: ${history} }; onBar() {}`;
/** Hours of two days from 00:00 on, but those left out, in which one unit is traded an hour. */
const without = (...out: readonly number[]) => hours(2).filter((_, hour) => !out.includes(hour));
const hour = (time: number) => (time - T0) / HOUR;

function plan(times: readonly number[], members: string, backtest: object = {}, kind: 'bar' | 'trade' | 'ticker' = 'bar') {
  return planned([{ symbol: PERP, kind, times }], { backtest: { ...QUIET, ...backtest } }, members);
}

function history({ plan }: PlannedRun, intervalMs?: number): number[] {
  return plan.history('s', PERP, intervalMs).map(({ time }) => hour(time));
}

/** The bars of an interval that the strategy is told of: when they end, and what was traded in them. */
async function told(run: Pick<PlannedRun, 'plan'>, intervalMs: number): Promise<[number, number][]> {
  const bars: [number, number][] = [];
  const { failure } = await simulateRun(run.plan, {
    observe: (engine) =>
      engine.watch((event) => {
        if (event.kind === 'bar' && event.intervalMs === intervalMs) bars.push([hour(event.time), event.volume]);
      }),
  });
  expect(failure).toBeUndefined();
  return bars;
}

test.each([
  ['inside a bar: that one is not whole', without(0), 12, [8, 12]],
  ['with a bar', without(), 8, [4, 8]],
  ['and lacks a bar', without(4, 5, 6, 7), 12, [4, 12]],
  ['and lacks the last of the shorter bars', without(3, 7), 8, [4, 8]],
])('without `from` a run begins where its history is whole: the recording begins %s', async (_, times, from, bars) => {
  const run = await plan(times, needs('4h', 2));
  expect([hour(run.plan.from), history(run)]).toEqual([from, bars]);
  expect((await told(run, 4 * HOUR))[0]).toEqual([from + 4, 4]);
});

test('history whose recording ends inside a bar does not have that bar', async () => {
  const recorded = [
    { symbol: PERP, kind: 'bar', times: hours(1).slice(0, 10) },
    { symbol: PERP, kind: 'ticker', times: hours(2) },
  ] as const;
  const run = await planned(recorded, { backtest: { ...QUIET, use: 'ticker', from: '2025-01-01T20:00:00Z' } }, needs('4h', 2));
  expect(history(run)).toEqual([4, 8]);
});

test.each(['bar', 'trade'] as const)('a bar under way at the start is built whole from recorded %ss', async (kind) => {
  const run = await plan(hours(2), needs('4h', 0), { use: kind, profile: 'full', from: '2025-01-01T10:00:00Z' }, kind);
  const later = { plan: shiftedPlan(run.plan, 28 * DAY) };
  expect((await told(run, 4 * HOUR)).slice(0, 2)).toEqual([
    [12, 4],
    [16, 4],
  ]);
  expect((await told(later, 4 * HOUR))[0]).toEqual([12 + 28 * 24, 4]);
});

test('a bar under way at the start is built whole from recorded tickers', async () => {
  const run = await plan(hours(2), needs('4h', 0), { use: 'ticker', from: '2025-01-01T10:30:00Z' }, 'ticker');
  const [before] = run.plan.bars.before!;
  expect(before).toMatchObject({ firstTime: T0, begun: [{ openTime: T0 + 8 * HOUR, openTicks: 1000, closeTicks: 1000, volume: 0 }] });
  expect((await told(run, 4 * HOUR))[0]).toEqual([12, 0]);
});

test.each(['bar', 'trade'] as const)('a bar in which the recorded %ss begin is not delivered', async (kind) => {
  const run = await plan(without(0, 1), needs('4h', 0), { use: kind, profile: 'full', from: '2025-01-01T03:00:00Z' }, kind);
  expect((await told(run, 4 * HOUR))[0]).toEqual([8, 4]);
});

test('a poller has nothing from before its start', async () => {
  const settings = { observation: 'polled', pollMs: 60_000, from: '2025-01-01T10:00:00Z' };
  const run = await plan(hours(2), needs('4h', 0), settings, 'ticker');
  // The price never changes: there is one ticker, in the bar under way.
  expect(await told(run, 4 * HOUR)).toEqual([]);
});

test('a `from` inside a recorded bar leaves no hole between history and run', async () => {
  const from = '2025-01-01T10:30:00Z';
  const run = await plan(hours(2), needs('1h', 2), { from });
  expect([hour(run.plan.from), history(run)]).toEqual([11, [10, 11]]);
  expect((await told(run, HOUR))[0]).toEqual([12, 1]);
  expect(hour((await plan(hours(2), needs('1h', 0), { from })).plan.from)).toBe(10.5);
});

const FEW = `strategy "s" needs 13 bars of 4h of ${PERP} before the start; the recordings have`;
const RANGE = 'the recording has 2025-01-01T00:00:00Z to 2025-01-02T23:00:00Z';
test.each([
  ['too few bars', 13, {}, `${FEW} 12 complete ones (record more, or set backtest.warmup to cold)`],
  [
    'too few before `to`',
    13,
    { to: '2025-01-01T06:00:00Z' },
    `${FEW} 1 complete one until backtest.to (record more, or set backtest.warmup to cold)`,
  ],
  [
    'nothing but history',
    12,
    {},
    `no bars of ${PERP} between 2025-01-03T00:00:00Z (the first time with enough history for the strategies) and the end of the recording: ${RANGE}`,
  ],
  [
    'nothing whole after it before `to`',
    2,
    { to: '2025-01-01T08:30:00Z' },
    `no bars of ${PERP} between 2025-01-01T08:00:00Z (the first time with enough history for the strategies) and backtest.to: ${RANGE}`,
  ],
  ['nothing from `from` on', 0, { from: '2025-01-03' }, `no bars of ${PERP} between backtest.from and the end of the recording: ${RANGE}`],
  ['nothing before `to`', 0, { to: '2025-01-01' }, `no bars of ${PERP} before backtest.to: ${RANGE}`],
  ['nothing in between', 0, { from: '2025-01-03', to: '2025-01-04' }, `no bars of ${PERP} between backtest.from and backtest.to: ${RANGE}`],
])('names the requested and the recorded period: %s', async (_, count, backtest, message) => {
  const refused = await plan(hours(2), needs('4h', count), backtest).catch((error: TidegateError) => `${error.code} ${error.message}`);
  const [first] = String(refused).split('\n');
  expect(first?.replace(/ \S+c\.yaml:\d+:\d+: backtest\.(from|to):/, '')).toBe(`DATA_NOT_FOUND ${message}`);
});
