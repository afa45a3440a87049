import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { Plugin } from 'rolldown';
import { TidegateError } from '../../model/errors.ts';
import { bundledPackage } from '../base/own-files.ts';

export interface StrategyBundle {
  /** One ES module with its source map inside. */
  readonly code: string;
  /** SHA-256 of the strategy's file and all files that it imports by relative path: of names and texts, without absolute paths. */
  readonly sourceHash: string;
  /** Absolute paths of those files. */
  readonly files: readonly string[];
  /** The text of each file, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
  /** True if the strategy is one file that imports no other file and no package of the user: the file's text alone determines the code. */
  readonly alone: boolean;
  /** The packages of the user that it imports, by name. */
  readonly packages: readonly string[];
}

/**
 * Bundles one strategy file, TypeScript or JavaScript, with rolldown. It takes 15 ms. Unlike a loader hook it works in worker threads,
 * outside the project's folder, and with one copy of the framework. The user's tsconfig is not read.
 * @param folder the folder of the module to write: its source map is relative to it.
 * @throws TidegateError STRATEGY_LOAD_FAILED with file:line:column.
 */
export async function bundleStrategy(file: string, indexUrl: string, folder: string): Promise<StrategyBundle> {
  const sources = new Map<string, string>();
  const missing: string[] = [];
  const packages = new Set<string>();
  try {
    const { rolldown } = await import('rolldown');
    const build = await rolldown({
      input: file,
      platform: 'node',
      tsconfig: false,
      logLevel: 'silent',
      plugins: [strategyResolver({ indexUrl, sources, missing, packages })],
    });
    try {
      // Set explicitly: under jest the default is a RegExp of another realm, which rolldown refuses.
      const { output } = await build.generate({
        dir: folder,
        format: 'esm',
        sourcemap: 'inline',
        sourcemapIgnoreList: false,
        codeSplitting: false,
      });
      const alone = packages.size === 0 && sources.size === 1;
      const sourceHash = hashSources(sources, dirname(file));
      return { code: output[0].code, sourceHash, files: [...sources.keys()], sources, alone, packages: [...packages] };
    } finally {
      await build.close();
    }
  } catch (error) {
    const text = missing.length > 0 ? missing.join('\n') : bundlingFault(file, error);
    throw new TidegateError('STRATEGY_LOAD_FAILED', text, { cause: error });
  }
}

