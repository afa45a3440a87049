import { relative } from 'node:path';
import { formatShare, formatValue } from '../../report/format.ts';
import { steepnessWord } from '../../report/study-report.ts';
import { TerminalTable } from '../../report/terminal-table.ts';
import { type Formula, parseFormula } from '../../search/expression.ts';
import { byRank, type Objective, objectiveOf, type Ranked, worthOf } from '../../search/objective.ts';
import type { Study, Trial } from '../../search/study.ts';
import { type Surroundings, surroundingsOf } from '../../search/surroundings.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import type { SearchConfig, SpacedSearch } from '../config/schema/search-schema.ts';
import { STATISTIC_KEYS } from '../config/search-rules.ts';
import { showsUnicode } from '../terminal/progress.ts';
import { countsOfKnown, storedTrials } from './known-trials.ts';
import { dimensionsOf } from './search-plan.ts';
import { plainText } from './search-progress.ts';

/** The objective and the constraints of a study. */
export interface Sought {
  readonly objective: Objective;
  readonly constraints: readonly Formula[];
}

export type RankedTrial = Trial & Ranked;

/** The objective and the constraints by which the trials of a stored study are ranked. */
export function soughtOf(study: Study): Sought {
  const { objective, constraints } = study.terms.search as SearchConfig;
  return { objective: objectiveOf(objective, STATISTIC_KEYS), constraints: constraints.map((text) => parseFormula(text, STATISTIC_KEYS)) };
}

/** The trials of a study with their worth, in the order of their numbers. */
export function* worthyTrials(study: Study, { objective, constraints }: Sought): IterableIterator<RankedTrial> {
  for (const trial of study.trials()) yield { ...trial, ...worthOf(trial.statistics, objective, constraints) };
}

/** The same, the best one first. */
export function rankedTrials(study: Study, sought: Sought): RankedTrial[] {
  return [...worthyTrials(study, sought)].sort(byRank(sought.objective));
}

/** How steep the surroundings of the best trials are. @param ranked all trials, the best one first. */
export function surroundingsOfBest(ranked: readonly RankedTrial[], study: Study, count: number): (Surroundings | undefined)[] {
  const { maximize } = soughtOf(study).objective;
  const dimensions = dimensionsOf(study.terms.search as SpacedSearch);
  const placed = ranked.map(({ point, value, missed }) => ({
    point,
    value: value === undefined || missed.length > 0 ? undefined : maximize ? value : -value,
  }));
  return placed.slice(0, count).map((trial) => surroundingsOf(trial, placed, dimensions));
}

/** Rows of the table after a search, and figures next to the objective. */
const SHOWN = 10;
const FIGURES = ['totalReturn', 'maxDrawdown', 'sharpe', 'trades'] as const;

interface Ending {
  /** Why there are fewer trials than were wanted. */
  readonly shortOf: string | undefined;
  readonly stopped: boolean;
  /** The path of the page of the study. */
  readonly page: string;
}

/** The result of a search: its best trials, how many were tried, and how to go on. */
export function searchText(
  study: Study,
  sought: Sought,
  { shortOf, stopped, page }: Ending,
): { readonly text: string; readonly json: object } {
  const ranked = rankedTrials(study, sought);
  const counts = countsOf(ranked);
  const folder = relative(process.cwd(), study.folder) || '.';
  const [best] = ranked;
  const lines = [trialTable(ranked.slice(0, SHOWN), sought, `The best of ${ranked.length} trials, in sample`), '', countsText(counts)];
  lines.push(...reasonsOf(ranked, sought));
  const known = countsOfKnown(storedTrials(study));
  if (known !== undefined)
    lines.push(`Learnt from ${known.taken} trials of ${known.study}; ${known.leftOut} others are no points of this search.`);
  const reads = readsOf(ranked);
  if (reads.length > 0) {
    const names = reads.map(([name, count]) => `${name} (${count})`).join(', ');
    lines.push(`Trials read more than their config and their data, so a later run may give other figures: ${names}.`);
  }
  if (shortOf !== undefined) lines.push(`Ended early: ${shortOf}.`);
  const [near] = surroundingsOfBest(ranked, study, 1);
  if (near !== undefined)
    lines.push(`The neighbors of the best keep ${formatShare(near.kept)} of its lead over the median trial: ${steepnessWord(near.kept)}.`);
  if (ranked.length > 1) lines.push('The best of many trials looks good by chance too: run it on other data before you believe it.');
  lines.push('', `Study: ${folder}`, `Page:  ${page}`);
  if (ranked.length > 1) lines.push(`Luck?  npx tidegate significance ${folder}`);
  if (stopped) lines.push(`Stopped: go on with --resume --out ${folder}`);
  else if (best?.value !== undefined) lines.push(`Apply: npx tidegate search apply ${folder} --trial ${best.number}`);
  const json = {
    study: folder,
    page,
    ...counts,
    stopped,
    ...(reads.length > 0 && { reads: Object.fromEntries(reads) }),
    ...(known !== undefined && { from: known }),
    ...(shortOf !== undefined && { shortOf }),
    best: best === undefined ? null : trialJson(best),
    neighborsKeep: near?.kept ?? null,
  };
  return { text: `${lines.join('\n')}\n`, json };
}

