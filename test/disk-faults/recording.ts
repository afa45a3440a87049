import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, launchExchange, type Running } from '../kills/processes.ts';
import { check } from '../record-kills/check.ts';
import { writeExchange, writeRecorder } from '../record-kills/place.ts';
import { readRecorded } from '../record-kills/record.ts';
import { type Calls, casesOf, type DiskCase, type DiskRuns, fateOf, faultEnv, noRuns, noteRun } from './disk.ts';
import type { DiskFaultRun } from './trading.ts';

/** What a recorder does with its files in some seconds, with a part of each series every second. */
const OF_RECORDER: readonly Calls[] = [
  ['.log', 'write', 120],
  ['.log', 'fsync', 120],
  ['.log', 'open', 8],
  ['.log', 'read', 8],
  ['.log.gz.new', 'write', 4],
  ['.log.gz.new', 'open', 4],
  ['.log.gz', 'write', 4],
  ['coverage.jsonl.new', 'write', 4],
  ['coverage.jsonl.new', 'fsync', 4],
  ['coverage.jsonl.new', 'open', 4],
  ['coverage.jsonl', 'write', 4],
  ['coverage.jsonl', 'read', 4],
  ['.parquet', 'write', 20],
  ['.parquet', 'read', 12],
  ['.parquet', 'fsync', 8],
  ['.parquet', 'open', 12],
  ['.bin', 'write', 8],
  ['.bin', 'open', 8],
  ['log.jsonl', 'write', 8],
  ['log.jsonl', 'open', 1],
  ['lock', 'open', 1],
];

/** All cases of a recorder's disk. */
export function recorderCases(every: number): DiskCase[] {
  return casesOf('recorder', OF_RECORDER, every);
}

/** How long the last life records and packs what is left, in ms. */
const LAST_LIFE_MS = 1_500;

/** A recorder while calls on its files fail; each life goes on where the one before ended. At last the record is compared with the polls reported as stored. */
export async function runRecording({ root, folder, shim, cases, seed }: DiskFaultRun): Promise<DiskRuns> {
  const exchange = await launchExchange(root, writeExchange(folder, seed), join(folder, 'exchange.state'));
  const config = writeRecorder(folder, exchange.listing.spot);
  const result = noRuns();
  const acknowledged: number[] = [];
  const kills: number[] = [];
  let alive: Running | undefined;
  const killAll = () => {
    alive?.child.kill('SIGKILL');
    exchange.running.child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  const start = (env: NodeJS.ProcessEnv = {}) => {
    const running = launch(root, ['record', config, '--polls', '--quiet'], { env });
    createInterface(running.child.stdout!).on('line', (line) => {
      const told = /^\{"poll":(\d+(?:\.\d+)?)\}$/.exec(line);
      if (told !== null) acknowledged.push(Number(told[1]));
    });
    alive = running;
    return running;
  };
  const notes = join(folder, 'notes');
  try {
    for (const { fault } of cases) {
      rmSync(notes, { force: true });
      const before = acknowledged.length;
      const running = start(faultEnv(shim, fault, notes));
      noteRun(result, fault, await fateOf(running, running, notes), notes);
      running.child.kill('SIGKILL');
      const { signal } = await running.ended;
      if (signal === 'SIGKILL' && acknowledged.length > before) kills.push(acknowledged.length);
    }
    const last = start();
    await last.ready;
    await pause(LAST_LIFE_MS);
    last.child.kill('SIGTERM');
    const { code, signal, stderr } = await last.ended;
    if (code !== 0) result.wrong.push(`at last the recorder ended with ${code ?? signal}: ${stderr}`);
    result.wrong.push(...check({ acknowledged, kills }, await readRecorded(folder)));
    result.polls = acknowledged.length;
    if (result.polls === 0) result.wrong.push('no poll was stored, which proves nothing');
    return result;
  } finally {
    process.off('exit', killAll);
    killAll();
  }
}
