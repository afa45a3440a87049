import { TidegateError } from '../../model/errors.ts';
import { keptOf, robustnessText } from '../../report/robustness-text.ts';
import { differenceJson, differenceText, significanceJson, significanceText } from '../../report/significance-text.ts';
import { type SignificanceTerms, significanceOf } from '../../statistics/significance/significance.ts';
import { differenceOf } from '../../statistics/significance/two-runs.ts';
import { readReturns } from '../run-folders/read-returns.ts';
import { trialOrRun } from '../search/trial-run.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { terminalLook } from '../terminal/terminal-look.ts';
import { type Subject, subjectOf } from './read-judged.ts';

export interface SignificanceFlags extends Pick<SignificanceTerms, 'benchmark' | 'riskless' | 'seed' | 'draws'> {
  /** Trials on the same data, outside of the study. */
  readonly elsewhere: number;
  readonly ruin: number;
  readonly robustness?: boolean;
  readonly json?: boolean;
}

/** The probability at which a track record counts as long enough. */
const CONFIDENCE = 0.95;

/** Judges the best trial of a study, or a run, and prints what decides. */
export async function runSignificance(path: string, options: SignificanceFlags): Promise<void> {
  const { elsewhere, ruin, json, robustness, ...flags } = options;
  const subject = subjectOf(path);
  const terms = { ...flags, annualDays: subject.annualDays, confidence: CONFIDENCE, ruinAt: ruin };
  const found = significanceOf({ ...subject, elsewhere }, terms);
  const { name, chosen } = subject;
  const judged = { name, chosen, days: subject.returns.length, elsewhere };
  const rows = robustness === true ? await changedRuns(subject) : undefined;
  if (json === true) {
    const kept = rows && keptOf(rows);
    const changed = rows?.map((row, place) => ({ ...row, kept: kept![place] }));
    process.stdout.write(`${JSON.stringify({ ...significanceJson(judged, found, terms), robustness: changed })}\n`);
    return;
  }
  const look = terminalLook();
  writeStyled(process.stdout, significanceText(judged, found, terms, look));
  if (rows !== undefined) writeStyled(process.stdout, `\n${robustnessText(rows, look)}\n`);
}

async function changedRuns({ name, chosen }: Subject) {
  if (chosen === undefined)
    throw new TidegateError(
      'USAGE',
      `--robustness: ${name} is the run of no search; expected a study or a trial of it, such as studies/sma#31`,
    );
  const { robustnessOf } = await import('./robustness.ts');
  return await robustnessOf(chosen.study, chosen.trial);
}

/** Compares the daily returns of two runs, or of trials, and prints whether one is better. */
export async function runDifference(a: string, b: string, options: SignificanceFlags): Promise<void> {
  const { elsewhere, ruin, json, robustness, ...flags } = options;
  if (elsewhere > 0 || robustness === true) throw new TidegateError('USAGE', '--elsewhere and --robustness apply to one run or study');
  const [first, second] = [readReturns(await trialOrRun(a)), readReturns(await trialOrRun(b))];
  const terms = { ...flags, annualDays: first.annualDays, confidence: CONFIDENCE, ruinAt: ruin };
  const found = differenceOf(first.returns, second.returns, terms);
  const names = { first: a, second: b };
  if (json === true) process.stdout.write(`${JSON.stringify(differenceJson(names, found, terms))}\n`);
  else writeStyled(process.stdout, differenceText(names, found, terms, terminalLook()));
}
