import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '../../../journal/file-lock.ts';
import { type Check, ok, warning } from '../check.ts';

export const watchdog: Check = {
  id: 'watchdog',
  title: 'a watchdog runs beside the bot',
  modes: ['live'],
  needs: ['folder'],
  mend: 'let this user write to the lock file',
  run({ folder }) {
    const path = join(folder.path, 'watchdog.lock');
    const lock = existsSync(path) ? FileLock.take(path) : undefined;
    lock?.release();
    if (existsSync(path) && lock === undefined) return ok('it runs');
    return warning(
      'none runs: a bot that hangs leaves its orders at the exchange',
      'start `tidegate watchdog` with the config: docs/watchdog.md',
    );
  },
};
