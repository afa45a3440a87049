import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { TABLES } from '../backtest/results/parquet-tables.ts';
import { isInProgress, RUN_MARK } from '../backtest/results/run-mark.ts';
import { isBotFolder } from './run-entry.ts';

/** All files that a backtest writes into its folder, and the folders of tables that it was writing as Parquet. */
const OF_A_BACKTEST: ReadonlySet<string> = new Set([
  ...['account.json', CODE_FILE, 'config.yaml', RUN_MARK, 'summary.json', 'summary-best.json', 'report.html', 'report.json'],
  ...TABLES.flatMap((table) => [
    `${table}.csv`,
    `${table}.csv.part`,
    `${table}.parquet`,
    `${table}.parquet.part`,
    `${table}.parquet.pieces`,
  ]),
  ...['plots.json', 'log.jsonl', 'events.jsonl', 'causes.jsonl'],
]);

/**
 * Removes the folders of backtests. Nothing is removed if one of them cannot be.
 * @param runs folders, or names in `folder`.
 * @returns the removed folders.
 * @throws TidegateError RUN_NOT_REMOVABLE for a bot's folder, a run that may be in progress, or a folder with other files; DATA_NOT_FOUND
 */
export function removeRuns(runs: readonly string[], folder: string): string[] {
  const paths = [...new Set(runs.map((run) => (existsSync(run) ? run : join(folder, run))))];
  for (const path of paths) requireRemovable(path);
  for (const path of paths) rmSync(path, { recursive: true });
  return paths;
}

function requireRemovable(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new TidegateError('DATA_NOT_FOUND', `there is no run ${path}: nothing was removed`);
  const refuse = (why: string) => new TidegateError('RUN_NOT_REMOVABLE', `${path} ${why}: nothing was removed`);
  if (!found.isDirectory()) throw refuse('is not a folder; expected the folder of a backtest');
  if (isBotFolder(path)) throw refuse('belongs to a bot, whose journal proves what it did and is needed to resume it');
  const names = readdirSync(path);
  if (!names.some((name) => name === CODE_FILE || name === RUN_MARK || name === 'summary.json'))
    throw refuse('is not the folder of a backtest');
  if (isInProgress(path)) throw refuse('is in progress; stop the backtest first');
  if (!names.includes('summary.json') && !names.includes(RUN_MARK))
    throw refuse('has no results, and nothing shows whether a backtest of an earlier version still writes them');
  const other = names.find((name) => !OF_A_BACKTEST.has(name));
  if (other !== undefined) throw refuse(`also has ${other}, which no backtest writes; move that file away first`);
}
