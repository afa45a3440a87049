import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { isoTime } from '../../../model/time.ts';
import { EXIT_CODES } from '../../base/exit-codes.ts';
import { machineTrouble } from '../../base/machine-trouble.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type BotMode, botFolder } from '../../planning/bot-folder.ts';
import { type BotStatus, statusText } from './bot-status.ts';
import { newAddress, proofOf, readAddress, writeAddress } from './control-address.ts';
import type { KillFile } from './kill-file.ts';

/** The commands of a running bot. */
type ControlCommand =
  | { readonly command: 'status' }
  | { readonly command: 'stop' }
  | { readonly command: 'kill'; readonly flatten: boolean; readonly reason: string }
  | { readonly command: 'reduce'; readonly reason: string; readonly strategy?: string | undefined }
  | { readonly command: 'reset'; readonly strategy?: string | undefined };

/** The longest line of a request, in bytes. */
const MOST_BYTES = 4_096;
const ANSWER_MS = 5_000;

/** A request or a reply as it is sent, with the proof that the sender has the bot's token. */
interface Sealed {
  readonly nonce: string;
  readonly text: string;
  readonly proof: string;
}

/**
 * Opens the socket for other processes of the same user: one JSON line as request, one as reply. Only the user can open it.
 * @param control the file with the socket's address, in the bot's folder.
 * @throws TidegateError CONFIG_INVALID
 */
export function openControlSocket(control: string, answer: (command: ControlCommand) => unknown): Promise<Server> {
  const address = newAddress(dirname(control));
  const { socket: path, token } = address;
  // This process has the bot's lock, so an existing socket is an old one.
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
      socket.end(`${JSON.stringify(reply(text.slice(0, end), token, answer))}\n`);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new TidegateError('CONFIG_INVALID', `cannot listen on ${path}: ${cause.message}`, { cause })));
    server.listen(path, () => {
      try {
        chmodSync(path, 0o600);
        writeAddress(control, address);
        resolve(server);
      } catch (cause) {
        server.close();
        const text = `the file ${control} cannot be written: ${(cause as Error).message}`;
        reject(machineTrouble(cause) ?? new TidegateError('CONFIG_INVALID', text, { cause }));
      }
    });
  });
}

/**
 * Sends a command to a bot.
 * @param control the file with the socket's address, in the bot's folder.
 * @throws TidegateError BOT_NOT_RUNNING if nobody replies, or another process.
 */
export function askBot(control: string, command: ControlCommand): Promise<unknown> {
  const { socket: path, token } = readAddress(control);
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new TidegateError('BOT_NOT_RUNNING', `no bot replies at ${path} (${why})`));
    const socket = createConnection(path);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_MS, () => {
      socket.destroy();
      fail(`no reply within ${ANSWER_MS} ms`);
    });
    socket.on('error', ({ message }) => fail(message));
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('end', () => {
      const answer = token === undefined ? text : opened(token, 'bot', text, nonce);
      if (answer === undefined) return fail('the process that listens there is not this bot');
      try {
        resolve(JSON.parse(answer) as unknown);
      } catch {
        fail('its reply is not JSON');
      }
    });
    const nonce = randomBytes(16).toString('hex');
    const asked = JSON.stringify(command);
    socket.write(`${token === undefined ? asked : JSON.stringify(sealed(token, 'client', nonce, asked))}\n`);
  });
}

function sealed(token: string, who: 'client' | 'bot', nonce: string, text: string): Sealed {
  return { nonce, text, proof: proofOf(token, who, nonce, text) };
}

/** Checks a proof. @returns the text; `undefined` if the proof is wrong, or belongs to another request. */
function opened(token: string, who: 'client' | 'bot', line: string, of?: string): string | undefined {
  const { nonce, text, proof } = objectIn(line) ?? {};
  if (typeof nonce !== 'string' || typeof text !== 'string' || (of !== undefined && nonce !== of)) return undefined;
  return proof === proofOf(token, who, nonce, text) ? text : undefined;
}

