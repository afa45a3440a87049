import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { comparisonJson } from '../../report/comparison-text.ts';
import { renderComparisonPage } from '../../report/html/comparison-page.ts';
import { compareRuns } from '../../statistics/comparison/compare-runs.ts';
import type { CompareOptions, Comparison } from '../../statistics/comparison/comparison.ts';
import { makeOutFolder } from '../backtest/results/out-folder.ts';
import { clientScript } from '../write-report.ts';
import { readRuns } from './read-run.ts';

/** What is asked of a comparison. */
export interface CompareRequest extends CompareOptions {
  /** The folders of two runs, or journals. */
  readonly a: string;
  readonly b: string;
  readonly out: string | undefined;
  readonly currency: string | undefined;
}

/** A comparison, as JSON too, and the folder that it was written to. */
export interface WrittenComparison {
  readonly comparison: Comparison;
  readonly json: Record<string, unknown>;
  readonly out: string;
}

/**
 * Compares two runs and writes comparison.html and comparison.json.
 * @throws TidegateError naming the run and what is wrong with it.
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
