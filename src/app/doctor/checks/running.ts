import { existsSync } from 'node:fs';
import { FileLock } from '../../../journal/file-lock.ts';
import { readHeartbeat } from '../../live/process/heartbeat.ts';
import { type Check, failed, ok } from '../check.ts';

/** A bot that writes a heartbeat a second, and has not for so long, hangs, or is still starting. */
const SILENT_MS = 10_000;

export const running: Check = {
  id: 'running',
  title: 'no process of the bot hangs',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'let this user write to the lock file',
  run({ folder }) {
    const path = `${folder.journal}.lock`;
    const lock = existsSync(path) ? FileLock.take(path) : undefined;
    lock?.release();
    if (!existsSync(path) || lock !== undefined) return ok('the bot does not run');
    const beat = readHeartbeat(folder.heartbeat);
    const ageMs = beat === undefined ? Number.POSITIVE_INFINITY : Date.now() - beat.time;
    if (beat?.phase === 'running' && ageMs < SILENT_MS) return ok(`the bot runs (process ${beat.pid})`);
    const since = Number.isFinite(ageMs) ? `its newest heartbeat is ${Math.round(ageMs / 1_000)} s old` : 'it has no heartbeat';
    return failed(`a process holds the journal, and ${since}`, 'it is starting, or hangs: see log.jsonl; end that process where it hangs');
  },
};
