import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT, runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('robustness');

/** Buys and sells in turn, every so many bars, on each symbol; not before a day that a long warm-up would need. */
const STRATEGY = `
import { Strategy, z } from 'tidegate';

export class Turns extends Strategy {
  static readonly params = z.object({ every: z.int().min(1) });
  static readonly needs = { bars: '1m' };
  #bars = 0;
  onBar(bar) {
    this.#bars++;
    if (this.#bars % this.params.every !== 0) return [];
    const side = (this.#bars / this.params.every) % 2 === 1 ? 'buy' : 'sell';
    const quantity = side === 'buy' ? '0.1' : this.position(bar.symbol).quantity;
    return [{ kind: 'place', symbol: bar.symbol, side, type: 'market', quantity }];
  }
}
`;

const CONFIG = `
name: turns
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
instruments: { BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.0003" } }
strategies: [{ id: t, file: turns.ts, symbols: [BTC-USDT], params: { every: 500 } }]
backtest:
  data: [sample]
  to: 2025-01-22
  latency: { entryMs: 1000 }
search: { parameters: { every: { min: 300, max: 700, step: 100 } } }
`;

interface Row {
  readonly name: string;
  readonly totalReturn: number;
  readonly sharpe: number;
  readonly kept: number | null;
  readonly reason?: string;
}

describe('tidegate significance --robustness', () => {
  test('runs the trial again with one thing changed at a time: each row is the backtest with that setting', async () => {
    const files = { 'turns.ts': STRATEGY, 'c.yaml': CONFIG };
    await runCli(folder, ['search', 'c.yaml', '--quiet', '--out', 'study', '--workers', '1'], { files });
    const { stdout } = await runCli(folder, ['significance', 'study#3', '--robustness', '--json', '--draws', '100']);
    const { robustness } = JSON.parse(stdout) as { readonly robustness: readonly Row[] };
    expect(robustness.map(({ name }) => name)).toEqual([
      ...['as it is', 'start 2 days later', 'start 5 days later', 'costs doubled', 'delays doubled', 'orders one bar later'],
      ...['path worst', 'path best', 'limit strictCross', 'limit touch', 'every 400', 'every 600'],
    ]);
    const row = (name: string) => robustness.find((one) => one.name === name)!;
    const asItIs = row('as it is').totalReturn;
    const settings: readonly (readonly [name: string, ...set: string[]])[] = [
      ['as it is'],
      // 21 days from 2025-01-01: a tenth of them is two days.
      ['start 2 days later', 'backtest.from=2025-01-03'],
      ['costs doubled', 'instruments.BTC-USDT.makerFee="0.002"', 'instruments.BTC-USDT.takerFee="0.0006"'],
      ['orders one bar later', 'backtest.latency.entryMs=61000'],
    ];
    for (const [name, ...set] of settings) {
      const options = [...set, 'strategies.0.params.every=500'].flatMap((one) => ['--set', one]);
      const run = JSON.parse((await runCli(folder, ['backtest', 'c.yaml', '--json', ...options])).stdout) as {
        readonly statistics: { readonly totalReturn: number };
      };
      expect([name, row(name).totalReturn]).toEqual([name, run.statistics.totalReturn]);
    }
    const studied = JSON.parse((await runCli(folder, ['search', 'show', 'study', '--trial', '2', '--json'])).stdout) as {
      readonly statistics: { readonly totalReturn: number };
    };
    expect(row('every 400').totalReturn).toBe(studied.statistics.totalReturn);
    for (const { kept, totalReturn } of robustness) expect(kept).toBe(asItIs > 0 ? totalReturn / asItIs : null);
  });

  test('is refused for a run of no search', async () => {
    await runCli(folder, ['backtest', 'c.yaml', '--quiet', '--out', 'alone']);
    const { stderr } = await runCli(folder, ['significance', 'alone', '--robustness'], { code: 2 });
    expect(stderr).toContain('alone is the run of no search; expected a study or a trial of it');
  });
});
