import { writeFileSync } from 'node:fs';
import { watchdogText } from '../live/control/kill-file.ts';
import type { BotFolder } from '../live/process/bot-folder.ts';
import type { Rescuer } from './rescuer.ts';

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
