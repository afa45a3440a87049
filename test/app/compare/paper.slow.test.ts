import { expect, test } from '@jest/globals';
import { readRuns } from '../../../src/app/compare/run-compare.ts';
import type { Bot } from '../../../src/app/live/bot/bot.ts';
import { compareRuns } from '../../../src/statistics/comparison/compare-runs.ts';
import type { ComparedTrade, Comparison } from '../../../src/statistics/comparison/comparison.ts';
import { place, setTimer } from '../../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../../src/strategy/strategy.ts';
import { T0 } from '../../builders.ts';
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

const SYMBOL = 'BTC-USDT';

/** Buys 5 s after its start, sells 10 s later, buys 10 s later, and so on. */
class Trips extends Strategy {
  #isBuying = false;

  override onStart(): Intents {
    return setTimer({ name: 'turn', at: this.now + 5_000, everyMs: 10_000 });
  }

  override onTimer(): Intents {
    this.#isBuying = !this.#isBuying;
    const { quantity } = this.position(SYMBOL);
    const order = { symbol: SYMBOL, type: 'market', timeInForce: 'IOC' } as const;
    if (this.#isBuying) return place({ ...order, side: 'buy', quantity: 0.01, tag: 'in' });
    return quantity > 0 ? place({ ...order, side: 'sell', quantity, tag: 'out' }) : undefined;
  }
}

test.each([
  // It holds its second position at 30 s, and is flat at 20 s.
  ['reduce of the strategy, while it is flat', 20_000, (bot: Bot) => bot.reduce('test', 'trips'), 'refused'],
  ['reduce of the strategy, while it holds a position', 30_000, (bot: Bot) => bot.reduce('test', 'trips'), 'refused'],
  ['reduce of the account', 30_000, (bot: Bot) => bot.reduce('test'), 'refused'],
  ['kill, which leaves the position', 30_000, (bot: Bot) => bot.kill(false, 'test'), 'killed'],
  ['kill with flatten', 30_000, (bot: Bot) => bot.kill(true, 'test'), 'killed'],
  ['stop', 30_000, (bot: Bot) => bot.stop(), 'stopped'],
] as const)('the whole difference after %s has one cause', async (_, afterMs, give, cause) => {
  const symbols = [SYMBOL];
  const fees = { limit: 'touch', halfSpreadTicks: 0, slippageBps: 0 } as const;
  const made = randomPlan(8, { strategies: [{ id: 'trips', symbols, params: {}, create: (context) => new Trips(context) }] });
  const plan = { ...made, fills: { ...made.fills, ...fees, tickerQuantity: undefined } };
  const [folder, { journal }] = [await writtenRun(plan), await runPaper(plan, { command: { time: T0 + afterMs, give } })];
  const comparison = compareRuns(...readRuns(folder, journal, undefined), NO_TOLERANCE);
  const found = comparison.causes.filter((one) => one.cause !== 'endPrice');
  expect(comparison.difference.isZero()).toBe(false);
  expect(sumOf(comparison)).toBe(comparison.difference.toFixed());
  expect(found.map((one) => one.cause)).toEqual([cause]);
});
