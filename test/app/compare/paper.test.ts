import { expect, test } from '@jest/globals';
import { readRuns } from '../../../src/app/compare/run-compare.ts';
import { compareRuns } from '../../../src/statistics/comparison/compare-runs.ts';
import type { ComparedTrade, Comparison } from '../../../src/statistics/comparison/comparison.ts';
import { runPaper } from '../../parity/paper-run.ts';
import { randomContracts } from '../../parity/random-contracts.ts';
import { foreignOrder, randomPlan } from '../../parity/random-recording.ts';
import { decimal } from '../../statistics/comparison/builders.ts';
import { writtenRun } from './written-run.ts';

// A bot on paper, over HTTP, beside the backtest of the same recording, from what each has left on disk.

function sumOf({ causes }: Comparison): string {
  return causes.reduce((sum, { amount }) => sum.plus(amount), decimal(0)).toFixed();
}

/** Epoch ms of the last fill of either run: one order can fill in parts before the end of the data and after it. */
function lastFillOf({ a, b }: ComparedTrade): number {
  return Math.max(...[a, b].flatMap((order) => order?.fills ?? []).map(({ time }) => time));
}

const NO_TOLERANCE = { windowMs: 60_000, toleranceMs: 0 };
const PLAN = randomPlan(8);
/** What an exchange shows of an order may lag by so much: a bot that ends with its data misses what a backtest still settles. */
const LAG_MS = 5_000;

test('a backtest of the same decisions does not differ from paper, in either order', async () => {
  const [folder, { journal }] = [await writtenRun(PLAN), await runPaper(PLAN)];
  for (const [a, b] of [readRuns(folder, journal, undefined), readRuns(journal, folder, undefined)]) {
    const comparison = compareRuns(a, b, NO_TOLERANCE);
    expect([comparison.currency, comparison.difference.toFixed(), comparison.causes]).toEqual(['USDT', '0', []]);
    expect(comparison.trades.length).toBeGreaterThan(5);
  }
});

test("the same for contracts, except for events after the bot's end", async () => {
  const [folder, { journal }] = [await writtenRun(randomContracts(1)), await runPaper(randomContracts(1))];
  const [a, b] = readRuns(folder, journal, undefined);
  const comparison = compareRuns(a, b, NO_TOLERANCE);
  const end = Math.max(...[...a.coverage.values()].map(({ last }) => last));
  const whole = comparison.trades.filter((trade) => lastFillOf(trade) < end - LAG_MS);
  expect(whole.flatMap(({ parts }) => parts)).toEqual([]);
  expect(whole.length).toBeGreaterThan(30);
  expect(sumOf(comparison)).toBe(comparison.difference.toFixed());
});

test('the effects of other exchange rules and of foreign trades are attributed exactly', async () => {
  const { fills } = PLAN;
  const change = { fills: { ...fills, halfSpreadTicks: fills.halfSpreadTicks + 1 } };
  const [folder, { journal }] = [await writtenRun(PLAN), await runPaper(PLAN, { foreign: foreignOrder(PLAN), change })];
  const comparison = compareRuns(...readRuns(folder, journal, undefined), NO_TOLERANCE);
  expect(comparison.difference.isZero()).toBe(false);
  expect(sumOf(comparison)).toBe(comparison.difference.toFixed());
  expect(comparison.causes.map(({ cause }) => cause)).toEqual(expect.arrayContaining(['price', 'refused']));
});
