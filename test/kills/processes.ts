import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** How a process ended, and when it had been ready. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** Says `ready` over the channel that a process manager has; `false` where it ended before. */
  readonly ready: Promise<boolean>;
  readonly ended: Promise<Ended>;
}

export interface ExchangeListing {
  readonly spot: string;
  readonly futures: string;
  readonly control: string;
  readonly accounts: readonly { readonly key: string; readonly secret: string; readonly passphrase: string }[];
}

const MOST_STDERR = 20_000;

/** The built program, in a process of its own. */
export function launch(
  root: string,
  args: readonly string[],
  options: { flags?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Running {
  const { flags = [], env = {} } = options;
  const child = spawn(process.execPath, [...flags, join(root, 'bin/tidegate.mjs'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(-MOST_STDERR);
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code, signal) => resolve({ code, signal, stderr })));
  const ready = Promise.race([
    new Promise<true>((resolve) => child.on('message', (message) => message === 'ready' && resolve(true))),
    ended.then(() => false),
  ]);
  return { child, ready, ended };
}

/** A local exchange, listening. It reads nothing of the bot's. @param again at the addresses that it had before it was killed. */
export async function launchExchange(
  root: string,
  config: string,
  stateFile: string,
  again?: ExchangeListing,
  env: NodeJS.ProcessEnv = {},
): Promise<{ running: Running; listing: ExchangeListing }> {
  const doors = again === undefined ? [] : (['spot', 'futures', 'control'] as const);
  const ports = doors.flatMap((door) => ['--set', `ports.${door}=${new URL(again![door]).port}`]);
  const running = launch(root, ['exchange', config, '--json', '--state', stateFile, ...ports], { env });
  const first = new Promise<string>((resolve) => createInterface(running.child.stdout!).once('line', resolve));
  const line = await Promise.race([
    first,
    running.ended.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}, an exchange: ${stderr}`))),
  ]);
  return { running, listing: JSON.parse(line) as ExchangeListing };
}
