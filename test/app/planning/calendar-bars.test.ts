import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { shiftedPlan, shiftOf } from '../../../src/app/bias/decisions-of-plan.ts';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { planBot } from '../../../src/app/live/plan-bot.ts';
import type { PlannedRun } from '../../../src/app/planning/plan-backtest.ts';
import { SILENT } from '../../../src/app/planning/run-plans.ts';
import type { Bar } from '../../../src/model/market-events.ts';
import { DAY, hours, PERP, planned, written } from './workbench.ts';

const QUIET = { futures: { marks: 'last', funding: 'none' } };
/** Hours from 2024-12-20, a Friday, until before 2025-02-18. One unit is traded in each. */
const HOURS = hours(60, Date.UTC(2024, 11, 20));
const needs = (bars: string, history: number) => `static needs = { bars: ${bars}, weekStart: 'monday', history: ${history} }; onBar() {}`;

function plan(members: string, backtest: object = {}) {
  return planned([{ symbol: PERP, kind: 'bar', times: HOURS }], { backtest: { ...QUIET, ...backtest } }, members);
}

const iso = (time: number) => new Date(time).toISOString().replace('T00:00:00.000Z', '');
const plain = ({ interval, openTime, time, volume }: Bar) => `${interval} ${iso(openTime)} to ${iso(time)}: ${volume} h`;

/** The weeks and months that the strategy receives. */
async function received(run: Pick<PlannedRun, 'plan'>): Promise<string[]> {
  const bars: string[] = [];
  const observe: NonNullable<Parameters<typeof simulateRun>[1]>['observe'] = (engine) =>
    engine.watch((event) => void (event.kind === 'bar' && typeof event.intervalKey === 'string' && bars.push(plain(event))));
  expect((await simulateRun(run.plan, { observe })).failure).toBeUndefined();
  return bars;
}

test('without `from` a run begins where the history of whole weeks and months is complete', async () => {
  const run = await plan(needs("['1M', '1w']", 1));
  expect(iso(run.plan.from)).toBe('2025-02-01');
  expect(run.plan.history('s', PERP, undefined).map(plain)).toEqual(['1M 2025-01-01 to 2025-02-01: 744 h']);
  expect(run.plan.history('s', PERP, '1w from Monday').map(plain)).toEqual(['1w 2025-01-20 to 2025-01-27: 168 h']);
  // The week that is open at the start has all its hours.
  expect(await received(run)).toEqual([
    '1w 2025-01-27 to 2025-02-03: 168 h',
    '1w 2025-02-03 to 2025-02-10: 168 h',
    '1w 2025-02-10 to 2025-02-17: 168 h',
  ]);
  await expect(plan(needs("'1M'", 2))).rejects.toThrow(
    `strategy "s" needs 2 bars of 1M of ${PERP} before the start; the recordings have 1 complete one`,
  );
});

test('a month that is open at `from` is built whole, and a bias check moves it so that months stay the same', async () => {
  const run = await plan(needs("'1M'", 0), { from: '2025-01-15T12:00:00Z' });
  expect(await received(run)).toEqual(['1M 2025-01-01 to 2025-02-01: 744 h']);
  const ms = shiftOf(run.plan, 28 * DAY);
  expect(iso(run.plan.from + ms)).toBe('2081-01-15T12:00:00.000Z');
  expect(await received({ plan: shiftedPlan(run.plan, ms) })).toEqual(['1M 2081-01-01 to 2081-02-01: 744 h']);
  const weeks = await plan(needs("'1w'", 0));
  expect(shiftOf(weeks.plan, 28 * DAY)).toBe(28 * DAY);
  expect((await received(weeks))[0]).toBe('1w 2024-12-23 to 2024-12-30: 168 h');
});

test('a bot without candles warns at its start that it delivers no month whose beginning it has not seen', async () => {
  const recorded = [{ symbol: PERP, kind: 'bar', times: HOURS }] as const;
  const bot = async (candles: boolean) => {
    const paper = { prices: { recording: 'r' }, candles };
    const path = await written(
      recorded,
      { paper, backtest: QUIET, instruments: { [PERP]: { tickSize: '0.1', stepSize: '0.001', takerFee: '0.0006' } } } as object,
      needs("['1h', '1M', '1w']", 0),
    );
    return planBot(loadConfig(path), 'paper', SILENT, { start: Date.UTC(2025, 1, 18), speed: 1 });
  };
  const { warnings, warmUp } = await bot(false);
  expect(warnings).toEqual([
    'bars of 1M and 1w from Monday are delivered only if the bot has seen their beginning (paper.candles: true reads it from the exchange)',
  ]);
  expect(warmUp).toBeUndefined();
  const asking = await bot(true);
  expect(asking.warnings).toEqual([]);
  expect(asking.warmUp).toBeDefined();
});
