import { cutTimes } from './cut-times.ts';
import type { BiasChange, BiasOutcome, BiasRun } from './decision.ts';
import { type FirstDifference, firstDifference } from './first-difference.ts';

/** What decisions hang on and must not. */
export type BiasKind = 'lookAhead' | 'sharedState' | 'wallClock' | 'chance' | 'date' | 'files';

/** One kind of bias that was found. */
export interface BiasFinding {
  readonly kind: BiasKind;
  /** How many of the runs that were made to look for it show it. */
  readonly shown: number;
  readonly runs: number;
  /** Epoch ms: where the future was cut off in the run that `first` is of; absent where it was not. */
  readonly cut: number | undefined;
  /** The earliest decision that differs; absent of files. */
  readonly first: FirstDifference | undefined;
  /** Of files. */
  readonly files: readonly string[];
}

/** What came of the search. */
export interface BiasSearch {
  /** The run as it stands. */
  readonly full: BiasOutcome;
  readonly cuts: readonly number[];
  /** Empty where decisions hang on nothing but the past. */
  readonly findings: readonly BiasFinding[];
}

/** How thoroughly it is sought. */
export interface BiasOptions {
  /** In how many places the future is cut off. */
  readonly cuts: number;
  readonly seed: number;
}

/** One run beside another that it must do the same as. */
interface Compared {
  readonly change: BiasChange;
  readonly as: BiasOutcome;
  /** Where it has been made already. */
  readonly outcome?: BiasOutcome;
}

/** A year and a bit: another day, month and year. */
const CLOCK_MS = 400 * 86_400_000;
/** The same weekday and hour, another date. */
const SHIFT_MS = 28 * 86_400_000;

/**
 * Runs a strategy as it stands and again with something cut off or changed that no decision may hang on.
 *
 * - `lookAhead`: up to a point the decisions are others when there is no data after it.
 * - `sharedState`: the same in the memory that the whole run has left behind, or simply once more.
 * - `wallClock`, `chance`: they are others on another day, or with other draws.
 * - `date`: they are others when the same prices come four weeks later: prices that are known by their dates.
 * - `files`: strategies read files, whose future no cut takes away.
 */
export async function findBias(run: BiasRun, { cuts: count, seed }: BiasOptions): Promise<BiasSearch> {
  const full = await run({});
  const cuts = cutTimes(full, count, seed);
  const findings: BiasFinding[] = [];
  const look = async (kind: BiasKind, runs: readonly Compared[]) => {
    const seen: { readonly first: FirstDifference; readonly cut: number | undefined }[] = [];
    for (const { change, as, outcome } of runs) {
      const first = firstDifference(as, outcome ?? (await run(change)));
      if (first !== undefined) seen.push({ first, cut: change.to });
    }
    const [earliest] = seen.sort((one, other) => one.first.time - other.first.time);
    if (earliest !== undefined) findings.push({ kind, shown: seen.length, runs: runs.length, ...earliest, files: [] });
  };
  const fresh = await cutRuns(run, cuts);
  await look(
    'lookAhead',
    fresh.map((as, index) => ({ change: { to: cuts[index] }, as: full, outcome: as })),
  );
  await look('sharedState', [
    { change: { again: true }, as: full },
    ...fresh.map((as, index) => ({ change: { to: cuts[index], again: true }, as })),
  ]);
  await look('wallClock', [{ change: { clockMs: CLOCK_MS }, as: full }]);
  await look(
    'chance',
    [1, 2].map((more) => ({ change: { seed: seed + more }, as: full })),
  );
  await look('date', [{ change: { shiftMs: SHIFT_MS }, as: full }]);
  if (full.files.length > 0) findings.push({ kind: 'files', shown: 1, runs: 1, cut: undefined, first: undefined, files: full.files });
  return { full, cuts, findings };
}

async function cutRuns(run: BiasRun, cuts: readonly number[]): Promise<BiasOutcome[]> {
  const outcomes: BiasOutcome[] = [];
  for (const to of cuts) outcomes.push(await run({ to }));
  return outcomes;
}