function reply(line: string, token: string, answer: (command: ControlCommand) => unknown): unknown {
  const asked = opened(token, 'client', line);
  if (asked === undefined)
    return { error: 'expected a command with a proof by the token in control.json, which is in the folder of this bot' };
  const command = readCommand(asked);
  const response =
    command === undefined ? { error: 'expected one JSON object with a command: status, stop, kill, reduce or reset' } : answer(command);
  return sealed(token, 'bot', String(objectIn(line)?.nonce), JSON.stringify(response));
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function readCommand(line: string): ControlCommand | undefined {
  const value = objectIn(line);
  if (value === undefined) return undefined;
  const { command, flatten, reason, strategy } = value;
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
  /** The path of the kill file. */
  readonly path: string;
}

/** The bot's reply to a command: its status after the command, or an `error`. */
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
        if (parts.killFile.look()) return { error: `the kill file ${parts.path} still exists: remove it first` };
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
  /** How long to wait for a kill that flattens, in seconds. */
  readonly wait?: number;
}

/** The printed text of a command, and its exit code. */
interface CommandResult {
  readonly text: string;
  readonly code: number;
}

/**
 * Sends a command to the running bot of a config. After a kill that flattens, it waits; if an order or position is still open then, the
 * exit code is `EXIT_CODES.leftOver`. For a reset, the text begins with the lifted latches and halts.
 * @returns the bot's status after the command, as text.
 * @throws TidegateError BOT_NOT_RUNNING, or USAGE if both modes run and no option selects one.
 */
export async function controlBot(path: string, name: ControlCommand['command'], options: AskOptions): Promise<CommandResult> {
  // A command needs no keys, and keys are only required while `live.enabled` is true.
  const { config } = loadConfig(path, { withoutBacktest: true, set: [...(options.set ?? []), 'live.enabled=false'], env: process.env });
  const modes = (['live', 'paper'] as const).filter((mode) => options[mode] === true || (!options.live && !options.paper));
  const dirs = { live: config.live?.dir, paper: config.paper?.dir };
  const sockets = modes.flatMap((mode) => {
    const dir = dirs[mode];
    return dir === undefined ? [] : [{ mode, path: botFolder(dir, config.name, mode).control }];
  });
  const { path: control, status: before } = await running(sockets, config.name);
  const command = commandOf(name, options);
  const answer = (await askBot(control, command)) as BotStatus | { error: string };
  if ('error' in answer) throw new TidegateError('USAGE', answer.error);
  const flattens = command.command === 'kill' && command.flatten;
  const status = flattens ? await flattened(control, answer, (options.wait ?? WAIT_S) * 1_000) : answer;
  const lifted = command.command === 'reset' ? liftedBy(before, command.strategy) : undefined;
  const code = flattens && !isFlat(status) ? EXIT_CODES.leftOver : EXIT_CODES.ok;
  if (options.json === true) return { text: JSON.stringify(lifted === undefined ? status : { ...status, lifted }), code };
  const first = (lifted ?? []).map((what) => `lifted       ${what}`);
  if (code === EXIT_CODES.leftOver) first.push(`not everything is closed, and the bot goes on closing: ${standingText(status)}`);
  return { text: [...first, statusText(status)].join('\n'), code };
}

/** The default wait for a kill that flattens, in s, and the period of polling the bot meanwhile, in ms. */
const WAIT_S = 30;
const LOOK_MS = 200;

/** @returns the status once everything is closed and canceled, or when the wait is over. */
async function flattened(control: string, first: BotStatus, waitMs: number): Promise<BotStatus> {
  const until = performance.now() + waitMs;
  let status = first;
  // The first reply may be from before the bot's next turn.
  for (let looks = 0; (looks === 0 || !isFlat(status)) && performance.now() < until; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    status = (await askBot(control, { command: 'status' })) as BotStatus;
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
  return [...positions, ...(orders.length > 0 ? [`orders: ${orders.join(', ')}`] : [])].join('; ') || 'a reset has ended the kill';
}

/** The latches and halts that a reset lifts, each with its cause. */
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

/** The only socket with a running bot, and the status of this bot. */
async function running(
  sockets: readonly { readonly mode: BotMode; readonly path: string }[],
  name: string,
): Promise<{ readonly path: string; readonly status: BotStatus }> {
  const found: { path: string; status: BotStatus }[] = [];
  for (const { path } of sockets) {
    try {
      found.push({ path, status: (await askBot(path, { command: 'status' })) as BotStatus });
    } catch {
      // No bot runs there, or it is ending.
    }
  }
  if (found.length > 1) throw new TidegateError('USAGE', `bot ${name} runs in both modes: use --live or --paper`);
  if (found[0] !== undefined) return found[0];
  throw new TidegateError('BOT_NOT_RUNNING', `no bot ${name} runs in ${sockets.map(({ path }) => dirname(path)).join(' or ')}`);
}
