import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { REPORT_FILE } from '../../report/page-report.ts';
import { STUDY_FILE, Study } from '../../search/study.ts';
import type { Judged } from '../../statistics/significance/significance.ts';
import { readCsvTable } from '../run-folders/csv-table.ts';
import { readReturns, reportOf } from '../run-folders/read-returns.ts';
import { judgedTrial } from '../search/judged-trial.ts';
import { runFolder, studyFolder } from '../search/trial-run.ts';

/** A run or a trial that is judged, with what is known of the trials of which it was chosen. */
export interface Subject extends Omit<Judged, 'elsewhere'> {
  /** For people. */
  readonly name: string;
  /** Days in a year. */
  readonly annualDays: number;
  /** The study and the trial, if it was chosen by a search. */
  readonly chosen?: { readonly study: string; readonly trial: number } | undefined;
}

/** The forms that `subjectOf` takes. */
const EXPECTED = 'a study, such as studies/sma, a trial of it, such as studies/sma#31, or the folder of a run, such as runs/sma-cross-1';

/**
 * Reads what is to be judged: the best trial of a study, a trial of it by number, or a run. The run of a trial, as a search keeps it, is judged
 * as that trial.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT
 */
export function subjectOf(path: string): Subject {
  const [, folder = path, number] = existsSync(path) ? [] : (/^(.*)#(\d+)$/.exec(path) ?? []);
  if (existsSync(join(studyFolder(folder), STUDY_FILE)))
    return trialSubject(studyFolder(folder), number === undefined ? undefined : Number(number));
  if (number !== undefined || !existsSync(folder))
    throw new TidegateError('DATA_NOT_FOUND', `${path} does not exist; expected ${EXPECTED}`);
  const kept = keptTrial(folder);
  return kept === undefined ? runSubject(folder) : trialSubject(kept.study, kept.trial);
}

/** The study and the number of a run that a search has kept. */
function keptTrial(folder: string): { readonly study: string; readonly trial: number } | undefined {
  const trial = Number(/^trial-(\d+)$/.exec(basename(resolve(folder)))?.[1]);
  const study = dirname(dirname(resolve(folder)));
  return trial > 0 && existsSync(join(study, STUDY_FILE)) ? { study, trial } : undefined;
}

/** @param number of the trial; default: the best one. */
function trialSubject(folder: string, number: number | undefined): Subject {
  const study = Study.open(folder);
  try {
    const { number: trial, ...judged } = judgedTrial(study, number);
    const kept = runFolder(folder, trial);
    const profits = existsSync(join(kept, REPORT_FILE)) ? profitsOf(kept) : undefined;
    return { ...judged, name: `${folder}#${trial}`, chosen: { study: folder, trial }, profits };
  } finally {
    study.close();
  }
}

function runSubject(folder: string): Subject {
  const { returns, annualDays } = readReturns(folder);
  return { name: folder, annualDays, returns: returns.map(({ value }) => value), trials: [], tried: 1, profits: profitsOf(folder) };
}

/** The net profits of the closed trades of a run, over its starting equity. */
function profitsOf(folder: string): number[] {
  const start = Number(reportOf(folder).statistics.startEquity);
  return readCsvTable(join(folder, 'trades.csv')).map(({ netProfit }) => Number(netProfit) / start);
}
