import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { formatValue } from '../../report/format.ts';
import { TerminalTable } from '../../report/terminal-table.ts';
import { STUDY_FILE, Study } from '../../search/study.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import type { SearchConfig } from '../config/schema/search-schema.ts';
import { STATISTIC_KEYS } from '../config/search-rules.ts';
import { showsUnicode } from '../terminal/progress.ts';
import { paramsText } from './search-progress.ts';
import { type RankedTrial, rankedTrials, soughtOf, trialJson, trialTable } from './study-text.ts';

/** One study of a folder. */
interface ListedStudy {
  readonly study: string;
  readonly method?: string;
  readonly trials?: number;
  readonly objective?: string;
  readonly best?: { readonly trial: number; readonly value: number; readonly params: Readonly<Record<string, string>> } | undefined;
  /** Why it cannot be read. */
  readonly problem?: string;
}

export interface ListedStudies {
  readonly folder: string;
  readonly studies: readonly ListedStudy[];
}

/** The studies of a folder. One that cannot be read is listed with its problem. @throws TidegateError DATA_NOT_FOUND */
export function listStudies(folder: string): ListedStudies {
  if (!existsSync(folder)) throw new TidegateError('DATA_NOT_FOUND', `${folder}: no such folder; a search makes it`);
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, STUDY_FILE)));
  return { folder, studies: names.sort().map((name) => listed(join(folder, name))) };
}

function listed(folder: string): ListedStudy {
  try {
    return withStudy(folder, (study) => {
      const sought = soughtOf(study);
      const [best] = rankedTrials(study, sought);
      const { method } = study.terms.search as SearchConfig;
      const common = { study: folder, method, trials: study.size, objective: sought.objective.formula.text };
      if (best?.value === undefined) return common;
      return { ...common, best: { trial: best.number, value: best.value, params: best.params } };
    });
  } catch (error) {
    if (error instanceof TidegateError) return { study: folder, problem: error.message };
    throw error;
  }
}

export function listText({ folder, studies }: ListedStudies): string {
  if (studies.length === 0) return `${folder} has no studies.`;
  const { columns = 100, isTTY } = process.stdout;
  const look = { color: isTTY === true && process.env.NO_COLOR === undefined, unicode: showsUnicode(process.env, process.platform) };
  const rows = studies.map(({ study, method = '', trials, objective = '', best, problem }) => [
    study,
    method,
    trials === undefined ? '' : String(trials),
    problem ?? objective,
    best === undefined ? '' : String(Number(best.value.toPrecision(6))),
    best === undefined ? '' : paramsText(best.params),
  ]);
  const head = ['Study', 'Method', 'Trials', 'Objective', 'Best', 'Parameters of the best, in sample'];
  return new TerminalTable(columns, look).section('Studies', head, rows, ['left', 'left', 'right', 'left', 'right', 'left']);
}

interface ShowOptions {
  readonly sort?: string | undefined;
  readonly reverse?: boolean | undefined;
  readonly top: number;
  readonly trial?: number | undefined;
}

/** @throws TidegateError DATA_NOT_FOUND for a study or a trial that does not exist, USAGE for an unknown key. */
export function showStudy(
  folder: string,
  { sort, reverse = false, top, trial }: ShowOptions,
): { readonly text: string; readonly json: object } {
  return withStudy(folder, (study) => {
    const sought = soughtOf(study);
    const ranked = rankedTrials(study, sought);
    if (trial !== undefined) {
      const one = ranked.find(({ number }) => number === trial);
      if (one === undefined) throw new TidegateError('DATA_NOT_FOUND', `${folder}: has no trial ${trial}, of ${study.size}`);
      return { text: oneText(one), json: trialJson(one) };
    }
    const sorted = sort === undefined ? ranked : sortedBy(ranked, sort);
    const shown = (reverse ? sorted.reverse() : sorted).slice(0, top);
    if (shown.length === 0) return { text: 'No trial has ended yet.', json: { study: folder, trials: [] } };
    const title = `${shown.length} of ${ranked.length} trials, in sample`;
    const more = sort !== undefined && STATISTIC_KEYS.includes(sort) ? [sort] : [];
    return { text: trialTable(shown, sought, title, more), json: { study: folder, trials: shown.map(trialJson) } };
  });
}

function withStudy<T>(folder: string, work: (study: Study) => T): T {
  const study = Study.open(folder);
  try {
    return work(study);
  } finally {
    study.close();
  }
}

/** By a statistic, the largest first; by a parameter or the number, the smallest first. Trials without it come last. */
function sortedBy(trials: readonly RankedTrial[], key: string): RankedTrial[] {
  const names = Object.keys(trials[0]?.params ?? {});
  if (key !== 'trial' && !STATISTIC_KEYS.includes(key) && !names.includes(key))
    throw new TidegateError('USAGE', `--sort ${key}: no such statistic or parameter${suggestion(key, [...names, ...STATISTIC_KEYS])}`);
  const isStatistic = STATISTIC_KEYS.includes(key);
  const figureOf = ({ number, params, statistics }: RankedTrial) => {
    const value = key === 'trial' ? number : isStatistic ? statistics[key] : params[key];
    return value === null || value === undefined ? Number.NaN : Number(value);
  };
  return trials.toSorted((a, b) => {
    const [x, y] = [figureOf(a), figureOf(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a.number - b.number;
    return (isStatistic ? y - x : x - y) || a.number - b.number;
  });
}

function oneText({ number, params, outcome, reason, value, missed, hash, statistics, reads = [] }: RankedTrial): string {
  const lines = [`Trial ${number}, in sample: ${paramsText(params)}`, `Objective: ${value ?? 'n/a'}`];
  if (outcome !== 'done') lines.push(`${outcome}: ${reason ?? ''}`);
  for (const one of missed) lines.push(`Missed: ${one}`);
  if (reads.length > 0) lines.push(`Read besides config and data: ${reads.join(', ')}`);
  if (hash !== undefined) lines.push(`eventLogSha256: ${hash}`);
  for (const { key, label, unit } of STATISTIC_DEFINITIONS)
    if (key in statistics) lines.push(`  ${label}: ${formatValue(unit, statistics[key] ?? null)}`);
  return lines.join('\n');
}
