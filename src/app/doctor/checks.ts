import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '../../journal/journal-lock.ts';
import { type Check, ok, warning } from './check.ts';
import {
  botFolderCheck,
  clockOffset,
  configCheck,
  contracts,
  disk,
  enabled,
  history,
  journal,
  keyAccepted,
  keys,
  latches,
} from './checks/keys.ts';
import {
  futuresReachable,
  limits,
  nodeVersion,
  pairs,
  permissions,
  processManager,
  recordings,
  running,
  spotReachable,
  strategies,
} from './checks/recordings.ts';

const watchdog: Check = {
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

/** All checks, in the order in which they are made: what others need comes first. */
export const CHECKS: readonly Check[] = [
  nodeVersion,
  configCheck,
  strategies,
  recordings,
  history,
  disk,
  botFolderCheck,
  journal,
  running,
  latches,
  processManager,
  limits,
  enabled,
  keys,
  spotReachable,
  futuresReachable,
  clockOffset,
  keyAccepted,
  permissions,
  pairs,
  contracts,
  watchdog,
];
