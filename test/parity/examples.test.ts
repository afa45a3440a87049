import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { planBacktest } from '../../src/app/backtest/planning/plan-backtest.ts';
import { loadConfig } from '../../src/app/config/load-config.ts';
import type { Log } from '../../src/ports/log.ts';
import { ROOT } from '../support/cli.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { firstDifference } from './trace.ts';

const SILENT: Log = { debug() {}, info() {}, warn() {} };

/** What each example is run with: a part of the sample's tickers, and a period and parameters that make it trade in it. */
const EXAMPLES: readonly (readonly [name: string, fills: number, ...set: readonly string[]])[] = [
  [
    'sma-cross',
    10,
    'backtest.pollMs=5000',
    'backtest.from=2025-01-01T00:00:00Z',
    'backtest.to=2025-01-01T01:30:00Z',
    'strategies.0.params={ fast: 3, slow: 8, quantity: "0.5" }',
  ],
  [
    'market-maker',
    10,
    'backtest.pollMs=5000',
    'backtest.to=2025-01-01T01:00:00Z',
    'backtest.latency={ entryMs: 0, responseMs: 0, cancelMs: 0 }',
  ],
  [
    'bracket-breakout',
    4,
    'backtest.pollMs=30000',
    'backtest.warmup=cold',
    'backtest.to=2025-01-01T10:00:00Z',
    'strategies.0.params={ channel: 4, fraction: 0.3, stop: 0.3, reward: 1 }',
  ],
];

/** What is not compared yet, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'trend-follower': 'the bot trades spot alone',
  'funding-harvester': 'one of its legs is a perpetual, and funding rates are nothing that the exchange tells',
};

test('every example is compared, or it is said why not', () => {
  const names = readdirSync(join(ROOT, 'strategies')).map((file) => file.replace(/\.ts$/, ''));
  expect([...EXAMPLES.map(([name]) => name), ...Object.keys(LEFT_OUT)].sort()).toEqual(names.sort());
});

test.each(EXAMPLES)('%s does on paper what its polled backtest says', async (name, fills, ...set) => {
  const config = loadConfig(join(ROOT, 'configs', `${name}.yaml`), { set: ['backtest.observation=polled', ...set] });
  const { plan } = await planBacktest(config, SILENT);
  const backtest = await runBacktest(plan);
  const started = performance.now();
  const { trace: paper, requests } = await runPaper(plan);
  if (process.env.PARITY_TALK)
    console.log(name, backtest.intents.length, backtest.fills.length, requests, Math.round(performance.now() - started));
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(backtest.fills.length).toBeGreaterThanOrEqual(fills);
});
