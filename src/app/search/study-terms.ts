import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import type { Chosen } from '../../search/course.ts';
import { STUDY_FILE, type Study, type StudyTerms, type Trial } from '../../search/study.ts';
import { ownVersion } from '../base/own-files.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { KnownTrials } from './known-trials.ts';
import type { SearchPlan } from './search-plan.ts';
import type { Ground } from './trial-ground.ts';

/** The folder of studies in the working directory. */
const STUDIES = 'studies';

interface TermParts {
  readonly loaded: LoadedConfig;
  readonly plan: SearchPlan;
  readonly ground: Ground;
  /** The path of the config from which `apply` makes that of a trial. */
  readonly config: string;
  /** `--set` of the search. */
  readonly set: readonly string[];
  readonly hash: boolean;
  /** Trials of an earlier study. */
  readonly known: KnownTrials | undefined;
}

/** The terms of a study. */
export function termsOf({ loaded, plan, ground, config, set, hash, known }: TermParts): StudyTerms {
  return {
    name: loaded.config.name,
    config: relative(process.cwd(), config),
    set: set.filter((one) => !/^search[.=]/.test(one)),
    search: plan.search,
    paths: plan.paths,
    from: isoTime(ground.from),
    setsFrom: ground.setsFrom,
    // The search itself is compared by its own terms.
    settings: JSON.stringify({ ...loaded.config, search: undefined }),
    code: ground.code,
    data: ground.series.map(({ name, sha256 }) => `${name} ${sha256}`),
    tidegate: ownVersion(),
    node: process.versions.node,
    hash,
    ...(known !== undefined && { known }),
  };
}

/** The folder of a study without a name: the first free `studies/<name>-<n>`; to resume, the last one that there is. */
export function freeFolder(name: string, resume: boolean): string {
  for (let n = 1; ; n++) {
    const folder = (number: number) => join(STUDIES, `${name}-${number}`);
    if (existsSync(folder(n))) continue;
    if (resume && n === 1) throw new TidegateError('DATA_NOT_FOUND', `${STUDIES} holds no study of ${name}: give its folder by --out`);
    return folder(resume ? n - 1 : n);
  }
}

const SAME: readonly (readonly [key: string, what: string])[] = [
  ['search', 'search section'],
  ['set', '--set'],
  ['settings', 'config'],
  ['code', 'code of strategies, models or Tidegate'],
  ['data', 'data'],
  ['from', 'start of the trials'],
  ['node', 'version of Node'],
  ['hash', '--hash'],
  ['known', '--from'],
];

/** A term as it is compared: a search may go on for more trials, and an earlier study may be moved. */
function sameText(terms: StudyTerms, key: string): string {
  const term = terms[key];
  if (key === 'known') return JSON.stringify((term as KnownTrials | undefined)?.trials ?? null);
  return JSON.stringify(key === 'search' ? { ...(term as object), trials: undefined } : term);
}

/** @throws TidegateError CONFIG_INVALID if the study was made with other terms. */
export function requireSame(study: Study, terms: StudyTerms): void {
  const before = study.terms;
  const isGiven = (key: string) => key !== 'known' || terms.known !== undefined;
  const differ = SAME.filter(([key]) => isGiven(key) && sameText(before, key) !== sameText(terms, key)).map(([, what]) => what);
  if (differ.length === 0) return;
  const file = join(relative(process.cwd(), study.folder), STUDY_FILE);
  study.close();
  throw new TidegateError(
    'CONFIG_INVALID',
    `${file}: was made with another ${differ.join(', another ')}: begin a new study, without --resume`,
  );
}

/** @throws TidegateError DATA_CORRUPT if the study has another point under the number of a trial. */
export function requirePoint(study: Study, trial: Trial, chosen: Chosen): void {
  if (JSON.stringify(trial.point) === JSON.stringify(chosen.point)) return;
  throw new TidegateError('DATA_CORRUPT', `${study.folder}: trial ${trial.number} has another point than the search gives it`);
}