/** The number of trials that read each thing, by its name. */
function readsOf(trials: readonly RankedTrial[]): [name: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { reads = [] } of trials) for (const name of reads) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
}

interface Counts {
  readonly trials: number;
  readonly missed: number;
  readonly pruned: number;
  readonly withoutValue: number;
  readonly failed: number;
}

function countsOf(trials: readonly RankedTrial[]): Counts {
  const done = trials.filter(({ outcome }) => outcome === 'done');
  const pruned = trials.filter(({ outcome }) => outcome === 'pruned').length;
  return {
    trials: trials.length,
    missed: done.filter(({ missed }) => missed.length > 0).length,
    pruned,
    withoutValue: done.filter(({ value }) => value === undefined).length,
    failed: trials.length - done.length - pruned,
  };
}

function countsText({ trials, missed, pruned, withoutValue, failed }: Counts): string {
  const ofPruned = pruned === 0 ? [] : [`${pruned} were ended early as they miss one`];
  const parts = [`${trials} trials`, `${missed} missed a constraint`, ...ofPruned, `${withoutValue} have no objective`, `${failed} failed`];
  return `${parts.join(', ')}.`;
}

/** Reasons that are printed. */
const MOST_REASONS = 3;

/** Why trials have no figures, the most frequent reasons first; and why none has an objective. */
function reasonsOf(trials: readonly RankedTrial[], { objective }: Sought): string[] {
  const counts = new Map<string, number>();
  for (const { outcome, reason = '' } of trials)
    if (outcome !== 'done') counts.set(`${outcome}: ${reason}`, (counts.get(`${outcome}: ${reason}`) ?? 0) + 1);
  const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([text, count]) => `  ${count} ${text}`);
  const more = reasons.length > MOST_REASONS ? [`  and ${reasons.length - MOST_REASONS} other reasons`] : [];
  const sample = STATISTIC_DEFINITIONS.find(({ key }) => key === objective.formula.text)?.smallestSample;
  const isNone =
    sample !== undefined && trials.some(({ outcome }) => outcome === 'done') && trials.every(({ value }) => value === undefined);
  const hint = isNone ? [`No trial has an objective: ${objective.formula.text} needs at least ${sample.count} ${sample.of}.`] : [];
  return [...reasons.slice(0, MOST_REASONS), ...more, ...hint];
}

/** A trial as JSON, without its daily returns. */
export function trialJson({ number, params, outcome, reason, value, missed, statistics, hash, reads = [] }: RankedTrial): object {
  return {
    trial: number,
    params,
    outcome,
    reason,
    objective: value ?? null,
    missed,
    eventLogSha256: hash,
    ...(reads.length > 0 && { reads }),
    statistics,
  };
}

/** A table of trials with parameters, objective and main figures. */
export function trialTable(trials: readonly RankedTrial[], { objective }: Sought, title: string, more: readonly string[] = []): string {
  const { columns = 100, isTTY } = process.stdout;
  const look = { color: isTTY === true && process.env.NO_COLOR === undefined, unicode: showsUnicode(process.env, process.platform) };
  const table = new TerminalTable(columns, look);
  const names = Object.keys(trials[0]?.params ?? {});
  const keys = [...new Set([...more, ...FIGURES])].filter((key) => key !== objective.formula.text);
  const definitions = keys.map((key) => STATISTIC_DEFINITIONS.find((one) => one.key === key)!);
  const known = STATISTIC_DEFINITIONS.find(({ key }) => key === objective.formula.text);
  const head = ['Trial', ...names, known?.label ?? 'Objective', ...definitions.map(({ label }) => label), ''];
  const rows = trials.map(({ number, params, value, outcome, missed, statistics }) => [
    String(number),
    ...names.map((name) => plainText(params[name] ?? '')),
    value === undefined ? 'n/a' : known === undefined ? String(Number(value.toPrecision(6))) : formatValue(known.unit, value),
    ...definitions.map(({ key, unit }) => formatValue(unit, statistics[key] ?? null)),
    outcome !== 'done' ? outcome : missed.length > 0 ? 'missed' : '',
  ]);
  const isNoted = rows.some((row) => row.at(-1) !== '');
  const cut = (row: string[]) => (isNoted ? row : row.slice(0, -1));
  return table.section(title, cut(head), rows.map(cut));
}
