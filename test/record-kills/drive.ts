import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../src/model/random.ts';
import { logLine } from '../../src/recording/log/log-record.ts';
import { launch, launchExchange, type Running } from '../kills/processes.ts';
import { check } from './check.ts';
import { RECORDING, SYMBOLS, writeExchange, writeRecorder } from './place.ts';
import { readRecorded } from './record.ts';

export interface RecordKillRun {
  /** Of the project: its built program is what is killed. */
  readonly root: string;
  /** For files of the run. */
  readonly folder: string;
  readonly times: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface RecordKillResult {
  readonly kills: number;
  /** Of those, before it was ready. */
  readonly starting: number;
  readonly acknowledged: number;
  readonly logs: number;
  /** Logs that a kill cut off in the middle of a record. */
  readonly torn: number;
  readonly gaps: number;
  readonly wrong: readonly string[];
}

/** A third of the lives ends before the recorder is ready or soon after, the others within this, in ms. */
const LONGEST_MS = 1_500;
const LAST_LIFE_MS = 1_500;
/** After this share of the kills a record is found half written, as after a loss of power: the kill itself seldom hits one. */
const TORN_SHARE = 0.3;

/** A recorder killed so many times, at an exchange that fails, then stopped in order, and what it left laid beside what it said. */
export async function runRecordKills({ root, folder, times, seed, say }: RecordKillRun): Promise<RecordKillResult> {
  const exchange = await launchExchange(root, writeExchange(folder, seed), join(folder, 'exchange.state'));
  const config = writeRecorder(folder, exchange.listing.spot);
  const random = new Random(seed, 'record-kills');
  const acknowledged: number[] = [];
  const kills: number[] = [];
  const wrong: string[] = [];
  let alive: Running | undefined;
  let starting = 0;
  const killAll = () => {
    alive?.child.kill('SIGKILL');
    exchange.running.child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  const start = () => {
    const running = launch(root, ['record', config, '--polls', '--quiet']);
    createInterface(running.child.stdout!).on('line', (line) => {
      // A kill may cut a line off: then nobody has heard it.
      const told = /^\{"poll":(\d+(?:\.\d+)?)\}$/.exec(line);
      if (told !== null) acknowledged.push(Number(told[1]));
    });
    alive = running;
    return running;
  };
  try {
    for (let kill = 1; kill <= times; kill++) {
      const before = acknowledged.length;
      const running = start();
      let ready = false;
      const isEarly = random.uniform() < 1 / 3;
      if (!isEarly) ready = await running.ready;
      await pause(random.between(0, LONGEST_MS));
      running.child.kill('SIGKILL');
      const { code, signal, stderr } = await running.ended;
      if (signal !== 'SIGKILL') wrong.push(`kill ${kill}: the recorder ended by itself, with ${code ?? signal}: ${stderr}`);
      if (acknowledged.length > before) kills.push(acknowledged.length);
      else if (!ready) starting++;
      if (random.uniform() < TORN_SHARE) tear(folder, random);
      if (kill % 20 === 0) say(`${kill} of ${times} kills`);
    }
    const last = start();
    await last.ready;
    await pause(LAST_LIFE_MS);
    last.child.kill('SIGTERM');
    const { code, signal, stderr } = await last.ended;
    if (code !== 0) wrong.push(`at last the recorder ended with ${code ?? signal}: ${stderr}`);
    const recorded = await readRecorded(folder);
    wrong.push(...check({ acknowledged, kills }, recorded));
    if (acknowledged.length < times) wrong.push(`${acknowledged.length} polls are too few to prove anything`);
    const { coverage } = recorded;
    return {
      kills: times,
      starting,
      acknowledged: acknowledged.length,
      logs: coverage.length,
      torn: coverage.filter(({ tornBytes }) => tornBytes > 0).length,
      gaps: coverage.reduce((sum, { gaps }) => sum + gaps.length, 0),
      wrong,
    };
  } finally {
    process.off('exit', killAll);
    killAll();
  }
}

/** Adds the first bytes of a record to the log that is open. */
function tear(folder: string, random: Random): void {
  const place = join(folder, 'data', RECORDING, '.recording');
  const open = existsSync(place)
    ? readdirSync(place)
        .filter((name) => name.endsWith('.log'))
        .sort()
        .at(-1)
    : undefined;
  if (open === undefined) return;
  const line = logLine({ kind: 'poll', time: Number.MAX_SAFE_INTEGER, prices: [[SYMBOLS[0], '1', 0]] });
  appendFileSync(join(place, open), line.subarray(0, random.between(1, line.length - 1)));
}
