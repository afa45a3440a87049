import type { Check } from './check.ts';
import { botFolderCheck } from './checks/bot-folder.ts';
import { clockOffset } from './checks/clock-offset.ts';
import { configCheck } from './checks/config.ts';
import { contracts } from './checks/contracts.ts';
import { disk } from './checks/disk.ts';
import { enabled } from './checks/enabled.ts';
import { history } from './checks/history.ts';
import { journal } from './checks/journal.ts';
import { keyAccepted } from './checks/key-accepted.ts';
import { keys } from './checks/keys.ts';
import { latches } from './checks/latches.ts';
import { limits } from './checks/limits.ts';
import { nodeVersion } from './checks/node-version.ts';
import { pairs } from './checks/pairs.ts';
import { permissions } from './checks/permissions.ts';
import { processManager } from './checks/process-manager.ts';
import { futuresReachable, spotReachable } from './checks/reachable.ts';
import { recordings } from './checks/recordings.ts';
import { running } from './checks/running.ts';
import { strategies } from './checks/strategies.ts';
import { watchdog } from './checks/watchdog.ts';

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
