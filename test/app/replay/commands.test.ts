import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import Database from 'libsql';
import type { BotPlan } from '../../../src/app/planning/run-plans.ts';
import { replay as replayFromCode } from '../../../src/entries/run.ts';
import { RecordedJournal } from '../../../src/journal/journal-reader.ts';
import type { Strategy } from '../../../src/strategy/strategy.ts';
import { replayed } from '../../faults/replayed.ts';
import type { World } from '../../faults/world.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG_FILE, runExample } from './example-runs.ts';

const PARAMS = '{ cells: 10, below: 6, spacing: 0.002, quantity: 0.01, pauseMs: 60000 }';
const folder = temporaryFolder('replay');
const bot = join(folder, 'runs', 'grid-paper');
const journal = join(bot, 'journal.sqlite');
let world: World;

// One bot with a config, for all tests: what they read is what a paper run leaves.
beforeAll(async () => {
  writeFileSync(join(folder, 'c.yaml'), CONFIG_FILE('./grid.ts', PARAMS));
  cpSync(join(ROOT, 'strategies/grid.ts'), join(folder, 'grid.ts'));
  world = await runExample({ name: 'grid', params: PARAMS, pollMs: 10_000, looks: 60 }, 3, journal, join(folder, 'c.yaml'));
});

/** The plan with something done to its strategy as it is made. */
function changed(change: (strategy: Strategy) => void): BotPlan {
  const strategies = world.plan.strategies.map((one) => ({
    ...one,
    create: (context: Parameters<typeof one.create>[0]) => {
      const strategy = one.create(context);
      change(strategy);
      return strategy;
    },
  }));
  return { ...world.plan, strategies };
}

const explain = async (...args: string[]) => JSON.parse((await runCli(folder, ['explain', bot, ...args, '--json'])).stdout);
const replay = async (args: readonly string[], code = 0) =>
  JSON.parse((await runCli(folder, ['replay', bot, ...args, '--json'], { code })).stdout);

test('a replay from code gives what the command prints, and finds the decision of other parameters', async () => {
  const replayed = await replayFromCode(bot);
  expect(replayed.identical).toBe(true);
  expect(replayed.runs[0]!.intents).toBeGreaterThan(5);
  expect(JSON.parse(JSON.stringify(replayed))).toEqual(await replay([]));
  const other = await replayFromCode(bot, { set: ['strategies.0.params.quantity=0.02'] });
  expect(other).toMatchObject({ identical: false, difference: { what: 'intent' }, runs: [{ end: 'differs' }] });
});

test('a decision that changed code makes otherwise is found at that intent, with its cause', async () => {
  let asked = 0;
  const plan = changed((strategy) => {
    const onBar = strategy.onBar!.bind(strategy);
    strategy.onBar = (bar) => {
      const intents = [onBar(bar) ?? []].flat();
      return intents.map((intent) => (intent.kind === 'place' && ++asked === 5 ? { ...intent, quantity: 0.02 } : intent));
    };
  });
  const { difference } = await replayed(journal, plan);
  expect(difference).toMatchObject({
    what: 'intent',
    recorded: { strategyId: 'grid', intent: { kind: 'place', quantity: 0.01 } },
    replayed: { strategyId: 'grid', intent: { kind: 'place', quantity: 0.02 } },
    cause: { event: { kind: 'bar' } },
  });
  // The fifth order that the grid asked for, as the journal counts them.
  const rows = RecordedJournal.open(journal);
  const placed = [...rows.rowsOf('intent')].filter(({ body }) => body.includes('"kind":"place"'));
  rows.close();
  expect(difference!.id).toBe(placed[4]!.id);
});

test('another limit shows at the first refusal', async () => {
  const { limits } = world.plan;
  const { difference } = await replayed(journal, { ...world.plan, limits: { ...limits, maxOpenOrders: 1 } });
  expect(difference).toMatchObject({
    what: 'denial',
    replayed: { event: { kind: 'orderDenied', reason: { code: 'openOrdersAboveLimit' } } },
  });
});

