import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { fileSha256 } from '../../recording/files.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { isClassFile } from '../config/reading/object-tree.ts';
import { type BundleContent, CodeSchema, writeBundle } from './bundle-file.ts';

/** The folder for a bundle's unpacked sources, next to its config. */
export const SOURCES_FOLDER = 'code';
/** Sections of bots, which no backtest reads, and the data directory, which `verify` sets. */
export const LEFT_OUT = ['paper', 'live', 'record', 'dataDir'];

/** A written bundle. */
interface MadeBundle {
  readonly out: string;
  /** The hash of its content. */
  readonly sha256: string;
  /** The recordings that `verify` needs in addition: `sample`, and for signals `preds (signals)`. */
  readonly needs: readonly string[];
}

/**
 * Packs the backtest of a folder into one file: config, sources, hashes of its data, result.
 * @param out the file, which must not exist; default: the folder's name with `.bundle.gz`.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, OUT_NOT_EMPTY
 */
export function bundleRun(run: string, out = `${run.replace(/[/\\]+$/, '')}.bundle.gz`): MadeBundle {
  const code = codeOf(run);
  const result = runResult(run);
  const { error, interrupted } = result.summary;
  if (error !== null || interrupted === true) {
    throw new TidegateError(
      'DATA_INVALID',
      `${run}: the run was stopped before its end, so it cannot be repeated; expected a complete run`,
    );
  }
  const content: BundleContent = { config: configOf(run, code), code, ...result };
  return { out, sha256: writeBundle(out, content), needs: needsOf(code) };
}

function needsOf({ data, signals = [] }: BundleContent['code']): string[] {
  return [...new Set([...data.map(({ recording }) => recording), ...signals.map(({ recording }) => `${recording} (signals)`)])];
}

function codeOf(run: string): BundleContent['code'] {
  const path = join(run, CODE_FILE);
  if (!existsSync(path) || !existsSync(join(run, 'summary.json'))) {
    const hint = 'expected the folder of a complete backtest of this or a later version: run it again';
    throw new TidegateError('DATA_NOT_FOUND', `${run}: ${CODE_FILE} or summary.json is missing; ${hint}`);
  }
  try {
    const code = JSON.parse(readFileSync(path, 'utf8'));
    refuseClasses(run, code);
    return CodeSchema.parse(code);
  } catch (cause) {
    if (cause instanceof TidegateError) throw cause;
    const text = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new TidegateError('DATA_INVALID', `${path}: ${text}`, { cause });
  }
}

/** @throws TidegateError DATA_INVALID for a run with a class: its text is known, and nothing that it imports. */
function refuseClasses(run: string, { strategies, models }: { readonly strategies?: unknown; readonly models?: unknown }): void {
  const ofClass = (list: unknown) =>
    Array.isArray(list) ? list.find((one) => typeof one?.file === 'string' && isClassFile(one.file)) : undefined;
  const [strategy, model] = [ofClass(strategies), ofClass(models)];
  if (strategy === undefined && model === undefined) return;
  const what = strategy === undefined ? `the model of ${model.setting}` : `strategy "${strategy.id}"`;
  const text = `${run}: ${what} was run from code as a class, and its file is not known`;
  throw new TidegateError('DATA_INVALID', `${text}; expected a run whose strategies and models have \`file\``);
}

function configOf(run: string, { strategies, models = [] }: BundleContent['code']): string {
  const document = parseDocument(readFileSync(join(run, 'config.yaml'), 'utf8'));
  for (const { setting, file } of models) document.setIn([...setting.split('.'), 'file'], `${SOURCES_FOLDER}/${file}`);
  const config = document.toJS() as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(config).filter(([key]) => !LEFT_OUT.includes(key)));
  const own = (kept.strategies as Record<string, unknown>[]).map((one, index) => ({
    ...one,
    file: `${SOURCES_FOLDER}/${strategies[index]!.file}`,
  }));
  return stringify({ ...kept, strategies: own }, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The files that are the same at any time and place. report.html and report.json are made from them. */
const TABLES = ['account.json', 'denied.csv', 'equity.csv', 'fills.csv', 'funding.csv', 'log.jsonl', 'orders.csv', 'trades.csv'] as const;
const LARGE = ['events.jsonl'] as const;
/** Fields that depend on the time and place of the run. */
const OF_THE_TIME: ReadonlySet<string> = new Set(['elapsedMs', 'eventsPerSecond', 'out']);

/** The result in a run's folder, without parts that depend on time and place. */
export function runResult(folder: string): Pick<BundleContent, 'summary' | 'files' | 'hashes'> {
  const present = <Name extends string>(names: readonly Name[]) => names.filter((name) => existsSync(join(folder, name)));
  const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>;
  return {
    summary: Object.fromEntries(Object.entries(summary).filter(([key]) => !OF_THE_TIME.has(key))),
    files: Object.fromEntries(present(TABLES).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    hashes: Object.fromEntries(present(LARGE).map((name) => [name, fileSha256(join(folder, name))])),
  };
}
