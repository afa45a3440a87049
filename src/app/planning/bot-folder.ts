import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';

/** How a bot runs: against the local exchange, or against the exchange. */
export type BotMode = 'paper' | 'live';

/** The folder of one bot and the files in it. */
export interface BotFolder {
  readonly path: string;
  readonly journal: string;
  readonly log: string;
  /** Has the address at which the bot listens for commands; see `ControlAddress`. */
  readonly control: string;
  /** While this file exists, the bot is killed: it cancels all orders and stays latched. */
  readonly killFile: string;
  /** A stop and reduces that were written while the bot did not answer. The bot removes them once it has obeyed. */
  readonly stopFile: string;
  readonly reduceFile: string;
  /** Written about every second while the bot runs; see `Heartbeat`. */
  readonly heartbeat: string;
  /** The journal of the watchdog's own requests. */
  readonly watchdogJournal: string;
  readonly watchdogLog: string;
  /** Locked while a watchdog runs. */
  readonly watchdogLock: string;
  /** The file to which the bot appends posted signals of this name. */
  signals(name: string): string;
}

/** The paths of one bot. @param dir the folder of all bots. */
export function botFolder(dir: string, name: string, mode: BotMode): BotFolder {
  const path = join(dir, `${name}-${mode}`);
  return {
    path,
    journal: join(path, 'journal.sqlite'),
    log: join(path, 'log.jsonl'),
    control: join(path, 'control.json'),
    killFile: join(path, 'KILL'),
    stopFile: join(path, 'STOP'),
    reduceFile: join(path, 'REDUCE'),
    heartbeat: join(path, 'heartbeat.json'),
    watchdogJournal: join(path, 'watchdog.sqlite'),
    watchdogLog: join(path, 'watchdog.jsonl'),
    watchdogLock: join(path, 'watchdog.lock'),
    signals: (name) => join(path, `signals-${name}.jsonl`),
  };
}

/** Creates a bot's folder. @throws TidegateError CONFIG_INVALID if this fails. */
export function makeBotFolder({ path }: BotFolder): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new TidegateError('CONFIG_INVALID', `cannot create the bot's folder ${path}: ${(cause as Error).message}`, { cause });
  }
}
