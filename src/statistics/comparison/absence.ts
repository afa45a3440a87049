import { isoTime } from '../../model/time.ts';
import type { Absence, ComparedRun } from './compared-run.ts';
import { missingAt, type Pause } from './price-coverage.ts';

/** Why a run could not decide or fill as the other one did, and the observation in words, without the name of the run. */
export interface Absent {
  readonly cause: Absence['cause'] | 'missingData';
  readonly note: string;
}

/**
 * Why a run could not decide at this time. A kill comes before a stop, as its end does not depend on the process. A stop comes before
 * missing data, as a bot that does not run has no prices.
 */
export function absentAt(run: ComparedRun, other: ComparedRun, symbol: string, time: number): Absent | undefined {
  const { absences = [] } = run;
  const around = absences.filter(({ from, to }) => from <= time && time < to);
  const absence = around.find(({ cause }) => cause === 'killed') ?? around[0];
  if (absence !== undefined) return { cause: absence.cause, note: absenceText(absence) };
  const gap = missingAt(run.coverage.get(symbol), other.coverage.get(symbol), time);
  return gap === undefined ? undefined : { cause: 'missingData', note: gapText(gap) };
}

function absenceText({ cause, from, to }: Absence): string {
  if (cause === 'killed') return `was killed at ${isoTime(from)}`;
  if (!Number.isFinite(from)) return `did not run before ${isoTime(to)}`;
  return Number.isFinite(to) ? `did not run between ${isoTime(from)} and ${isoTime(to)}` : `did not run after ${isoTime(from)}`;
}

/** The missing data of a run, in words. */
function gapText([from, to]: Pause): string {
  if (!Number.isFinite(from)) return Number.isFinite(to) ? `had no prices before ${isoTime(to)}` : 'had no prices of it';
  return Number.isFinite(to) ? `had no prices between ${isoTime(from)} and ${isoTime(to)}` : `had no prices after ${isoTime(from)}`;
}
