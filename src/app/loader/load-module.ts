import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TidegateError } from '../../model/errors.ts';
import { nearest } from '../../model/nearest.ts';
import { OWN_FILES, ownCode } from '../base/own-files.ts';
import { hideSecrets } from '../config/hide-secrets.ts';
import { isClassFile } from '../config/reading/object-tree.ts';
import { bundleStrategy, hashSources, moduleCacheFolder, type StrategyBundle, writeModule } from './bundle-strategy.ts';

export interface LoadedModule {
  /** Absolute path of the file, links followed. */
  readonly entry: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** SHA-256 of its own sources, the same on every machine. */
  readonly sourceHash: string;
  /** Its own sources: the file, and all files that it imports by relative path. */
  readonly files: readonly string[];
  /** The text of each file, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Bundles and imports a file of strategies or models from any folder. It first removes secrets from the environment, so a caller that needs one
 * reads it before. The same code works in Node and under jest, whose module system loads the bundle and the index by file URL. A changed
 * file is loaded again; an unchanged one gives the same module. Stacks show the original file and line.
 * @param indexUrl the module that it imports as `tidegate`; default: the index of the running code.
 * @param keepsSecrets whether secrets stay in the environment: code of the user, which has them, loads the file itself.
 * @param what the content of the file, for messages.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function loadModule(
  file: string,
  indexUrl: string = OWN_FILES.index.href,
  keepsSecrets = false,
  what: 'strategy' | 'model' = 'strategy',
): Promise<LoadedModule> {
  const entry = existingFile(file, what);
  const { module, bundle } = await builtModule(entry, indexUrl, keepsSecrets);
  const exports = exportsOf(await importModule(module, entry, bundle, indexUrl));
  return { entry, exports, sourceHash: bundle.sourceHash, files: bundle.files, sources: bundle.sources };
}

/**
 * Makes the module of a file without running it, so that the next load can find it. The bundler draws random numbers: it must not do so in
 * runs that are compared, because these must draw the same numbers.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function prepareModule(file: string, indexUrl: string = OWN_FILES.index.href): Promise<void> {
  await builtModule(existingFile(file), indexUrl);
}

/**
 * The sources of a file of strategies or models, and the packages that they import. Nothing of it runs.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function moduleSources(file: string): Promise<Pick<StrategyBundle, 'sources' | 'packages'>> {
  const { bundle } = await builtModule(existingFile(file), OWN_FILES.index.href, true);
  return { sources: bundle.sources, packages: bundle.packages };
}

/** The path of the module of a file, and the bundle from which it was made. */
async function builtModule(
  entry: string,
  indexUrl: string,
  keepsSecrets = false,
): Promise<{ readonly module: string; readonly bundle: StrategyBundle }> {
  const folder = moduleCacheFolder();
  const nameOf = (...parts: readonly string[]) =>
    `${parse(entry).name}-${createHash('sha256')
      .update([entry, indexUrl, ...parts].join('\0'))
      .digest('hex')
      .slice(0, 16)}.mjs`;
  const kept = keptModule(entry, folder, nameOf);
  const bundle = kept?.bundle ?? (await bundleStrategy(entry, indexUrl, folder));
  if (!keepsSecrets) hideSecrets();
  // The name depends on path, index and content. So two files with the same text get two modules, and a changed file gets a new one.
  const name = kept !== undefined && bundle.alone && bundle.sources.get(entry) === kept.text ? kept.name : nameOf(bundle.sourceHash);
  return { module: kept?.bundle === undefined ? writeModule(folder, name, bundle.code) : join(folder, kept.name), bundle };
}

interface Kept {
  /** The text of the strategy's file, and the name of the module that an earlier process has made of it alone. */
  readonly text: string;
  readonly name: string;
  /** Absent if there is no such module. */
  readonly bundle: StrategyBundle | undefined;
}

/**
 * Finds the module that an earlier process has made of a file that imports no other file or package of the user. Such a module can be used
 * again while the file's text and the build of the program are the same. This saves time: many backtests take less time than loading the
 * bundler. `undefined` if the program is not built.
 */
function keptModule(entry: string, folder: string, nameOf: (...parts: readonly string[]) => string): Kept | undefined {
  if (OWN_FILES.builtHash === undefined) return undefined;
  const text = readFileSync(entry, 'utf8');
  const name = nameOf('alone', ownCode().sha256, text);
  if (!existsSync(join(folder, name))) return { text, name, bundle: undefined };
  const sources = new Map([[entry, text]]);
  const sourceHash = hashSources(sources, dirname(entry));
  return { text, name, bundle: { code: '', sourceHash, files: [entry], sources, alone: true, packages: [] } };
}

/** Runs another CommonJS file of the user, such as pm2's, and returns its exports. It first removes secrets from the environment. */
export function requireFile(path: string): unknown {
  hideSecrets();
  return createRequire(path)(path);
}

function existingFile(file: string, what = 'strategy'): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return realpathSync(file);
  if (isClassFile(file))
    throw new TidegateError('STRATEGY_NOT_FOUND', `${file}: code gave this class to the run; write the file of the class`);
  const folder = dirname(file);
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => /\.[cm]?[jt]s$/.test(name));
  } catch {
    throw new TidegateError('STRATEGY_NOT_FOUND', `${file}: no such ${what} file; its folder ${folder} does not exist either`);
  }
  const near = nearest(basename(file), names);
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : names.length > 0
        ? `its folder has ${names.slice(0, 10).join(', ')}`
        : `its folder has no ${what} file`;
  throw new TidegateError('STRATEGY_NOT_FOUND', `${file}: no such ${what} file (${hint})`);
}

