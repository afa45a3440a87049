import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/app/config/load-config.ts';
import { requireProfile } from '../../src/app/live/plan-bot.ts';
import { planBacktest } from '../../src/app/planning/plan-backtest.ts';
import { plannedStrategies } from '../../src/app/planning/planned-strategies.ts';
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
    'backtest.pollMs=10000',
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
    'backtest.pollMs=60000',
    'backtest.warmup=cold',
    'backtest.to=2025-01-01T10:00:00Z',
    'strategies.0.params={ channel: 4, fraction: 0.3, stop: 0.3, reward: 1 }',
  ],
  [
    'trend-follower',
    10,
    'backtest.pollMs=120000',
    'backtest.warmup=cold',
    'backtest.to=2025-01-01T12:00:00Z',
    'strategies.0.params={ channel: 3, stop: 0.3, reward: 1 }',
  ],
  ['grid', 10, 'backtest.pollMs=30000', 'backtest.to=2025-01-01T03:00:00Z', 'strategies.0.params={ spacing: 0.001, quantity: 0.04 }'],
  [
    'pair-reversion',
    8,
    'backtest.pollMs=60000',
    'backtest.warmup=cold',
    'backtest.to=2025-01-01T06:00:00Z',
    'strategies.0.params={ window: 24, enter: 1.5 }',
  ],
  [
    'rebalancer',
    4,
    'backtest.pollMs=60000',
    'backtest.to=2025-01-01T05:00:00Z',
    'strategies.0.params={ weights: { BTC-USDT: 0.5, ETH-USDT: 0.3 }, everyHours: 0.25, band: 0.0005 }',
  ],
  [
    'volatility-breakout',
    4,
    'backtest.pollMs=60000',
    'backtest.warmup=cold',
    'backtest.to=2025-01-01T08:00:00Z',
    'strategies.0.params={ length: 4, breakout: 0.5, trail: 1.5 }',
  ],
];

const files = readdirSync(join(ROOT, 'strategies')).filter((file) => file.endsWith('.ts'));
const names = files.map((file) => file.replace(/\.ts$/, ''));
/** On paper its signals come from a file that grows: signals.test.ts compares such a run. */
const COMPARED_ELSEWHERE = ['model-signals'];
const others = names.filter((name) => !COMPARED_ELSEWHERE.includes(name) && !EXAMPLES.some(([compared]) => compared === name));
const LEFT_OUT = await Promise.all(others.map(async (name) => [name, await refusalOf(name)] as const));

/** What `paper` says where the exchange cannot give what an example needs. */
async function refusalOf(name: string): Promise<string> {
  const loaded = loadConfig(configOf(name));
  const { needs } = await plannedStrategies(loaded, 'paper');
  try {
    requireProfile(loaded, 'paper', needs);
  } catch (error) {
    return (error as Error).message.split('\n')[0]!.replace(`${configOf(name)}:`, '');
  }
  return 'nothing';
}

function configOf(name: string): string {
  return join(ROOT, 'configs', `${name}.yaml`);
}

// There may be none.
if (LEFT_OUT.length > 0) {
  test.each(LEFT_OUT)('%s is not compared, for the exchange refuses it: %s', (_, reason) => {
    expect(reason).toMatch(/which the exchange does not have|the exchange has no netting accounts/);
  });
}

test.each(EXAMPLES)('%s trades on paper like its polled backtest', async (name, fills, ...set) => {
  const config = loadConfig(configOf(name), { set: ['backtest.observation=polled', ...set] });
  const { plan } = await planBacktest(config, SILENT);
  const backtest = await runBacktest(plan);
  const started = performance.now();
  const { trace: paper, requests } = await runPaper(plan);
  if (process.env.PARITY_TALK)
    console.log(name, backtest.intents.length, backtest.fills.length, requests, Math.round(performance.now() - started));
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(backtest.fills.length).toBeGreaterThanOrEqual(fills);
});