test('a different state of a strategy is found at the first point after it, and attributed to the strategy', async () => {
  const plan = changed((strategy) => {
    (strategy as unknown as { more: number }).more = 1;
  });
  const { difference } = await replayed(journal, plan);
  const { recorded, replayed: now } = difference as unknown as Record<'recorded' | 'replayed', { parts: Record<string, string> }>;
  expect(difference!.what).toBe('state');
  expect(Object.keys(recorded.parts).filter((part) => recorded.parts[part] !== now.parts[part])).toEqual(['strategies']);
});

test('the command needs only the journal and the sources, and lists what it compared', async () => {
  const found = await replay([]);
  expect(found).toMatchObject({ bot: 'bot', identical: true, untold: 0, changed: [] });
  expect(found.runs.length).toBeGreaterThanOrEqual(3);
  for (const run of found.runs.slice(0, -1)) expect(run.end).toBe('cut');
  expect(found.runs.at(-1)).toMatchObject({ end: 'stopped', state: expect.stringMatching(/^[0-9a-f]{64}$/), started: { mode: 'paper' } });
  for (const figure of ['turns', 'market', 'intents', 'requests', 'points']) expect(found.runs[0][figure]).toBeGreaterThan(0);
});

test('other parameters and other sources exit with 9 and show both sides', async () => {
  const { stdout } = await runCli(folder, ['replay', journal, '--set', 'strategies.0.params.quantity=0.02'], { code: 9 });
  expect(stdout).toMatch(/^DIFFERENT: intent, at record \d+ of run 1/m);
  expect(stdout).toMatch(/^\* +intent\.quantity +0\.01 +0\.02$/m);
  const text = readFileSync(join(folder, 'grid.ts'), 'utf8');
  const files = { 'other/grid.ts': text.replace('static needs', 'more = 1;\n  static needs') };
  const { stdout: json } = await runCli(folder, ['replay', bot, '--strategy-dir', 'other', '--json'], { files, code: 9 });
  expect(JSON.parse(json)).toMatchObject({ changed: ['grid'], identical: false, difference: { what: 'state' } });
});

test('a file that is no journal, or a damaged one, is refused with 7', async () => {
  const { stderr } = await runCli(folder, ['replay', 'nowhere'], { code: 7 });
  expect(stderr).toMatch(/^error JOURNAL_FAILED: nowhere: there is no journal/);
  cpSync(journal, join(folder, 'damaged.sqlite'));
  const database = new Database(join(folder, 'damaged.sqlite'));
  database.exec(`UPDATE records SET body = replace(body, '"place"', '"cancel"') WHERE kind = 'intent'`);
  database.close();
  const { stderr: said } = await runCli(folder, ['replay', 'damaged.sqlite'], { code: 7 });
  expect(said).toMatch(/^error JOURNAL_DAMAGED: .*damaged\.sqlite is damaged \(record \d+ was changed\)/);
});

test('an order is explained from the price that caused it to its ledger entries', async () => {
  const filled = world.account.orders.all.find(({ fills, clientOrderId }) => fills.length > 0 && clientOrderId.startsWith('bot-grid'))!;
  const life = await explain(filled.clientOrderId);
  const steps = life.steps.map(({ step }: { step: string }) => step);
  expect(steps.slice(0, 3)).toEqual(['data', 'intent', 'risk']);
  for (const step of ['request', 'fill', 'ledger']) expect(steps).toContain(step);
  expect(life.orders).toMatchObject([{ clientOrderId: filled.clientOrderId, orderId: filled.orderId, symbol: 'BTC-USDT' }]);
  // The same by the exchange's id, and by the intent's number.
  expect(await explain(filled.orderId)).toEqual(life);
  expect((await explain(String(life.intent))).steps).toEqual(life.steps);
});

test('--denied counts denied intents, and an unknown id suggests similar ones', async () => {
  const { intents, ways } = await explain('--denied');
  expect(intents).toBeGreaterThan(0);
  for (const { by, count } of ways) {
    expect(['risk', 'exchange', 'ended', 'unknown']).toContain(by);
    expect(count).toBeGreaterThan(0);
  }
  const { stderr } = await runCli(folder, ['explain', bot, '#1'], { code: 2 });
  expect(stderr).toMatch(/has no order and no intent #1: the nearest intent is record #\d+/);
});
