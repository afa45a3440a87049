import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { STUDY_FILE, Study, type Trial } from '../../search/study.ts';
import { isInProgress, RUN_MARK } from '../backtest/results/run-mark.ts';
import { receivedError } from '../backtest/worker-protocol.ts';
import { trialSettings } from './apply-trial.ts';
import { inConfigFolder } from './setting-paths.ts';
import { TrialPool } from './trial-pool.ts';
import type { RunReply } from './worker-protocol.ts';

/** The folder of the whole run of a trial, as `--keep` writes it. */
export function runFolder(study: string, number: number): string {
  return join(study, 'runs', `trial-${number}`);
}

/** Whether the whole run is there. What a run that was killed has left is removed. */
export function isKept(out: string): boolean {
  if (existsSync(join(out, 'summary.json')) && !existsSync(join(out, RUN_MARK))) return true;
  if (!isInProgress(out)) rmSync(out, { recursive: true, force: true });
  return false;
}

/** The folder of a study, given by itself or by its file. */
export function studyFolder(path: string): string {
  return basename(path) === STUDY_FILE ? dirname(path) : path;
}

/** The folder or journal of a run. A trial of a study, such as `studies/sma#31`, is run again, if its run was not kept. */
export async function trialOrRun(path: string): Promise<string> {
  return /#\d+$/.test(path) && !existsSync(path) ? await trialRun(path) : path;
}

/**
 * The run of a trial: that of the study if it was kept, else it is made again next to those that were kept.
 * @param name the study and the number of the trial: `studies/sma#31` or `studies/sma/study.db#31`.
 * @returns the folder of the run.
 * @throws TidegateError DATA_NOT_FOUND, CONFIG_NOT_FOUND; DATA_INVALID for a trial that failed, and for a run that is not the trial.
 */
export async function trialRun(name: string): Promise<string> {
  const mark = name.lastIndexOf('#');
  const number = Number(name.slice(mark + 1));
  const study = Study.open(studyFolder(name.slice(0, mark)));
  try {
    const out = runFolder(study.folder, number);
    if (!isKept(out)) await makeRun(study, number, out);
    return relative(process.cwd(), out);
  } finally {
    study.close();
  }
}

async function makeRun(study: Study, number: number, out: string): Promise<void> {
  const { trial, config, set, own } = trialSettings(study, number);
  if (trial.outcome !== 'done')
    throw new TidegateError('DATA_INVALID', `${study.folder}: trial ${number} has no run: ${trial.outcome}: ${trial.reason ?? ''}`);
  const pool = new TrialPool({ workers: 1 });
  try {
    const settings = own.map((one) => inConfigFolder(one, config));
    const end = await pool.run({ kind: 'run', terms: { configPath: config, embedded: false, set, shared: {} }, set: settings, out });
    if (end.kind === 'failed') throw receivedError(end.failure);
    if (end.kind === 'run' && isTrial(end, trial)) return;
  } finally {
    await pool.close();
  }
  rmSync(out, { recursive: true, force: true });
  throw new TidegateError(
    'DATA_INVALID',
    `${study.folder}: trial ${number} cannot be made again: its run has other figures, so the config, the code or the data changed after the search`,
  );
}

/** Whether a run is the trial: its event log if the study has its hash, else all statistics. */
function isTrial({ hash, statistics }: RunReply, trial: Trial): boolean {
  if (trial.hash !== undefined) return hash === trial.hash;
  return JSON.stringify(statistics) === JSON.stringify(trial.statistics);
}
