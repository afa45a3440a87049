import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from '@jest/globals';
import type { BotStatus } from '../../../src/app/live/process/bot-status.ts';
import { type CliOptions, type CliResult, ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const BIN = join(ROOT, 'bin/tidegate.mjs');
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into log lines as they come.
export type Line = any;

/** A program that writes JSON lines. */
export interface Running {
  readonly child: ChildProcess;
  readonly lines: readonly Line[];
  readonly exit: Promise<number | null>;
  /** The first line, past or to come, that fits; fails when the program ends before. */
  line(fits: (line: Line) => boolean): Promise<Line>;
  /** The line of that message. */
  said(message: string): Promise<Line>;
  stderr(): string;
}

/** @param shell a script that ends by becoming the program: `exec "$0" "$@"`. */
export function launch(args: readonly string[], env: Readonly<Record<string, string>> = {}, shell?: string): Running {
  const [program, first] = shell === undefined ? [process.execPath, []] : ['sh', ['-c', shell, process.execPath]];
  const child = spawn(program, [...first, BIN, ...args], { env: { ...process.env, ...env } });
  started.push(child);
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  createInterface(child.stdout).on('line', (text) => {
    lines.push(JSON.parse(text));
    for (const look of [...waiting]) look();
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const line = (fits: (line: Line) => boolean) =>
    new Promise<Line>((resolve, reject) => {
      const look = () => {
        const found = lines.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      exit.then((code) => reject(new Error(`${args.join(' ')} ended with ${code}\n${stderr}\n${JSON.stringify(lines.slice(-5))}`)));
      look();
    });
  return { child, lines, exit, line, said: (message) => line(({ msg }) => msg === message), stderr: () => stderr };
}

/** Buys at its first price, and leaves a bid far below: once in the life of its account. */
export const STRATEGY = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';

export class Once extends Strategy {
  static needs = { tickers: true };
  done = false;
  save() { return { done: this.done }; }
  restore(saved: { done: boolean }) { this.done = saved.done; }
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.done) return undefined;
    this.done = true;
    return [
      place({ symbol, side: 'buy', type: 'market', quantity: '0.01', tag: 'in' }),
      place({ symbol, side: 'buy', type: 'limit', quantity: '0.02', price: (last * 0.9).toFixed(2), tag: 'far' }),
    ];
  }
}
`;

export const INSTRUMENTS = `instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
`;

export interface BotWorkspace {
  readonly config: string;
  path(...parts: string[]): string;
  launch(command: 'paper' | 'live', env?: Readonly<Record<string, string>>, ...set: string[]): Running;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  status(): Promise<BotStatus>;
}

/** A folder with a bot's config, and its strategy. @param section its paper or live section as YAML. */
export function botWorkspace(section: string): BotWorkspace {
  const folder = temporaryFolder('bot');
  const path = (...parts: string[]) => join(folder, ...parts);
  const config = path('bot.yaml');
  writeFileSync(path('once.ts'), STRATEGY);
  writeFileSync(
    config,
    `name: once
dataDir: ${join(ROOT, 'data')}
account: { kind: spot, balances: { USDT: "100000" } }
${INSTRUMENTS}strategies:
  - { id: one, file: ./once.ts, symbols: [BTC-USDT] }
backtest: { fills: { limit: touch } }
${section}
`,
  );
  const run = (args: readonly string[], options?: CliOptions) => runCli(folder, args, options);
  return {
    config,
    path,
    run,
    launch: (command, env = {}, ...set) => launch([command, config, ...set.flatMap((one) => ['--set', one])], env),
    status: async () => JSON.parse((await run(['status', config, '--json'])).stdout) as BotStatus,
  };
}
