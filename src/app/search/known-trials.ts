import { relative } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import type { EndedTrial } from '../../search/sampler.ts';
import { Study } from '../../search/study.ts';
import type { SearchPlan } from './search-plan.ts';

/** Trials of an earlier study, from which a search learns before its first trial. A study stores them, so that it can go on without the earlier one. */
export interface KnownTrials {
  /** Folder of the earlier study. */
  readonly study: string;
  /** Its trials that are not in the space of this search, or whose end depended on the machine. */
  readonly leftOut: number;
  /** Points with their objective; without one, null. */
  readonly trials: readonly { readonly point: EndedTrial['point']; readonly value: number | null }[];
}

/** How many trials of an earlier study were taken, for output. */
export interface KnownCounts {
  readonly study: string;
  readonly taken: number;
  readonly leftOut: number;
}

/**
 * The trials of an earlier study that are points of this search, by its objective and its constraints.
 * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT; USAGE for another method than tpe, or if no trial is a point of it.
 */
export function knownTrials(folder: string, plan: SearchPlan): KnownTrials {
  if (plan.search.method !== 'tpe')
    throw new TidegateError('USAGE', `--from ${folder}: only the method tpe learns from trials: add --set search.method=tpe`);
  const study = Study.open(folder);
  try {
    const trials = [...study.trials()].flatMap((trial) => {
      const point = trial.outcome === 'timeout' || trial.outcome === 'memory' ? undefined : plan.pointOf(trial.params);
      return point === undefined ? [] : [{ point, value: plan.score(trial) ?? null }];
    });
    if (trials.length === 0)
      throw new TidegateError('USAGE', `--from ${folder}: none of its ${study.size} trials is in the space of this search`);
    return { study: relative(process.cwd(), study.folder) || '.', leftOut: study.size - trials.length, trials };
  } finally {
    study.close();
  }
}

/** The trials that a study has stored. */
export function storedTrials(study: Study): KnownTrials | undefined {
  return study.terms.known as KnownTrials | undefined;
}

/** As a sampler takes them. */
export function endedTrials(known: KnownTrials | undefined): EndedTrial[] {
  return (known?.trials ?? []).map(({ point, value }) => ({ point, value: value ?? undefined }));
}

export function countsOfKnown(known: KnownTrials | undefined): KnownCounts | undefined {
  return known && { study: known.study, taken: known.trials.length, leftOut: known.leftOut };
}
