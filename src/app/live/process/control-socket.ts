import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type BotMode, botFolder } from '../../planning/bot-folder.ts';
import { type BotStatus, statusText } from './bot-status.ts';
import type { KillFile } from './kill-file.ts';

/** What may be asked of a running bot. */
type ControlCommand =
  | { readonly command: 'status' }
  | { readonly command: 'stop' }
  | { readonly command: 'kill'; readonly flatten: boolean; readonly reason: string }
  | { readonly command: 'reduce'; readonly reason: string; readonly strategy?: string | undefined }
  | { readonly command: 'reset'; readonly strategy?: string | undefined };

/** A request is one line, and no longer than this. */
const MOST_BYTES = 4_096;
const ANSWER_MS = 5_000;

/** Lets other processes of the same user talk to the bot: one JSON line in, one out. Only the user may open the socket. */
export function openControlSocket(path: string, answer: (command: ControlCommand) => unknown): Promise<Server> {
  // The bot's lock is held: a socket that lies there belongs to nobody.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (part: string) => {
      text += part;
      if (text.length > MOST_BYTES) socket.destroy();
      const end = text.indexOf('\n');
      if (end < 0) return;
      socket.end(`${JSON.stringify(reply(text.slice(0, end), answer))}\n`);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new TidegateError('CONFIG_INVALID', `cannot listen on ${path}: ${cause.message}`, { cause })));
    server.listen(path, () => {
      chmodSync(path, 0o600);
      resolve(server);
    });
  });
}

/** @throws TidegateError BOT_NOT_RUNNING where nobody answers. */
export function askBot(path: string, command: ControlCommand): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new TidegateError('BOT_NOT_RUNNING', `no bot answers at ${path} (${why})`));
    const socket = createConnection(path);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_MS, () => {
      socket.destroy();
      fail(`silent for ${ANSWER_MS} ms`);
    });
    socket.on('error', ({ message }) => fail(message));
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('end', () => {
      try {
        resolve(JSON.parse(text) as unknown);
      } catch {
        fail('its answer is no JSON');
      }
    });
    socket.write(`${JSON.stringify(command)}\n`);
  });
}

function reply(line: string, answer: (command: ControlCommand) => unknown): unknown {
  const command = readCommand(line);
  return command === undefined
    ? { error: 'expected one JSON object with a command: status, stop, kill, reduce or reset' }
    : answer(command);
}

function readCommand(line: string): ControlCommand | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('command' in value)) return undefined;
  const { command, flatten, reason, strategy } = value as Record<string, unknown>;
  const why = typeof reason === 'string' ? reason : 'by command';
  const of = typeof strategy === 'string' ? strategy : undefined;
  switch (command) {
    case 'status':
    case 'stop':
      return { command };
    case 'reset':
      return { command, strategy: of };
    case 'reduce':
      return { command, reason: why, strategy: of };
    case 'kill':
      return { command, flatten: flatten === true, reason: why };
    default:
      return undefined;
  }
}

interface ControlParts {
  status(): BotStatus;
  stop(why: string): void;
  kill(flatten: boolean, reason: string): void;
  reduce(reason: string, strategyId: string | undefined): void;
  reset(strategyId: string | undefined): void;
  /** Ids of the bot's strategies. */
  readonly strategies: readonly string[];
  readonly killFile: Pick<KillFile, 'look'>;
  /** Of the kill file. */
  readonly path: string;
}

/** What a bot answers to those who ask over its socket: its status after the command, or an `error`. */
export function answerTo(parts: ControlParts): (command: ControlCommand) => unknown {
  return (command) => {
    const strategy = 'strategy' in command ? command.strategy : undefined;
    if (strategy !== undefined && !parts.strategies.includes(strategy)) {
      return { error: `the bot has no strategy "${strategy}", only ${parts.strategies.join(', ')}` };
    }
    switch (command.command) {
      case 'status':
        break;
      case 'stop':
        parts.stop('by command');
        break;
      case 'kill':
        parts.kill(command.flatten, command.reason);
        break;
      case 'reduce':
        parts.reduce(command.reason, strategy);
        break;
      case 'reset':
        if (parts.killFile.look()) return { error: `the file ${parts.path} is still there: remove it first` };
        parts.reset(strategy);
        break;
      default:
        command satisfies never;
    }
    return parts.status();
  };
}

export interface AskOptions {
  readonly set?: readonly string[];
  readonly paper?: boolean;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly flatten?: boolean;
  readonly reason?: string;
  readonly strategy?: string;
  /** How long a kill that flattens is waited for, in seconds. */
  readonly wait?: number;
}

/** What a command prints, and the exit code of the process. */
interface Told {
  readonly text: string;
  readonly code: number;
}

/**
 * Sends a command to the running bot of a config. A kill that flattens is waited for: what stands after that time ends with
 * `EXIT_CODES.standing`. A reset says first what it takes back.
 * @returns how the bot is after that, to be printed.
 * @throws TidegateError BOT_NOT_RUNNING, or USAGE where both modes run and none is named.
 */
