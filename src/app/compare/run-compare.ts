import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { comparisonJson, renderComparison } from '../../report/comparison-text.ts';
import { renderComparisonPage } from '../../report/html/comparison-page.ts';
import { compareRuns } from '../../statistics/comparison/compare-runs.ts';
import type { ComparedRun } from '../../statistics/comparison/compared-run.ts';
import type { CompareOptions, Comparison } from '../../statistics/comparison/comparison.ts';
import { makeOutFolder } from '../backtest/results/out-folder.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { showsUnicode } from '../terminal/progress.ts';
import { clientScript } from '../write-report.ts';
import { readBacktest } from './read-backtest.ts';
import { readBot } from './read-bot.ts';

export interface CompareCommandOptions {
  readonly out?: string;
  readonly window?: number;
  readonly tolerance: number;
  readonly currency?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly all?: boolean;
}

/** The largest time between the decisions of two orders that are matched, in ms. */
export const WINDOW_MS = 60_000;

/** Compares two runs and prints the comparison. */
export async function runCompare(
  a: string,
  b: string,
  { out, window: windowMs = WINDOW_MS, tolerance: toleranceMs, currency, json, quiet, all = false }: CompareCommandOptions,
): Promise<void> {
  const written = await compareFolders({ a, b, out, windowMs, toleranceMs, currency });
  if (json === true) process.stdout.write(`${JSON.stringify({ ...written.json, out: written.out })}\n`);
  else if (quiet !== true) {
    const { columns = 100, isTTY } = process.stdout;
    const color = isTTY === true && process.env.NO_COLOR === undefined;
    const text = renderComparison({ a, b }, written.comparison, {
      columns,
      color,
      unicode: showsUnicode(process.env, process.platform),
      all,
    });
    writeStyled(process.stdout, `${text}\nResults: ${written.out}\nReport:  ${written.out}/comparison.html\n`);
  }
}

/** The options of a comparison. */
interface CompareRequest extends CompareOptions {
  /** The folders of two runs, or journals. */
  readonly a: string;
  readonly b: string;
  readonly out: string | undefined;
  readonly currency: string | undefined;
}

/** A comparison, its JSON, and the folder of its files. */
interface WrittenComparison {
  readonly comparison: Comparison;
  readonly json: Record<string, unknown>;
  readonly out: string;
}

/**
 * Compares two runs and writes comparison.html and comparison.json.
 * @throws TidegateError with the run and its problem.
 */
export async function compareFolders({ a, b, out, currency, ...options }: CompareRequest): Promise<WrittenComparison> {
  const [runA, runB] = readRuns(a, b, currency);
  const comparison = compareRuns(runA, runB, options);
  const folder = makeOutFolder('compare', out);
  const names = { a, b };
  const json = comparisonJson(names, comparison);
  writeFileSync(join(folder, 'comparison.json'), `${JSON.stringify(json, null, 2)}\n`);
  const page = renderComparisonPage({ names, comparison, equity: { a: runA.equity, b: runB.equity } }, await clientScript());
  writeFileSync(join(folder, 'comparison.html'), page);
  return { comparison, json, out: relative(process.cwd(), folder) || '.' };
}

const JOURNAL = 'journal.sqlite';

const EXPECTED = 'the folder of a backtest, such as runs/sma-cross-1, or of a bot, such as runs/sma-cross-paper';

/** Reads the two runs of a comparison. A bot's amounts are in the backtest's currency, unless an option sets another. */
export function readRuns(a: string, b: string, currency: string | undefined): [ComparedRun, ComparedRun] {
  if (journalOf(a) === undefined) {
    const first = readBacktest(a);
    return [first, readRun(b, currency ?? first.currency)];
  }
  const second = readRun(b, currency);
  return [readRun(a, currency ?? second.currency), second];
}

/** @throws TidegateError DATA_NOT_FOUND if there is no run. */
export function readRun(path: string, currency: string | undefined): ComparedRun {
  const journal = journalOf(path);
  return journal === undefined ? readBacktest(path) : readBot(journal, path, currency);
}

/** The path of a bot's journal, from its folder or itself; `undefined` for a backtest's folder. */
function journalOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new TidegateError('DATA_NOT_FOUND', `${path} does not exist; expected ${EXPECTED}`);
  if (found.isFile()) return path;
  if (existsSync(join(path, JOURNAL))) return join(path, JOURNAL);
  if (existsSync(join(path, 'summary.json'))) return undefined;
  throw new TidegateError('DATA_NOT_FOUND', `${path} has neither summary.json nor ${JOURNAL}; expected ${EXPECTED}`);
}
