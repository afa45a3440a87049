import { existsSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { renderStudyPage } from '../../report/html/study-page.ts';
import { STUDY_LIMITS, type StudyParameter, type StudyReport, type StudyTrial } from '../../report/study-report.ts';
import type { Dimension } from '../../search/space.ts';
import { STUDY_FILE, Study } from '../../search/study.ts';
import { positionOf, positionsOf } from '../../search/surroundings.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import type { SpacedSearch } from '../config/schema/search-schema.ts';
import { clientScript } from '../write-report.ts';
import { verdictOfBest } from './judged-trial.ts';
import { dimensionsOf } from './search-plan.ts';
import { plainText } from './search-progress.ts';
import { type RankedTrial, rankedTrials, soughtOf, surroundingsOfBest } from './study-text.ts';
import { studyFolder } from './trial-run.ts';

/** The page of a study in its folder. */
const STUDY_PAGE = 'study.html';

/** Writes the page of a study into its folder. The same trials make the same bytes. @returns its path. */
export async function writeStudyPage(study: Study): Promise<string> {
  const file = join(study.folder, STUDY_PAGE);
  writeFileSync(file, renderStudyPage(studyReport(study), await clientScript()));
  return relative(process.cwd(), file);
}

/** Makes the page of a study again. @param path its folder or its file. @returns the path of the page. @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT */
export async function reportStudy(path: string): Promise<string> {
  const study = Study.open(studyFolder(path));
  try {
    return await writeStudyPage(study);
  } finally {
    study.close();
  }
}

/** Whether a path is that of a study or of its file. */
export function isStudy(path: string): boolean {
  return existsSync(join(studyFolder(path), STUDY_FILE));
}

/** Statistics next to the objective. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades'] as const;
/** So many of the best trials have the steepness of their surroundings. */
const JUDGED = 10;

/** A study as its page shows it. */
export function studyReport(study: Study): StudyReport {
  const { terms } = study;
  const search = terms.search as SpacedSearch;
  const sought = soughtOf(study);
  const { formula, maximize } = sought.objective;
  const known = STATISTIC_DEFINITIONS.find(({ key }) => key === formula.text);
  const figures = FIGURES.flatMap((key) => STATISTIC_DEFINITIONS.filter((one) => one.key === key && key !== known?.key));
  const dimensions = dimensionsOf(search);
  const axes = dimensions.map(axisOf);
  const trials = rankedTrials(study, sought);
  const found = verdictOfBest(trials);
  const surroundings = surroundingsOfBest(trials, study, JUDGED);
  const ranked = trials.map(
    (trial, rank): StudyTrial => ({
      number: trial.number,
      params: dimensions.map(({ name, count }) => (count === undefined ? shortNumber : plainText)(trial.params[name] ?? '')),
      places: positionsOf(trial.point, dimensions),
      cells: trial.point.map((coordinate, place) => axes[place]!.cellOf(coordinate)),
      outcome: trial.outcome,
      reason: trial.reason ?? '',
      value: trial.value,
      missed: trial.missed,
      figures: figures.map(({ key }) => trial.statistics[key] ?? null),
      returns: rank < STUDY_LIMITS.curves ? trial.returns : [],
      surroundings: surroundings[rank],
    }),
  );
  return {
    name: String(terms.name),
    facts: factsOf(terms, search, trials),
    objective: { label: known?.label ?? formula.text, unit: known?.unit, maximize },
    parameters: axes.map(({ parameter }) => parameter),
    figures,
    verdict: found && {
      word: found.verdict.word,
      deflatedSharpe: found.computed?.deflated.probability,
      independent: found.trials.independent,
    },
    ranked,
  };
}

function factsOf(terms: Study['terms'], search: SpacedSearch, trials: readonly RankedTrial[]): StudyReport['facts'] {
  const { method, seed, batch, constraints, where, objective } = search;
  const paths = terms.paths as Readonly<Record<string, string>>;
  const sought = typeof objective === 'string' ? `maximize ${objective}` : Object.entries(objective).flat().join(' ');
  const facts: readonly (readonly [label: string, value: string])[] = [
    ['Objective', sought],
    ['Constraints', constraints.join(', ')],
    ['Method', method],
    ...(method === 'grid' ? [] : ([['Seed', String(seed)]] as const)),
    ...(method === 'tpe' ? ([['Batch', String(batch)]] as const) : []),
    ...Object.entries(search.parameters).map(
      ([name, terms]) => [`Parameter ${name}`, `${paths[name] ?? name}: ${spaceText(terms)}`] as const,
    ),
    ['Conditions', where.join(', ')],
    ['Trials start at', String(terms.from)],
    ['Settings', (terms.set as readonly string[]).join(', ')],
    ['Data', (terms.data as readonly string[]).join(', ')],
    ['Code', String(terms.code)],
    ['Versions', `Tidegate ${String(terms.tidegate)}, Node ${String(terms.node)}`],
    ['Trials', String(trials.length)],
  ];
  return facts.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }));
}

function spaceText({ values, min, max, step, scale }: SpacedSearch['parameters'][string]): string {
  if (values !== undefined) return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
  return `${min} to ${max}${step === undefined ? '' : ` by ${step}`}${scale === 'log' ? ', log' : ''}`;
}

/** A parameter with at most so many values has a cell for each in the heat map; one with more has equal parts of its scale. */
const MOST_CELLS = 24;
const PARTS = 12;
/** A parameter with at most so many values has a tick at each; one with more has them at these places. */
const MOST_TICKS = 8;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Digits of a value of a range without a step: in a table, and at an axis. Those after them are by chance. */
const [TABLE_DIGITS, AXIS_DIGITS] = [5, 3];

function shortNumber(text: string, digits = TABLE_DIGITS): string {
  return String(Number(Number(text).toPrecision(digits)));
}

interface Axis {
  readonly parameter: StudyParameter;
  cellOf(coordinate: number): number;
}

function axisOf(dimension: Dimension): Axis {
  const { name, ordered, count } = dimension;
  const tick = (coordinate: number) => ({ at: positionOf(dimension, coordinate), text: tickText(dimension, coordinate) });
  const each = count === undefined ? [] : Array.from({ length: ordered && count > MOST_CELLS ? 0 : count }, (_, at) => tick(at));
  const ticks =
    each.length > 0 && each.length <= MOST_TICKS ? each : TICKS.map((share) => tick(dimension.at(Math.min(share, 1 - Number.EPSILON))));
  if (each.length > 0) return { parameter: { name, ordered, ticks, cells: each, isCut: false }, cellOf: (coordinate) => coordinate };
  const cellOf = (coordinate: number) => Math.min(PARTS - 1, Math.floor(dimension.shareOf(coordinate) * PARTS));
  const cells = Array.from({ length: PARTS }, (_, part) => tick(dimension.at((part + 0.5) / PARTS)));
  return { parameter: { name, ordered, ticks, cells, isCut: true }, cellOf };
}

/** Longer texts of choices are cut. */
const LONGEST = 24;

function tickText(dimension: Dimension, coordinate: number): string {
  const text = plainText(dimension.text(coordinate));
  if (dimension.count === undefined) return shortNumber(text, AXIS_DIGITS);
  return text.length > LONGEST ? `${coordinate + 1}: ${text.slice(0, LONGEST - 1)}…` : text;
}
