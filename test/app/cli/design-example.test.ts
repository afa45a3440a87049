import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, readCsv, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// What a user writes, as the design gives it, to the letter.
const YAML = `# configs/sma-cross.yaml: one file, three modes; paths are relative to this file
name: sma-cross
account: { kind: spot, balances: { USDT: "100000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
strategies:
  - { id: sma, file: ../strategies/sma-cross.ts, symbols: [BTC-USDT], params: { fast: 20, slow: 50 } }
risk: { account: { maxDrawdown: "0.2" } }
backtest: { data: [sample], from: 2025-01-01, fills: { market: nextOpen, limit: strictCross } }
paper: { prices: { recording: sample, speed: 60 }, poll: { tickerMs: 1000 } }
`;
const CLASS = `import { Strategy, Sma, place, z, type Bar } from 'tidegate';

const Params = z.object({ fast: z.int().default(20), slow: z.int().default(50) });

/** Long while the fast average is above the slow one, else flat. */
export class SmaCross extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  fast = new Sma(this.params.fast);
  slow = new Sma(this.params.slow);

  onBar(bar: Bar) {
    this.fast.update(bar.closeTicks);
    this.slow.update(bar.closeTicks);
    if (!this.slow.ready) return;
    const up = this.fast.compare(this.slow) > 0;
    const long = this.position(bar.symbol).quantity > 0;
    if (up !== long) return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? '1' : this.position(bar.symbol).quantity });
  }
}
`;

test("the design's config and class work unchanged", async () => {
  const folder = temporaryFolder();
  const files = { 'configs/sma-cross.yaml': YAML, 'strategies/sma-cross.ts': CLASS };
  symlinkSync(join(ROOT, 'data'), join(folder, 'data'));
  const { stdout } = await runCli(folder, ['backtest', 'configs/sma-cross.yaml', '--json'], { files });
  const summary = JSON.parse(stdout);
  expect(summary).toMatchObject({ name: 'sma-cross', strategies: ['sma'], marketEvents: 40320, startEquity: '100000', error: null });
  expect(summary.out).toBe('runs/sma-cross-1');
  const sides = readCsv(join(folder, summary.out, 'fills.csv')).map(({ side }) => side);
  expect(sides.length).toBeGreaterThan(10);
  // Never twice the same way: in and out in turn.
  expect(sides).toEqual(sides.map((_, index) => (index % 2 === 0 ? 'buy' : 'sell')));
});
