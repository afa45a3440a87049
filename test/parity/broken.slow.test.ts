import { expect, test } from '@jest/globals';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import type { ExchangeOptions } from '../../src/local-exchange/options.ts';
import type { PollSettings } from '../../src/venues/simulated/polled/polled-half.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { randomContracts } from './random-contracts.ts';
import { foreignOrder, randomPlan } from './random-recording.ts';
import { firstDifference, type Trace } from './trace.ts';

// One rule broken on either side must show, or the comparison proves nothing.

/** Partial fills, and refusals inside batches. */
const SEED = 8;
const PLAN = randomPlan(SEED);
const FOREIGN = foreignOrder(PLAN);
const { fills } = PLAN;

const EXCHANGE: readonly (readonly [rule: string, change: Partial<ExchangeOptions>])[] = [
  ['the limit rule', { fills: { ...fills, limit: { penetrateTicks: 50 } } }],
  ['the spread', { fills: { ...fills, halfSpreadTicks: fills.halfSpreadTicks + 1 } }],
  ['the size of a ticker', { fills: { ...fills, tickerQuantity: '0.0121' } }],
  ['what is refused in a batch', { behaviour: { batchLimit: 1 } }],
];

test.each(EXCHANGE)('%s of the exchange, broken, shows', async (_, change) => {
  const { trace } = await runPaper(PLAN, { foreign: FOREIGN, change });
  expect(firstDifference(await runBacktest(PLAN, FOREIGN), trace)).toMatch(/differ at \d+:\n/);
});

const POLLER: readonly (readonly [rule: string, change: Partial<PollSettings>])[] = [
  ['the period', { pollMs: 2_000 }],
  ['how often fills are read', { detectMs: 1_500 }],
  ['the pause between look-ups', { lookupMinMs: 251 }],
  ['when absence is proof', { visibilityLagMs: 1_000 }],
];

let paper: Trace | undefined;

test.each(POLLER)('%s of the simulated poller, broken, shows', async (_, change) => {
  paper ??= (await runPaper(PLAN, { foreign: FOREIGN })).trace;
  const broken: BacktestPlan = { ...PLAN, polled: { ...PLAN.polled!, ...change } };
  expect(firstDifference(await runBacktest(broken, FOREIGN), paper)).toMatch(/differ at \d+:\n/);
});

test('a strategy that sees every event trades otherwise than one that polls', async () => {
  const seeing: BacktestPlan = { ...PLAN, polled: undefined };
  expect(firstDifference(await runBacktest(seeing), (await runPaper(PLAN)).trace)).toMatch(/differ at \d+:\n/);
});

/** Stops beside take profits, and several orders behind one difference. */
const CONTRACTS = randomContracts(1);

test.each<readonly [rule: string, change: Partial<PollSettings>]>([
  ['how often fills are read', { detectMs: 1_500 }],
  ['the pause between look-ups', { lookupMinMs: 300 }],
])('%s about contracts, broken, shows', async (_, change) => {
  contracts ??= (await runPaper(CONTRACTS)).trace;
  const broken: BacktestPlan = { ...CONTRACTS, polled: { ...CONTRACTS.polled!, ...change } };
  expect(firstDifference(await runBacktest(broken), contracts)).toMatch(/differ at \d+:\n/);
});

let contracts: Trace | undefined;

test('an exchange that lists contract orders that are over is seen as one that does not', async () => {
  const { trace } = await runPaper(CONTRACTS, { change: { lists: { keepTerminalOrders: true } } });
  expect(firstDifference(await runBacktest(CONTRACTS), trace)).toBeUndefined();
});
