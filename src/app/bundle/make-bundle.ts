import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { fileSha256 } from '../../recording/files.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { type BundleContent, CodeSchema, writeBundle } from './bundle-file.ts';

/** The folder that a bundle's sources are unpacked to, beside its config. */
export const SOURCES_FOLDER = 'code';
/** Sections of bots, which no backtest reads, and what `verify` is told. */
const LEFT_OUT = ['paper', 'live', 'record', 'dataDir'];

/**
 * Packs the backtest of a folder into one file: config, sources, hashes of its data, result.
 * @param out the file, which must not be there; left out, the folder's name with `.bundle.gz`.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, OUT_NOT_EMPTY
 */
export function bundleRun(run: string, out = `${run.replace(/[/\\]+$/, '')}.bundle.gz`): { readonly out: string; readonly sha256: string } {
  const code = codeOf(run);
  const result = runResult(run);
  const { error, interrupted } = result.summary;
  if (error !== null || interrupted === true) {
    throw new TidegateError('DATA_INVALID', `${run}: the run did not reach its end; expected one that did, whose result can be made again`);
  }
  const content: BundleContent = { config: configOf(run, code), code, ...result };
  return { out, sha256: writeBundle(out, content) };
}

function codeOf(run: string): BundleContent['code'] {
  const path = join(run, CODE_FILE);
  if (!existsSync(path) || !existsSync(join(run, 'summary.json'))) {
    const hint = 'expected the folder of a backtest that has ended, written by this or a later version: run it again';
    throw new TidegateError('DATA_NOT_FOUND', `${run}: holds no ${CODE_FILE}, or no summary.json; ${hint}`);
  }
  try {
    return CodeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const text = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new TidegateError('DATA_INVALID', `${path}: ${text}`, { cause });
  }
}

function configOf(run: string, { strategies }: BundleContent['code']): string {
  const config = parse(readFileSync(join(run, 'config.yaml'), 'utf8')) as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(config).filter(([key]) => !LEFT_OUT.includes(key)));
  const own = (kept.strategies as Record<string, unknown>[]).map((one, index) => ({
    ...one,
    file: `${SOURCES_FOLDER}/${strategies[index]!.file}`,
  }));
  return stringify({ ...kept, strategies: own }, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** What is the same whenever and wherever a run is made: report.html and report.json are drawn from it. */
const TABLES = ['account.json', 'denied.csv', 'equity.csv', 'fills.csv', 'funding.csv', 'log.jsonl', 'orders.csv'] as const;
const LARGE = ['events.jsonl'] as const;
/** How long it took, and where it was written. */
const OF_THE_TIME: ReadonlySet<string> = new Set(['elapsedMs', 'eventsPerSecond', 'out']);

/** The result in a run's folder, as far as the same run gives the same. */
export function runResult(folder: string): Pick<BundleContent, 'summary' | 'files' | 'hashes'> {
  const present = <Name extends string>(names: readonly Name[]) => names.filter((name) => existsSync(join(folder, name)));
  const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>;
  return {
    summary: Object.fromEntries(Object.entries(summary).filter(([key]) => !OF_THE_TIME.has(key))),
    files: Object.fromEntries(present(TABLES).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    hashes: Object.fromEntries(present(LARGE).map((name) => [name, fileSha256(join(folder, name))])),
  };
}
