import { TidegateError } from '../../model/errors.ts';
import type { Study } from '../../search/study.ts';
import { type Judged, type Significance, significanceOf } from '../../statistics/significance/significance.ts';
import { type RankedTrial, rankedTrials, soughtOf } from './study-text.ts';

/** A trial of a study among all of them. */
export interface JudgedTrial extends Omit<Judged, 'elsewhere' | 'profits'> {
  readonly number: number;
  readonly annualDays: number;
}

/**
 * A trial of a study as it is judged, with those of which it was chosen.
 * @param number of the trial; default: the best one.
 * @throws TidegateError DATA_NOT_FOUND if there is no such trial, DATA_INVALID if it has no returns.
 */
export function judgedTrial(study: Study, number?: number): JudgedTrial {
  const ranked = rankedTrials(study, soughtOf(study));
  const chosen = number === undefined ? ranked[0] : ranked.find((one) => one.number === number);
  if (chosen === undefined) {
    const reason = number === undefined ? 'no trial has ended yet' : `has no trial ${number}, of ${study.size}`;
    throw new TidegateError('DATA_NOT_FOUND', `${study.folder}: ${reason}`);
  }
  if (chosen.outcome !== 'done')
    throw new TidegateError(
      'DATA_INVALID',
      `${study.folder}: trial ${chosen.number} has no returns: ${chosen.outcome}: ${chosen.reason ?? ''}`,
    );
  return judgedAmong(chosen, ranked);
}

function judgedAmong(chosen: RankedTrial, ranked: readonly RankedTrial[]): JudgedTrial {
  // Failed trials could not win.
  const tried = ranked.filter(({ outcome }) => outcome === 'done' || outcome === 'pruned');
  return {
    number: chosen.number,
    annualDays: Number(chosen.statistics.annualDays),
    returns: [...chosen.returns],
    trials: tried.filter(({ outcome }) => outcome === 'done').map(({ returns }) => [...returns]),
    tried: tried.length,
  };
}

/** Trials up to which the page of a study has a verdict: more take longer than the page. */
const MOST_TRIALS = 2_000;

/** The verdict on the best of these trials as the page of a study shows it; `undefined` for too many trials, or if the best one has no figures. */
export function verdictOfBest(ranked: readonly RankedTrial[]): Significance | undefined {
  const [best] = ranked;
  if (best === undefined || best.outcome !== 'done' || ranked.length > MOST_TRIALS) return undefined;
  const judged = judgedAmong(best, ranked);
  const terms = { benchmark: 0, riskless: 0, confidence: 0.95, seed: 1, draws: 2_000, ruinAt: 0.5 };
  return significanceOf({ ...judged, elsewhere: 0 }, { ...terms, annualDays: judged.annualDays });
}
