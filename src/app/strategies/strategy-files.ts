import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';

/** A file to look into. */
export interface StrategyFile {
  readonly path: string;
  /** It was named, not found in a folder: a strategy is expected in it. */
  readonly named: boolean;
}

/**
 * The files that are meant by names of files and folders; of a folder, those right inside it.
 * @throws TidegateError STRATEGY_NOT_FOUND for what is not there, and for a folder without any.
 */
export function strategyFiles(paths: readonly string[]): StrategyFile[] {
  return paths.flatMap((path): StrategyFile[] => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new TidegateError('STRATEGY_NOT_FOUND', `${path}: no such file or folder`);
    if (!found.isDirectory()) return [{ path, named: true }];
    const names = readdirSync(path).filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.(d|test|spec)\.[cm]?[jt]s$/.test(name));
    if (names.length === 0) throw new TidegateError('STRATEGY_NOT_FOUND', `${path}: no .ts, .js or .mjs file in this folder`);
    return names.sort().map((name) => ({ path: join(path, name), named: false }));
  });
}
