import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';

export type BotMode = 'paper' | 'live';

/** Longest path that every system takes for a socket. */
const SOCKET_PATH_LENGTH = 100;

/** The folder of one bot and the files in it. */
export interface BotFolder {
  readonly path: string;
  readonly journal: string;
  readonly log: string;
  readonly socket: string;
  /** While this file is there, the bot is killed: it cancels everything and stays latched. */
  readonly killFile: string;
  /** Written about every second while the bot lives; see `Heartbeat`. */
  readonly heartbeat: string;
  /** The journal that a watchdog acts by. */
  readonly watchdogJournal: string;
  readonly watchdogLog: string;
}

/** @param dir the folder of all bots. */
export function botFolder(dir: string, name: string, mode: BotMode): BotFolder {
  const path = join(dir, `${name}-${mode}`);
  const socket = join(path, 'control.sock');
  return {
    path,
    journal: join(path, 'journal.sqlite'),
    log: join(path, 'log.jsonl'),
    socket: socket.length <= SOCKET_PATH_LENGTH ? socket : join(tmpdir(), `tidegate-${digest(path)}.sock`),
    killFile: join(path, 'KILL'),
    heartbeat: join(path, 'heartbeat.json'),
    watchdogJournal: join(path, 'watchdog.sqlite'),
    watchdogLog: join(path, 'watchdog.jsonl'),
  };
}

/** @throws TidegateError CONFIG_INVALID where it cannot be made. */
export function makeBotFolder({ path }: BotFolder): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `cannot make the bot's folder ${path}: ${(cause as Error).message}`, { cause });
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