/** How often everything was forgotten. */
let round = 0;

/**
 * From now on each module is loaded again, so that a run shares no variable with the runs before it in this thread. The memory of earlier
 * modules is not freed.
 */
export function forgetModules(): void {
  round++;
}

async function importModule(module: string, entry: string, bundle: StrategyBundle, indexUrl: string): Promise<Record<string, unknown>> {
  process.setSourceMapsEnabled(true);
  try {
    return await import(`${pathToFileURL(module).href}${round === 0 ? '' : `?${round}`}`);
  } catch (error) {
    const said = (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll(indexUrl, 'tidegate');
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${placeInStack(error, bundle.files) ?? entry}: ${said}`, { cause: error });
  }
}

/** The exports of a module; a CommonJS module has them in its only export. */
function exportsOf(module: Record<string, unknown>): Record<string, unknown> {
  const only = Object.keys(module).length === 1 ? module.default : undefined;
  return typeof only === 'object' && only !== null ? { ...only } : module;
}

/** The first of the strategy's own lines in a stack, as file:line:column. */
function placeInStack(error: unknown, files: readonly string[]): string | undefined {
  const lines = (error instanceof Error ? (error.stack ?? '') : '').split('\n');
  // Longer lines are not frames. The search takes quadratic time, so they are left out.
  const stack = lines.filter((line) => line.length <= 2_000).join('\n');
  for (const [, file, place] of stack.matchAll(/(?:file:\/\/)?(\/[^\n()]*?|[A-Za-z]:[^\n():]*):(\d+:\d+)/g)) {
    if (file !== undefined && files.includes(file)) return `${file}:${place}`;
  }
  return undefined;
}

/** Code of the user, with its sources. */
export type Sourced = Pick<LoadedModule, 'sources'>;

/** The name of each source in the folder of a run: its path from the innermost folder that contains all files of sources. */
export function sourceNames(code: readonly Sourced[]): (file: string) => string {
  const root = commonFolder(code);
  return (file) => (isClassFile(file) ? file : relative(root, file).split(sep).join('/'));
}

/** The innermost folder that contains all files of sources; empty if there are only classes. */
export function commonFolder(code: readonly Sourced[]): string {
  const folders = code.flatMap(({ sources }) => [...sources.keys()].filter((file) => !isClassFile(file)).map((file) => dirname(file)));
  return folders.reduce((common, folder) => {
    let shared = common;
    while (folder !== shared && !folder.startsWith(shared.endsWith(sep) ? shared : shared + sep)) shared = dirname(shared);
    return shared;
  }, folders[0] ?? '');
}
