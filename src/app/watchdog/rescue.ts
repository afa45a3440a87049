import { existsSync, writeFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { watchdogText } from '../live/process/kill-file.ts';
import type { BotFolder } from '../planning/bot-folder.ts';
import type { BotLog } from '../terminal/bot-log.ts';
import { strikeBlind, type TakeoverParts, takeOver } from './takeover.ts';

/** What a watchdog does for a silent bot. */
export interface Rescuer {
  /** At the start: whether the keys work, as far as that can be asked. @throws TidegateError KEYS_INVALID */
  check(log: Log): Promise<void>;
  /** @returns whether it came to its end before the signal. */
  rescue(reason: string, signal: AbortSignal, log: BotLog, clock: Clock): Promise<boolean>;
  redact(text: string): string;
  close(): Promise<void>;
}

/**
 * What can be done for a bot on paper: its exchange is in its process, stands as long as that is frozen and is gone with it, and
 * nothing can fill there meanwhile. It is latched, and cancels (and flattens) by itself as soon as it lives again.
 */
export function latchPaper(folder: BotFolder, flatten: boolean): Rescuer {
  return {
    redact: (text) => text,
    close: async () => {},
    check: async (log) => log.info('a paper bot takes its exchange along: it is latched, and cancels by itself when it is back'),
    async rescue(reason, _signal, log) {
      writeFileSync(folder.killFile, watchdogText(reason, flatten), { mode: 0o600 });
      log.warn('latched by its kill file', { path: folder.killFile });
      return true;
    },
  };
}

/** Between two tries of a rescue that did not get to its end, in ms: doubling. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Latches the bot by its kill file, then sees to it that its orders are gone, and its positions where that is asked for: again and
 * again, until it is proved or the signal ends it.
 * @returns whether it came to its end.
 */
export async function rescue(parts: TakeoverParts): Promise<boolean> {
  const { folder, log, clock, reason, signal, flatten } = parts;
  latchLive(folder.killFile, reason, parts);
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs)) {
    try {
      const { orders, positions } = await takeOver(parts);
      if (orders === 'gone') {
        const left = flatten && Object.keys(positions).length > 0;
        if (left) log.error('orders are gone, positions are left: a person has to look', { positions });
        else log.warn('orders are gone', { positions });
        return true;
      }
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      log.error('the takeover failed', { code: error.code, error: error.message, waitMs });
      const isJournal = error.category === 'journal' || error.category === 'invariant';
      if (isJournal && (await strikeBlind(parts).catch(() => false))) {
        log.error('no futures order is listed any more; what its journal does not tell, spot orders above all, a person has to look for');
      }
    }
    await wait(waitMs);
  }
  return false;

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        resolve();
      };
      const cancel = clock.schedule(clock.now() + ms, end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }
}

function latchLive(path: string, reason: string, { log }: TakeoverParts): void {
  const text = watchdogText(`${reason} (${new Date().toISOString()})`, false);
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    log.error('the bot cannot be latched: no file can be written', { path, there: existsSync(path), error: (error as Error).message });
  }
}
