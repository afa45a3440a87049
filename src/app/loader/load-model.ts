import type { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { CLASS_PREFIX } from '../config/reading/object-tree.ts';
import { hashSources } from './bundle-strategy.ts';
import { loadModule } from './load-module.ts';

/** The class of a model. It is constructed with its checked parameters. */
export interface ModelClass<Model = unknown> {
  new (params: unknown): Model;
  readonly params?: z.ZodType;
}

export interface LoadedModel {
  readonly ModelClass: ModelClass;
  /** The name under which the class is exported. */
  readonly name: string;
  /** SHA-256 of its sources, the same on every machine. */
  readonly sourceHash: string;
  /** Absolute path of its own file, links followed. */
  readonly entry: string;
  /** The text of this file and of all files that it imports by relative path, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Loads the class of one model from a file in any folder.
 * @param method the method that the class must have.
 * @param keepsSecrets whether secrets stay in the environment, as in `loadModule`.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function loadModelClass(
  file: string,
  exportName: string | undefined,
  method: string,
  keepsSecrets = false,
): Promise<LoadedModel> {
  const { exports, sourceHash, entry, sources } = await loadModule(file, undefined, keepsSecrets, 'model');
  return { ...pickModel(exports, exportName, method, file), sourceHash, entry, sources };
}

/**
 * The class of a model that code gives to the run. Its source is the text of the class.
 * @param file stands for it in the config.
 * @param setting its setting, for messages.
 * @throws TidegateError STRATEGY_LOAD_FAILED if it lacks the method.
 */
export function givenModel(file: string, given: unknown, method: string, setting: string): LoadedModel {
  const name = file.slice(CLASS_PREFIX.length);
  if (!hasMethod(given, method))
    throw new TidegateError(
      'STRATEGY_LOAD_FAILED',
      `${setting}.use: expected a class with the method ${method}; ${name} has none${fieldHint([given], method)}`,
    );
  const sources = new Map([[file, String(given)]]);
  return { ModelClass: given as ModelClass, name, entry: file, sources, sourceHash: hashSources(sources, '') };
}

/** The class of a model among a module's exports: the named one, or the only one with the method. */
function pickModel(
  exports: Readonly<Record<string, unknown>>,
  exportName: string | undefined,
  method: string,
  file: string,
): Pick<LoadedModel, 'ModelClass' | 'name'> {
  const names = Object.keys(exports);
  const models = names.filter((name) => hasMethod(exports[name], method));
  const fail = (message: string) => new TidegateError('STRATEGY_LOAD_FAILED', `${file}: ${message}`);
  const found = (name: string) => ({ ModelClass: exports[name] as ModelClass, name });
  if (exportName !== undefined) {
    if (models.includes(exportName)) return found(exportName);
    if (names.includes(exportName)) throw fail(`the export "${exportName}" is not a class with the method ${method}`);
    throw fail(`no export "${exportName}"${suggestion(exportName, models.length > 0 ? models : names)}`);
  }
  // One class under two names (its own and `default`) counts once.
  const distinct = new Map(models.map((name) => [exports[name], name]));
  if (distinct.size > 1) throw fail(`exports several models: set \`export\` in the config to one of ${models.join(', ')}`);
  const name = models[0];
  if (name !== undefined) return found(name);
  throw fail(
    names.length === 0
      ? `exports nothing: export a class with the method ${method}`
      : `exports no class with the method ${method}, only ${names.join(', ')}${fieldHint(Object.values(exports), method)}`,
  );
}

function hasMethod(candidate: unknown, method: string): boolean {
  const prototype: unknown = typeof candidate === 'function' ? candidate.prototype : undefined;
  return typeof prototype === 'object' && prototype !== null && typeof (prototype as Record<string, unknown>)[method] === 'function';
}

/** A field with an arrow function belongs to an instance, so it is not found in a class. */
function fieldHint(candidates: readonly unknown[], method: string): string {
  const isField = candidates.some((one) => typeof one === 'function' && new RegExp(`\\b${method}\\s*=`).test(String(one)));
  return isField ? `: write ${method} as a method, not as a field` : '';
}
