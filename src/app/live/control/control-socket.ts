import { chmodSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { TidegateError } from '../../../model/errors.ts';

/** What may be asked of a running bot. */
export type ControlCommand =
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
