import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import type { SteerCommand } from '../../../ports/market-feed.ts';
import { machineTrouble } from '../../base/machine-trouble.ts';
import { CLOSES_ONLY } from '../bot/waiting-bot.ts';
import type { BotStatus, CloseShown } from './bot-status.ts';
import { newAddress, proofOf, readAddress, writeAddress } from './control-address.ts';

/** The commands that steer a bot. */
export type SteerRequest =
  | { readonly command: 'pause'; readonly strategy: string; readonly reason: string }
  | { readonly command: 'resume'; readonly strategy: string }
  | { readonly command: 'set'; readonly assignment: string }
  | ({ readonly command: 'close'; readonly reason: string } & CloseShown);

/**
 * A command that steers a bot, as it is sent: no file has it. So a bot that could not answer in time refuses it.
 * `until`: epoch ms of the wall clock.
 */
type TimedRequest = SteerRequest & { readonly id: string; readonly until: number };

/** The commands of a running bot. One with an id may be in a file of the bot's folder, too. */
export type ControlCommand =
  | TimedRequest
  | { readonly command: 'status' }
  | { readonly command: 'stop'; readonly id?: string | undefined }
  | { readonly command: 'kill'; readonly flatten: boolean; readonly reason: string; readonly id?: string | undefined }
  | { readonly command: 'reduce'; readonly reason: string; readonly strategy?: string | undefined; readonly id?: string | undefined }
  | { readonly command: 'reset'; readonly strategy?: string | undefined };

/** The longest line of a request, in bytes. */
const MOST_BYTES = 4_096;
/** How long a reply may take. A bot without one does not answer, in ms. */
export const ANSWER_MS = 5_000;

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
    let isRead = false;
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('data', (part: string) => {
      text += part;
      if (text.length > MOST_BYTES) socket.destroy();
      const end = text.indexOf('\n');
      if (end < 0 || isRead) return;
      isRead = true;
      // A bot that was suspended finds requests whose sender has given up, and was not answered: a reset among them would lift a kill that
      // came after it. The end of such a connection is read in the same turn of Node as its request.
      setImmediate(() => {
        if (socket.readableEnded || !socket.writable) socket.destroy();
        else socket.end(`${JSON.stringify(reply(text.slice(0, end), token, answer))}\n`);
      });
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
export function askBot(control: string, command: ControlCommand, answerMs = ANSWER_MS): Promise<unknown> {
  const { socket: path, token } = readAddress(control);
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new TidegateError('BOT_NOT_RUNNING', `no bot replies at ${path} (${why})`));
    const socket = createConnection(path);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(answerMs, () => {
      socket.destroy();
      fail(`no reply within ${answerMs} ms`);
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
  const response = command === undefined ? { error: `expected one JSON object with a command: ${COMMANDS.join(', ')}` } : answer(command);
  return sealed(token, 'bot', String(objectIn(line)?.nonce), JSON.stringify(response));
}

const COMMANDS = [
  'status',
  'stop',
  'kill',
  'reduce',
  'reset',
  'pause',
  'resume',
  'close',
  'set',
] as const satisfies readonly ControlCommand['command'][];

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
  const { command, flatten, reason, strategy, id: given, until, symbol, side, assignment } = value;
  const why = typeof reason === 'string' ? reason : 'by command';
  const of = typeof strategy === 'string' ? strategy : undefined;
  const id = typeof given === 'string' ? given : undefined;
  switch (command) {
    case 'status':
      return { command };
    case 'stop':
      return { command, id };
    case 'reset':
      return { command, strategy: of };
    case 'reduce':
      return { command, reason: why, strategy: of, id };
    case 'kill':
      return { command, flatten: flatten === true, reason: why, id };
    case 'pause':
    case 'resume':
      return of === undefined || id === undefined || typeof until !== 'number'
        ? undefined
        : { command, strategy: of, reason: why, id, until };
    case 'set':
      if (typeof assignment !== 'string' || id === undefined || typeof until !== 'number') return undefined;
      return { command, assignment, id, until };
    case 'close': {
      if (typeof symbol !== 'string' || id === undefined || typeof until !== 'number') return undefined;
      const whose = { ...(of !== undefined && { strategy: of }), ...((side === 'long' || side === 'short') && ({ side } as const)) };
      return { command, symbol, ...whose, reason: why, id, until };
    }
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
  steer(command: SteerCommand): void;
  /** See `Commanded`. */
  closesOnly(): boolean;
  /** Changes a setting. @returns why it cannot, if so. */
  change(assignment: string): string | undefined;
  /** The symbols that the bot trades. */
  readonly symbols: readonly string[];
  /** Ids of the bot's strategies. */
  readonly strategies: readonly string[];
  /** Obeys the commands in files of the bot's folder. @returns whether a kill file exists that only a person removes. */
  lookAtFiles(): boolean;
  /** Whether a command has not been obeyed yet; see `CommandFiles`. */
  isNew(id: string | undefined): boolean;
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
    const isKilledByFile = parts.lookAtFiles();
    if ('id' in command && !parts.isNew(command.id)) return parts.status();
    if ('until' in command && Date.now() > command.until) return { error: 'the command came too late, and has no effect' };
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
        if (isKilledByFile) return { error: `the kill file ${parts.path} still exists: remove it first` };
        if (parts.closesOnly()) return { error: `${CLOSES_ONLY}. Stop it and start it again, and reset it then` };
        parts.reset(strategy);
        break;
      case 'pause':
        parts.steer({ kind: 'command', command: 'pause', strategyId: command.strategy, reason: command.reason });
        break;
      case 'set': {
        const error = parts.change(command.assignment);
        if (error !== undefined) return { error };
        break;
      }
      case 'close': {
        const { symbol, side, reason } = command;
        if (!parts.symbols.includes(symbol)) return { error: `the bot does not trade ${symbol}, only ${parts.symbols.join(', ')}` };
        parts.steer({ kind: 'command', command: 'close', symbol, strategyId: strategy, side, reason });
        break;
      }
      case 'resume':
        parts.steer({ kind: 'command', command: 'resume', strategyId: command.strategy });
        break;
      default:
        command satisfies never;
    }
    return parts.status();
  };
}
