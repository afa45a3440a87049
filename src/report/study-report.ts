import type { VerdictWord } from '../statistics/significance/verdict.ts';
import type { StatisticDefinition, StatisticUnit, StatisticValue } from '../statistics/statistic.ts';

/** A search with all its trials, as its page needs it. Nothing in it depends on the time, the place or the workers. */
export interface StudyReport {
  readonly name: string;
  /** Facts about the search, in the order in which they are shown. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly objective: StudyObjective;
  readonly parameters: readonly StudyParameter[];
  /** The statistics that are shown next to the objective. */
  readonly figures: readonly StatisticDefinition[];
  /** Whether the best one is more than luck; absent if it has no figures, or for very many trials. */
  readonly verdict?: StudyVerdict | undefined;
  /** The best one first. */
  readonly ranked: readonly StudyTrial[];
}

interface StudyVerdict {
  readonly word: VerdictWord;
  /** Absent with too few daily returns. */
  readonly deflatedSharpe: number | undefined;
  readonly independent: number;
}

interface StudyObjective {
  /** The label of a statistic, or a formula. */
  readonly label: string;
  /** Absent for a formula. */
  readonly unit: StatisticUnit | undefined;
  readonly maximize: boolean;
}

/** A parameter, and how its values are drawn. */
export interface StudyParameter {
  readonly name: string;
  /** Neighboring values are neighbors on the axis: false for choices. */
  readonly ordered: boolean;
  /** Values with their places on its axis, from 0 to 1. */
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  /** The rows or columns of a heat map: a value each, or, where there are many, a part of the range each. */
  readonly cells: readonly { readonly at: number; readonly text: string }[];
  /** Cells are parts of the range. */
  readonly isCut: boolean;
}

export interface StudyTrial {
  readonly number: number;
  /** By parameter: its value as text, its place on the axis from 0 to 1, and its cell. */
  readonly params: readonly string[];
  readonly places: readonly number[];
  readonly cells: readonly number[];
  /** `done`, or the kind of its end without figures. */
  readonly outcome: string;
  readonly reason: string;
  /** The objective; `undefined` without one. */
  readonly value: number | undefined;
  /** The constraints that it misses. */
  readonly missed: readonly string[];
  readonly figures: readonly StatisticValue[];
  /** Daily returns of equity, for the trials that may be drawn. */
  readonly returns: ArrayLike<number>;
  /** How steep its surroundings are; absent for most trials. */
  readonly surroundings?: StudySurroundings | undefined;
}

interface StudySurroundings {
  /** The part of its lead over the median trial that its neighbors keep. */
  readonly kept: number;
  readonly neighbors: number;
  readonly radius: number;
}

/**
 * The limits of the page of a study, so that it stays under 3 MB: rows and cells of the table of trials, dots of a plot and of all plots,
 * values of the heat map, lines and points of the parallel coordinates with their axes, curves of equity with their points, reasons.
 */
export const STUDY_LIMITS = {
  rows: 1_000,
  cells: 24_000,
  dots: 2_000,
  allDots: 30_000,
  heat: 300_000,
  lines: 500,
  linePoints: 6_000,
  axes: 16,
  curves: 30,
  days: 400,
  reasons: 20,
} as const;

/** From this part of its lead on, a trial is on a plateau; up to that part, on a spike. */
const PLATEAU = 2 / 3;
const SPIKE = 1 / 3;

/** The word for the part of its lead that the neighbors of a trial keep. */
export function steepnessWord(kept: number): 'plateau' | 'slope' | 'spike' {
  if (kept >= PLATEAU) return 'plateau';
  return kept <= SPIKE ? 'spike' : 'slope';
}

/** Whether a trial counts: it has an objective and meets all constraints. */
export function counts({ value, missed }: Pick<StudyTrial, 'value' | 'missed'>): boolean {
  return value !== undefined && missed.length === 0;
}

/** A trial with an objective. */
export type Valued = StudyTrial & { readonly value: number };

/** The trials with an objective, in the order of their numbers, within the limit of dots. */
export function dotsOf({ ranked, parameters }: StudyReport): readonly Valued[] {
  const limit = Math.min(STUDY_LIMITS.dots, Math.floor(STUDY_LIMITS.allDots / (parameters.length + 1)));
  return evenly(
    ranked.filter((trial): trial is Valued => trial.value !== undefined),
    limit,
  );
}

/** The trials of the heat map, in the order of their numbers. */
export function heatTrials({ ranked, parameters }: StudyReport): readonly StudyTrial[] {
  return evenly(ranked, Math.floor(STUDY_LIMITS.heat / (parameters.length + 2)));
}

/** The best trials are always among those that are shown. */
const ALWAYS = 10;
/** Multiples of it spread evenly between whole numbers, and so do those of every second, third or further multiple: no value of a grid is left out. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** About so many of the trials, evenly chosen, and the best ones. @param ranked the best one first. @returns them in the order of their numbers. */
function evenly<Trial extends StudyTrial>(ranked: readonly Trial[], limit: number): readonly Trial[] {
  const share = limit / ranked.length;
  return ranked.filter(({ number }, rank) => rank < ALWAYS || (number * GOLDEN) % 1 < share).sort((a, b) => a.number - b.number);
}

/** A curve of equity: growth since the start, as a share, after some of the days. */
export interface StudyCurve {
  readonly trial: StudyTrial;
  readonly days: readonly number[];
  readonly growth: readonly number[];
}

/** The curves of the best trials. Of long ones, every second, third or further day is drawn, and the last. */
export function curvesOf({ ranked }: StudyReport): { readonly curves: readonly StudyCurve[]; readonly each: number } {
  const best = ranked.filter((trial) => counts(trial) && trial.returns.length > 0).slice(0, STUDY_LIMITS.curves);
  const longest = Math.max(0, ...best.map(({ returns }) => returns.length));
  const each = Math.max(1, Math.ceil(longest / STUDY_LIMITS.days));
  return { curves: best.map((trial) => curveOf(trial, each)), each };
}

function curveOf(trial: StudyTrial, each: number): StudyCurve {
  const { returns } = trial;
  const [days, growth] = [[0], [0]];
  let equity = 1;
  for (let day = 1; day <= returns.length; day++) {
    equity *= 1 + returns[day - 1]!;
    // A trial that lost all its equity has no returns afterwards.
    if (!Number.isFinite(equity)) break;
    if (day % each !== 0 && day !== returns.length) continue;
    days.push(day);
    growth.push(equity - 1);
  }
  return { trial, days, growth };
}
