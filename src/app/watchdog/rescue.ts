import { existsSync, writeFileSync } from 'node:fs';
import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { fileFlattens, watchdogText } from '../live/process/filed-command.ts';
import type { BotFolder } from '../planning/bot-folder.ts';
import type { BotLog } from '../terminal/bot-log.ts';
import { strikeBlind, type TakeoverParts, takeOver } from './takeover.ts';

/** The actions of a watchdog for a silent bot. */
export interface Rescuer {
  /** Checks the keys at the start, if the exchange replies. @throws TidegateError KEYS_INVALID */
  check(log: Log): Promise<void>;
  /** @returns whether it was complete before the signal. */
  rescue(reason: string, signal: AbortSignal, log: BotLog, clock: Clock): Promise<boolean>;
  redact(text: string): string;
  close(): Promise<void>;
}

/**
 * The rescue of a paper bot. Its exchange is in the same process, so nothing can fill while that is frozen or gone. The bot is latched,
 * and cancels (and flattens) itself as soon as it runs again.
 */
export function latchPaper(folder: BotFolder, flatten: boolean): Rescuer {
  return {
    redact: (text) => text,
    close: async () => {},
    check: async (log) =>
      log.info('a paper bot and its exchange are one process: the bot is only latched, and cancels its orders itself when it runs again'),
    async rescue(reason, _signal, log) {
      writeFileSync(folder.killFile, watchdogText(reason, flatten || fileFlattens(folder.killFile)), { mode: 0o600 });
      log.warn('the bot is latched by its kill file', { path: folder.killFile });
      return true;
    },
  };
}

/** The pauses between two attempts of an incomplete rescue, in ms; each is twice the one before. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Latches the bot by its kill file. Then it cancels its orders, and with `flatten` closes its positions, and repeats this until it is
 * proved or the signal ends it.
 * @returns whether it was complete.
 */
export async function rescue(parts: TakeoverParts): Promise<boolean> {
  const { folder, log, clock, reason, signal } = parts;
  latchLive(folder.killFile, reason, parts);
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(LONGEST_WAIT_MS, 2 * waitMs)) {
    try {
      const { orders, positions } = await takeOver(parts);
      if (orders === 'gone') {
        const left = parts.flattens() && Object.keys(positions).length > 0;
        if (left) log.error('all orders are canceled, but positions are left: check them at the exchange', { positions });
        else log.warn('all orders are canceled', { positions });
        return true;
      }
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      log.error('the takeover failed', { code: error.code, error: error.message, waitMs });
      const isJournal = error.category === 'journal' || error.category === 'invariant';
      if (isJournal && (await strikeBlind(parts).catch(() => false))) {
        log.error(
          'the exchange lists no futures order of the bot any more, but its journal cannot be read: check other orders at the exchange, above all on spot',
        );
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
  // A person may have requested that positions are closed while the bot did not answer.
  const text = watchdogText(`${reason} (${new Date().toISOString()})`, fileFlattens(path));
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    log.error('the bot cannot be latched: the kill file cannot be written', {
      path,
      there: existsSync(path),
      error: (error as Error).message,
    });
  }
}
