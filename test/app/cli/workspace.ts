import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliOptions, type CliResult, ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A day of the sample, one strategy in `s.ts`. */
export const CONFIG = `name: mine
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
strategies:
  - { id: one, file: ./s.ts, symbols: [BTC-USDT] }
backtest: { data: [sample], to: 2025-01-02 }
`;

/** Buys at the third bar, sells at the tenth; more lines at the top to show that line numbers are the file's own. */
export const STRATEGY = `import { type Bar, type Intents, place, Strategy, z } from 'tidegate';

const Params = z.object({ size: z.string().default('0.1').describe('base units'), throwAt: z.int().optional() });

/** A test strategy. */
export class TwoFills extends Strategy<typeof Params> {
  static params = Params;
  static needs = { bars: '1m' };
  seen = 0;

  onBar(bar: Bar): Intents {
    this.seen++;
    if (this.seen === this.params.throwAt) throw new RangeError('three is enough');
    const order = { symbol: bar.symbol, type: 'market' } as const;
    if (this.seen === 3) return place({ ...order, side: 'buy', quantity: this.params.size, tag: 'in' });
    if (this.seen === 10) return place({ ...order, side: 'sell', quantity: this.position(bar.symbol).quantity, tag: 'out' });
    return undefined;
  }
}
`;

export interface Workspace {
  readonly folder: string;
  path(...parts: string[]): string;
  read(...parts: string[]): string;
  has(...parts: string[]): boolean;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Runs `backtest c.yaml` into `out` and returns what --json printed. */
  backtest(args?: readonly string[], options?: CliOptions): Promise<Run>;
}

export interface Run extends CliResult {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the printed JSON as it comes.
  readonly json: any;
}

/** A folder outside the project with a config `c.yaml` and a strategy `s.ts`, or other files. */
export function workspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const folder = temporaryFolder();
  const all = { 'c.yaml': CONFIG, 's.ts': STRATEGY, ...files };
  const path = (...parts: string[]) => join(folder, ...parts);
  const run = (args: readonly string[], options: CliOptions = {}) =>
    runCli(folder, args, { ...options, files: { ...all, ...options.files } });
  return {
    folder,
    path,
    run,
    read: (...parts) => readFileSync(path(...parts), 'utf8'),
    has: (...parts) => existsSync(path(...parts)),
    backtest: async (args = [], options) => {
      const result = await run(['backtest', 'c.yaml', '--json', '--quiet', '--out', 'out', ...args], options);
      return { ...result, json: JSON.parse(result.stdout) };
    },
  };
}
