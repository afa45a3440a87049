import { BAR_PATHS } from '../../matching/settings.ts';
import { TidegateError } from '../../model/errors.ts';
import type { LoadOptions } from '../config/load-config.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';

/** What `--path` takes: one path inside bars in place of the config's, or the two extreme ones. */
export const ASKED_PATHS = [...BAR_PATHS, 'both'] as const;
export type AskedPath = (typeof ASKED_PATHS)[number];

/** The path as a setting; of both, the worst is the run whose results are written. */
export function withPath<Options extends LoadOptions>(options: Options, path: AskedPath | undefined): Options {
  if (path === undefined) return options;
  return { ...options, set: [...(options.set ?? []), `backtest.fills.path=${path === 'both' ? 'worst' : path}`] };
}

/** @throws TidegateError USAGE where a path was asked for and no price comes as a bar. */
export function requireBars({ sources }: Pick<BacktestPlan, 'sources'>, path: AskedPath | undefined): void {
  if (path === undefined || sources.some(({ kind }) => kind === 'bar')) return;
  const kinds = [...new Set(sources.map(({ kind }) => kind))].join(' and ');
  throw new TidegateError('USAGE', `--path ${path}: only bars have a path to assume, and this run is fed by ${kinds} data; leave it out`);
}