export async function tellBot(path: string, name: ControlCommand['command'], options: AskOptions): Promise<Told> {
  // Whoever stops a bot need not have its keys: they are asked for where `live.enabled` is true alone.
  const { config } = loadConfig(path, { set: [...(options.set ?? []), 'live.enabled=false'], env: process.env });
  const modes = (['live', 'paper'] as const).filter((mode) => options[mode] === true || (!options.live && !options.paper));
  const dirs = { live: config.live?.dir, paper: config.paper?.dir };
  const sockets = modes.flatMap((mode) => {
    const dir = dirs[mode];
    return dir === undefined ? [] : [{ mode, path: botFolder(dir, config.name, mode).socket }];
  });
  const { path: socket, status: before } = await running(sockets, config.name);
  const command = commandOf(name, options);
  const answer = (await askBot(socket, command)) as BotStatus | { error: string };
  if ('error' in answer) throw new TidegateError('USAGE', answer.error);
  const flattens = command.command === 'kill' && command.flatten;
  const status = flattens ? await flattened(socket, answer, (options.wait ?? WAIT_S) * 1_000) : answer;
  const lifted = command.command === 'reset' ? liftedBy(before, command.strategy) : undefined;
  const code = flattens && !isFlat(status) ? EXIT_CODES.standing : EXIT_CODES.ok;
  if (options.json === true) return { text: JSON.stringify(lifted === undefined ? status : { ...status, lifted }), code };
  const first = (lifted ?? []).map((what) => `took back    ${what}`);
  if (code === EXIT_CODES.standing) first.push(`something still stands, and the bot goes on closing: ${standingText(status)}`);
  return { text: [...first, statusText(status)].join('\n'), code };
}

/** How long a kill that flattens is waited for unless said otherwise, in s, and how often is looked, in ms. */
const WAIT_S = 30;
const LOOK_MS = 200;

/** @returns how the bot is once all is closed and canceled, or when the wait is over. */
async function flattened(socket: string, first: BotStatus, waitMs: number): Promise<BotStatus> {
  const until = performance.now() + waitMs;
  let status = first;
  // The first answer may be from before the bot's next turn.
  for (let looks = 0; (looks === 0 || !isFlat(status)) && performance.now() < until; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    status = (await askBot(socket, { command: 'status' })) as BotStatus;
  }
  return status;
}

function isFlat({ flatten, openOrders }: BotStatus): boolean {
  return flatten !== null && flatten.standing.length === 0 && Object.keys(openOrders).length === 0;
}

function standingText({ flatten, openOrders }: BotStatus): string {
  const positions = (flatten?.standing ?? []).map(({ quantity, symbol, strategy }) => `${quantity} ${symbol} (${strategy})`);
  const orders = Object.entries(openOrders).map(
    ([status, count]) => `${count} ${status === 'held' ? 'held' : `${status} at the exchange`}`,
  );
  return [...positions, ...(orders.length > 0 ? [`orders: ${orders.join(', ')}`] : [])].join('; ') || 'a reset came in between';
}

/** Latches and halts that a reset takes back, each with its cause. */
function liftedBy({ latches, health }: BotStatus, strategyId: string | undefined): string[] {
  const halts = strategyId === undefined ? health.filter(({ condition }) => condition === 'halted') : [];
  return [
    ...latches
      .filter(({ strategy }) => strategyId === undefined || strategy === strategyId)
      .map(
        ({ rule, strategy, reason, time }) =>
          `latch ${rule}${strategy === undefined ? '' : ` of ${strategy}`} since ${isoTime(Math.floor(time))}${reason === '' ? '' : `: ${reason}`}`,
      ),
    ...halts.map(
      ({ symbol, reason, since }) => `halt of ${symbol}${since === undefined ? '' : ` since ${isoTime(Math.floor(since))}`}: ${reason}`,
    ),
  ];
}

function commandOf(command: ControlCommand['command'], { flatten = false, reason = 'by command', strategy }: AskOptions): ControlCommand {
  if (command === 'kill') return { command, flatten, reason };
  if (command === 'reduce') return { command, reason, strategy };
  return command === 'reset' ? { command, strategy } : { command };
}

/** The one socket behind which somebody answers, and how that bot is. */
async function running(
  sockets: readonly { readonly mode: BotMode; readonly path: string }[],
  name: string,
): Promise<{ readonly path: string; readonly status: BotStatus }> {
  const found: { path: string; status: BotStatus }[] = [];
  for (const { path } of sockets) {
    try {
      found.push({ path, status: (await askBot(path, { command: 'status' })) as BotStatus });
    } catch {
      // Nobody there, or somebody who is ending.
    }
  }
  if (found.length > 1) throw new TidegateError('USAGE', `bot ${name} runs in both modes: say --live or --paper`);
  if (found[0] !== undefined) return found[0];
  throw new TidegateError('BOT_NOT_RUNNING', `no bot ${name} answers at ${sockets.map(({ path }) => path).join(' or ')}`);
}
