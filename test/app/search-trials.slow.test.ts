import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { applyTrial } from '../../src/app/search/apply-trial.ts';
import { backtest } from '../../src/entries/run.ts';
import { Study } from '../../src/search/study.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Trials of each method. */
const TRIALS = Number(process.env.SEARCH_TRIALS ?? 5);
const folder = temporaryFolder('trials');

/** Buys breakouts of a window that its history fills, with a stop and a target. */
const STRATEGY = `
import { place, Strategy, z } from 'tidegate';

const seen = new Map();

export class Breaks extends Strategy {
  static params = z.object({ window: z.int(), stop: z.number(), reward: z.number(), late: z.boolean() });
  static needs = (params) => ({ bars: '5m', history: params.late ? 3 * params.window : params.window });

  onStart() {
    for (const symbol of this.symbols) seen.set(symbol, this.history(symbol).map(({ high }) => high));
  }

  onBar({ symbol, high, close }) {
    const before = seen.get(symbol).slice(-this.params.window);
    seen.get(symbol).push(high);
    if (close <= Math.max(...before) || this.position(symbol).side !== 'flat') return;
    const { stop, reward } = this.params;
    const exits = { stopLoss: close * (1 - stop), takeProfit: close * (1 + reward * stop) };
    return place({ symbol, side: 'buy', type: 'market', quantity: (0.4 * this.account.equity) / close, exits });
  }
}
`;

const config = (method: string) => `
name: breaks
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
  ETH-USDT: { tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.001" }
strategies: [{ id: breaks, file: breaks.ts, symbols: [BTC-USDT], params: { window: 20, stop: 0.01, reward: 2, late: false } }]
risk:
  account:
    maxDrawdown: { limit: "0.05", onBreach: flatten }
    dailyLoss: { limit: "0.02", resetAt: midnight }
    cooldown: { losses: 2, for: 2h }
backtest: { data: [sample], to: 2025-01-05 }
search:
  method: ${method}
  trials: ${TRIALS}
  batch: 3
  seed: 7
  objective: totalReturn
  parameters:
    late: { values: [true, false] }
    stop: ${method === 'grid' ? '{ min: "0.002", max: "0.01", step: "0.004" }' : '{ min: "0.002", max: "0.01", scale: log }'}
    reward: { values: [1, 2.5] }
    strategies.0.symbols: { values: [[BTC-USDT], [BTC-USDT, ETH-USDT]] }
    risk.account.maxDrawdown.limit: { min: "0.003", max: "0.05", step: "0.001" }
    risk.account.dailyLoss.limit: { min: "0.002", max: "0.02", step: "0.001" }
    risk.account.cooldown.losses: { min: 1, max: 4 }
    window: { min: 5, max: 60 }
`;

test.each(['grid', 'random', 'sobol', 'tpe'])(
  'trials by %s are the backtests of their configs: with latching limits, cooldowns, history and several symbols',
  async (method) => {
    writeFileSync(join(folder, 'breaks.ts'), STRATEGY);
    const [file, out] = [join(folder, `${method}.yaml`), join(folder, method)];
    writeFileSync(file, config(method));
    await runCli(ROOT, ['search', file, '--out', out, '--hash', '--quiet']);
    const study = Study.open(out);
    const denied = new Set<string>();
    const hashes = new Set<string>();
    for (const { number, outcome, reason, hash, statistics } of study.trials()) {
      expect([number, outcome, reason]).toEqual([number, 'done', undefined]);
      const result = await backtest(await applyTrial(study, { trial: number }));
      expect([number, result.eventLogSha256]).toEqual([number, hash]);
      expect(JSON.parse(JSON.stringify(result.statistics))).toEqual(statistics);
      hashes.add(result.eventLogSha256);
      for (const code of Object.keys(result.summary.deniedByCode)) denied.add(code);
    }
    expect(study.size).toBe(TRIALS);
    study.close();
    // They differ, and limits and cooldowns have denied orders of some.
    expect(hashes.size).toBeGreaterThan(TRIALS / 2);
    expect([...denied].sort()).toEqual(expect.arrayContaining(['coolingDown', 'dailyLossLatched', 'drawdownLatched']));
  },
);
