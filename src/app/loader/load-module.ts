import { createHash } from 'node:crypto';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, parse } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TidegateError } from '../../model/errors.ts';
import { nearest } from '../base/nearest.ts';
import { OWN_FILES } from '../base/own-files.ts';
import { bundleStrategy, moduleCacheFolder, type StrategyBundle, writeModule } from './bundle-strategy.ts';

export interface LoadedModule {
  /** Absolute path of the file, links followed. */
  readonly entry: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** SHA-256 of its own sources, the same on every machine. */
  readonly sourceHash: string;
  /** Its own sources: the file, and what that imports by relative path. */
  readonly files: readonly string[];
  /** What stands in each of them, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Bundles and imports a file of strategies from anywhere on disk. The same code works in Node and under jest: there, both
 * the bundle and the index go through jest's module system, which takes file URLs. A file that has changed is
 * loaded anew, an unchanged one is the same module again. Stacks name the original file and line.
 * @param indexUrl what `tidegate` means to it; default: the index beside the running code.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function loadModule(file: string, indexUrl: string = OWN_FILES.index.href): Promise<LoadedModule> {
  const entry = existingFile(file);
  const folder = moduleCacheFolder();
  const bundle = await bundleStrategy(entry, indexUrl, folder);
  // By path, index and content: two strategies with one text are two modules, and so is one strategy after a change.
  const key = createHash('sha256').update(`${entry}\0${indexUrl}\0${bundle.sourceHash}`).digest('hex').slice(0, 16);
  const module = writeModule(folder, `${parse(entry).name}-${key}.mjs`, bundle.code);
  const exports = exportsOf(await importModule(module, entry, bundle, indexUrl));
  return { entry, exports, sourceHash: bundle.sourceHash, files: bundle.files, sources: bundle.sources };
}

function existingFile(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return realpathSync(file);
  const folder = dirname(file);
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => /\.[cm]?[jt]s$/.test(name));
  } catch {
    throw new TidegateError('STRATEGY_NOT_FOUND', `${file}: no such strategy file, nor its folder ${folder}`);
  }
  const near = nearest(basename(file), names);
  const hint =
    near !== undefined ? `did you mean ${near}?` : names.length > 0 ? `there are: ${names.slice(0, 10).join(', ')}` : 'its folder has none';
  throw new TidegateError('STRATEGY_NOT_FOUND', `${file}: no such strategy file (${hint})`);
}

async function importModule(module: string, entry: string, bundle: StrategyBundle, indexUrl: string): Promise<Record<string, unknown>> {
  process.setSourceMapsEnabled(true);
  try {
    return await import(pathToFileURL(module).href);
  } catch (error) {
    const said = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll(indexUrl, 'tidegate');
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${placeInStack(error, bundle.files) ?? entry}: ${said}`, { cause: error });
  }
}

/** CommonJS exports one thing, which holds what it names. */
function exportsOf(module: Record<string, unknown>): Record<string, unknown> {
  const only = Object.keys(module).length === 1 ? module.default : undefined;
  return typeof only === 'object' && only !== null ? { ...only } : module;
}

/** The first of the strategy's own lines in a stack, as file:line:column. */
function placeInStack(error: unknown, files: readonly string[]): string | undefined {
  const lines = (error instanceof Error ? (error.stack ?? '') : '').split('\n');
  // No frame is as long: the search would take the square of the length of a message.
  const stack = lines.filter((line) => line.length <= 2_000).join('\n');
  for (const [, file, place] of stack.matchAll(/(?:file:\/\/)?(\/[^\n()]*?|[A-Za-z]:[^\n():]*):(\d+:\d+)/g)) {
    if (file !== undefined && files.includes(file)) return `${file}:${place}`;
  }
  return undefined;
}