/** SHA-256 of the sources and their paths relative to the folder of the strategy's file. */
export function hashSources(sources: ReadonlyMap<string, string>, folder: string): string {
  const hash = createHash('sha256');
  const named = [...sources].map(([file, text]): [string, string] => [relative(folder, file).split(sep).join('/'), text]);
  for (const [name, text] of named.sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\0${text}\0`);
  return hash.digest('hex');
}

/**
 * Packages that a strategy shares with the framework, in any folder: a second copy would be a second `Decimal` or `z`. The indicators of
 * trading-signals are included.
 */
const SHARED = /^(rxjs|decimal\.js|zod|trading-signals)(\/|$)/;

/** Prefix of a module of the bundle that gives CommonJS the exports of a shared package: `require` would load a copy, or fail. */
const REQUIRED = '\0required:';

/** The folder that strategies of this process may import files from; `undefined`: any. */
let confinedTo: string | undefined;

/**
 * From now on strategies and models of this process import only files of this folder, and packages: code that came in a bundle does not
 * run other files of the disk.
 */
export function confineSources(folder: string): void {
  confinedTo = realpathSync(folder) + sep;
}

/** The program's module that strategies import, and the findings of a build. */
interface Resolved {
  readonly indexUrl: string;
  readonly sources: Map<string, string>;
  readonly missing: string[];
  readonly packages: Set<string>;
}

/**
 * Decides for each import whether it is bundled. The strategy's own files are bundled. `tidegate` (the index of the running code), shared
 * packages and other npm packages are imported by file URL. Other npm packages are resolved from the folder of the file that imports
 * them. After the build, `sources` has every bundled file, `packages` every other npm package, and `missing` a message for
 * each import that was not found.
 */
function strategyResolver({ indexUrl, sources, missing, packages }: Resolved): Plugin {
  return {
    name: 'tidegate-strategy',
    async resolveId(source, importer, { kind }) {
      if (importer === undefined || source.startsWith('\0')) return null;
      const refuse = (reason: string) => {
        missing.push(`${placeOf(source, importer, sources.get(importer))}: ${reason}`);
        throw new Error(`no module "${source}"`);
      };
      const foreign = `"${source}" is not one of the packed files: a bundle may import only these`;
      if (/^[./]/.test(source)) {
        if (confinedTo === undefined) return null;
        const file = await this.resolve(source, importer, { skipSelf: true });
        return file === null || realpathSync(file.id).startsWith(confinedTo) ? file : refuse(foreign);
      }
      const shared = sharedUrl(source, indexUrl);
      const required = kind === 'require-call';
      if (shared !== undefined) return required ? REQUIRED + shared : { id: shared, external: true };
      if (isBuiltin(source)) return { id: source.startsWith('node:') ? source : `node:${source}`, external: true };
      if (confinedTo !== undefined && source.startsWith('file:')) return refuse(foreign);
      if (/^(file|data|node):/.test(source)) return { id: source, external: true };
      packages.add(source);
      const found = await this.resolve(source, importer, { skipSelf: true });
      if (found === null || found.external) return refuse(`cannot find the package "${source}": install it next to the strategy`);
      if (!found.id.includes(`${sep}node_modules${sep}`)) return confinedTo === undefined ? found : refuse(foreign);
      return { id: required ? found.id : pathToFileURL(found.id).href, external: true };
    },
    load(id) {
      return id.startsWith(REQUIRED) ? `export * from ${JSON.stringify(id.slice(REQUIRED.length))};` : null;
    },
    transform(code, id) {
      if (id.startsWith('\0')) return null;
      sources.set(id, code);
      return code.includes('import.meta.') ? { code: ownPlace(code, id), map: null } : null;
    },
  };
}

/** The URL of a package that a strategy shares with the framework; `undefined` for other imports. */
function sharedUrl(source: string, indexUrl: string): string | undefined {
  if (source === 'tidegate') return indexUrl;
  return bundledPackage(source)?.href ?? (SHARED.test(source) ? import.meta.resolve(source) : undefined);
}

/** The first import of a package in a file, as file:line:column. */
function placeOf(source: string, file: string, text = ''): string {
  for (const match of text.matchAll(/\b(?:from|import|require)[\s(]*(['"])([^'"\n]*)\1/g)) {
    if (match[2] !== source) continue;
    const before = text.slice(0, match.index + match[0].length - source.length - 2).split('\n');
    return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
  }
  return file;
}

/** Replaces `import.meta` paths by those of the original file, as the bundle is in the cache. Line numbers stay the same. */
function ownPlace(code: string, file: string): string {
  return code
    .replace(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(file).href))
    .replace(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(file)))
    .replace(/\bimport\.meta\.filename\b/g, JSON.stringify(file));
}

/** The parts of rolldown's errors that are read. `message` has a coloured excerpt; its first line is the message. */
interface BundlerFault {
  readonly message: string;
  readonly loc?: { readonly file?: string; readonly line: number; readonly column: number };
}

function bundlingFault(file: string, error: unknown): string {
  const faults = error instanceof Error && 'errors' in error ? (error.errors as readonly BundlerFault[]) : [];
  const texts = faults.map(({ message, loc }) => {
    const text = stripVTControlCharacters(message).replace(/^\[\w+\]\s*/, '');
    const line = text.split('\n').find((part) => part.trim() !== '') ?? 'cannot be read';
    return loc === undefined ? `${file}: ${line}` : `${loc.file ?? file}:${loc.line}:${loc.column + 1}: ${line}`;
  });
  return texts.length > 0 ? texts.join('\n') : `${file}: ${error instanceof Error ? error.message : String(error)}`;
}

/**
 * A folder for bundled strategies that only this user can write, because its files are executed. If the folder belongs to another user
 * or is a link, a new one is made.
 */
export function moduleCacheFolder(): string {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `tidegate-modules-${user ?? 'user'}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (found.isDirectory() && (user === undefined || found.uid === user)) {
      chmodSync(folder, 0o700);
      return realpathSync(folder);
    }
  } catch {
    // A file has this name, or access is denied: a new folder is made.
  }
  return realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-modules-')));
}

/** Writes a module into the folder atomically, also if two processes do it at once. */
export function writeModule(folder: string, name: string, code: string): string {
  const file = join(folder, name);
  try {
    if (readFileSync(file, 'utf8') === code) return file;
  } catch {
    // Not there yet.
  }
  const part = join(folder, `${name}.${randomUUID()}.part`);
  writeFileSync(part, code, { mode: 0o600 });
  renameSync(part, file);
  return file;
}
