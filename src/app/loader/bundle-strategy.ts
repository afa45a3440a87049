import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';
import { TidegateError } from '../../model/errors.ts';
import { OWN_FILES } from '../base/own-files.ts';

export interface StrategyBundle {
  /** One ES module with its source map inside. */
  readonly code: string;
  /** SHA-256 over the strategy's file and all it imports by relative path: names and texts, not the machine's paths. */
  readonly sourceHash: string;
  /** Absolute paths of those files. */
  readonly files: readonly string[];
  /** What stands in each of them, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Bundles one strategy file, TypeScript or JavaScript, with rolldown: 15 ms, and unlike a loader hook it works
 * in worker threads, outside the project's folder, and with one copy of the framework. `folder` is where the
 * module will be written: its source map is relative to it. The user's tsconfig is not read.
 * @throws TidegateError STRATEGY_LOAD_FAILED with file:line:column.
 */
export async function bundleStrategy(file: string, indexUrl: string, folder: string): Promise<StrategyBundle> {
  const sources = new Map<string, string>();
  const missing: string[] = [];
  try {
    const build = await rolldown({
      input: file,
      platform: 'node',
      tsconfig: false,
      logLevel: 'silent',
      plugins: [strategyResolver(indexUrl, sources, missing)],
    });
    try {
      // Not the default: under jest that is a RegExp of another realm, which rolldown refuses.
      const { output } = await build.generate({
        dir: folder,
        format: 'esm',
        sourcemap: 'inline',
        sourcemapIgnoreList: false,
        codeSplitting: false,
      });
      return { code: output[0].code, sourceHash: hashSources(sources, dirname(file)), files: [...sources.keys()], sources };
    } finally {
      await build.close();
    }
  } catch (error) {
    const text = missing.length > 0 ? missing.join('\n') : bundlingFault(file, error);
    throw new TidegateError('STRATEGY_LOAD_FAILED', text, { cause: error });
  }
}

/** SHA-256 over sources by their paths from the folder of the strategy's own file. */
function hashSources(sources: ReadonlyMap<string, string>, folder: string): string {
  const hash = createHash('sha256');
  const named = [...sources].map(([file, text]): [string, string] => [relative(folder, file).split(sep).join('/'), text]);
  for (const [name, text] of named.sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\0${text}\0`);
  return hash.digest('hex');
}

/**
 * Packages that a strategy shares with the framework, wherever its file lies: a second copy would be a second `Decimal` or
 * `z`; the indicators of trading-signals come along.
 */
const SHARED = /^(rxjs|decimal\.js|zod|trading-signals)(\/|$)/;

/** CommonJS gets what it shares as the names that are exported, by a module of the bundle: `require` would make a copy, or find nothing. */
const REQUIRED = '\0required:';

/**
 * Decides, import by import, what goes into a strategy's bundle. In: the strategy's own files. Out, by file
 * URL: `tidegate` (the index beside the running code), what it shares with us, and other npm packages, found
 * from the folder of the file that imports them. After the build `sources` has every bundled file, and `missing`
 * what was not found, each with its place.
 */
function strategyResolver(indexUrl: string, sources: Map<string, string>, missing: string[]): Plugin {
  return {
    name: 'tidegate-strategy',
    async resolveId(source, importer, { kind }) {
      if (importer === undefined || /^[./]/.test(source) || source.startsWith('\0')) return null;
      const shared = sharedUrl(source, indexUrl);
      const required = kind === 'require-call';
      if (shared !== undefined) return required ? REQUIRED + shared : { id: shared, external: true };
      if (isBuiltin(source)) return { id: source.startsWith('node:') ? source : `node:${source}`, external: true };
      if (/^(file|data|node):/.test(source)) return { id: source, external: true };
      const found = await this.resolve(source, importer, { skipSelf: true });
      if (found === null || found.external) {
        missing.push(`${placeOf(source, importer, sources.get(importer))}: cannot find the package "${source}"`);
        throw new Error(`no package "${source}"`);
      }
      if (!found.id.includes(`${sep}node_modules${sep}`)) return found;
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

/** Where what a strategy shares with the framework lies; `undefined` for everything else. */
function sharedUrl(source: string, indexUrl: string): string | undefined {
  if (source === 'tidegate') return indexUrl;
  if (source === 'zod' && OWN_FILES.zod !== undefined) return OWN_FILES.zod.href;
  return SHARED.test(source) ? import.meta.resolve(source) : undefined;
}

/** Where a file names a package first, as file:line:column. */
function placeOf(source: string, file: string, text = ''): string {
  for (const match of text.matchAll(/\b(?:from|import|require)[\s(]*(['"])([^'"\n]*)\1/g)) {
    if (match[2] !== source) continue;
    const before = text.slice(0, match.index + match[0].length - source.length - 2).split('\n');
    return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
  }
  return file;
}

/** A bundled file keeps its own place in the world, not the cache's; lines stay as they are. */
function ownPlace(code: string, file: string): string {
  return code
    .replace(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(file).href))
    .replace(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(file)))
    .replace(/\bimport\.meta\.filename\b/g, JSON.stringify(file));
}

/** What is read of rolldown's errors; its `message` is a coloured picture, of which the first line is the message. */
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
 * A folder for bundled strategies that only this user can write: what lies there is run. A folder of that
 * name that somebody else made, or a link, is passed over for a fresh one.
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
    // A file of that name, or no right to it: a fresh folder serves as well.
  }
  return realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-modules-')));
}

/** Puts a module into the folder: whole or not at all, also when two processes do it at once. */
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
