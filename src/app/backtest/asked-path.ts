import { TidegateError } from '../../model/errors.ts';
import type { LoadOptions } from '../config/load-config.ts';
import type { BacktestPlan } from '../planning/run-plans.ts';
import type { AskedPath } from './worker-protocol.ts';

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
