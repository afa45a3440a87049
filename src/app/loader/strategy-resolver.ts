import { isBuiltin } from 'node:module';
import { dirname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';
import { OWN_FILES } from '../own-files.ts';

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
export function strategyResolver(indexUrl: string, sources: Map<string, string>, missing: string[]): Plugin {
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
