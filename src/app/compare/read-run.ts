import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import type { ComparedRun } from '../../statistics/comparison/compared-run.ts';
import { readBacktest } from './read-backtest.ts';
import { readBot } from './read-bot.ts';

const JOURNAL = 'journal.sqlite';

/** Reads the two runs of a comparison; a bot is counted in the currency of the backtest beside it, unless one is named. */
export function readRuns(a: string, b: string, currency: string | undefined): [ComparedRun, ComparedRun] {
  if (journalOf(a) === undefined) {
    const first = readBacktest(a);
    return [first, readRun(b, currency ?? first.currency)];
  }
  const second = readRun(b, currency);
  return [readRun(a, currency ?? second.currency), second];
}

/** @throws TidegateError DATA_NOT_FOUND where there is no run. */
function readRun(path: string, currency: string | undefined): ComparedRun {
  const journal = journalOf(path);
  return journal === undefined ? readBacktest(path) : readBot(journal, path, currency);
}

/** The journal of a bot's folder, or the one that a path names; `undefined` for a backtest's folder. */
function journalOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new TidegateError('DATA_NOT_FOUND', `${path}: is not there; expected ${EXPECTED}`);
  if (found.isFile()) return path;
  if (existsSync(join(path, JOURNAL))) return join(path, JOURNAL);
  if (existsSync(join(path, 'summary.json'))) return undefined;
  throw new TidegateError('DATA_NOT_FOUND', `${path}: holds neither summary.json nor ${JOURNAL}; expected ${EXPECTED}`);
}

const EXPECTED = 'the folder of a backtest, such as runs/sma-cross-1, or of a bot, such as runs/sma-cross-paper';
