import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { type DeclaredNeeds, Strategy, type StrategyContext } from '../../strategy/strategy.ts';
import { AccountView } from '../../strategy/views.ts';
import { type Complaint, complaints, formatAt, listed, MOST_SHOWN, type WrittenAt } from '../config/reading/problems.ts';
import { alternatives, knownKeys, schemasAt, unknownKeys } from '../config/reading/schema-walk.ts';
import { type ConfigPath, formatPath, type Place } from '../config/reading/tree.ts';
import { loadModule } from './load-module.ts';

/** A class that a user's file exports. */
export type StrategyClass = (new (
  context: StrategyContext,
) => Strategy) & {
  readonly params?: z.ZodType;
  readonly needs?: DeclaredNeeds;
  readonly prototype: Partial<Strategy>;
};

/** Whether a value is a class that extends `Strategy`. */
export function isStrategy(candidate: unknown): candidate is StrategyClass {
  return typeof candidate === 'function' && candidate.prototype instanceof Strategy;
}

/** Fields that `Strategy` sets in its constructor; its getters and methods are on its prototype. */
const FIELDS = ['id', 'params', 'symbols', 'references', 'account', 'log'] as const;
/** A strategy may have its own `bars`: the method is newer than many strategies that keep their bars under this name. */
const FREE: readonly string[] = ['constructor', 'bars', 'state$'];
const METHODS: readonly string[] = Object.getOwnPropertyNames(Strategy.prototype).filter((name) => !FREE.includes(name));

/**
 * Refuses a class whose methods or getters have the name of one of `Strategy`'s own: code that uses that name would get the wrong one.
 * @throws TidegateError STRATEGY_LOAD_FAILED with the names.
 */
export function refuseHiddenMethods(id: string, Class: StrategyClass): void {
  const names: string[] = [];
  for (let prototype = Class.prototype; prototype !== Strategy.prototype; prototype = Object.getPrototypeOf(prototype)) {
    names.push(...Object.getOwnPropertyNames(prototype).filter((name) => METHODS.includes(name) || FIELDS.includes(name as 'id')));
  }
  refuseNames(id, names);
}

/**
 * Constructs a strategy, and refuses one whose fields have the name of one of `Strategy`'s own, such as `state = 'idle'`.
 * @throws TidegateError STRATEGY_LOAD_FAILED with the names.
 */
export function constructed(Class: StrategyClass, context: StrategyContext): Strategy {
  const strategy = new Class(context);
  const own = strategy as unknown as Record<string, unknown>;
  // A field that is hidden has another value than the one that the base class has set.
  const expected = { ...context, references: context.references ?? own.references };
  const hidden = FIELDS.filter((name) => (name === 'account' ? !(own.account instanceof AccountView) : own[name] !== expected[name]));
  refuseNames(context.id, [...METHODS.filter((name) => Object.hasOwn(strategy, name)), ...hidden]);
  return strategy;
}

function refuseNames(id: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const list = [...new Set(names)].map((name) => `"${name}"`).join(', ');
  throw new TidegateError(
    'STRATEGY_LOAD_FAILED',
    `strategy "${id}": its own ${list} ${names.length === 1 ? 'hides' : 'hide'} the one of Strategy with that name: choose another name`,
  );
}

interface LoaderOptions {
  /** Whether an export is a strategy class. */
  readonly isStrategy: (candidate: unknown) => boolean;
  /** The module that the strategy imports as `tidegate`; default: the index of the running code. */
  readonly indexUrl?: string | undefined;
  /** Whether secrets stay in the environment of the process. */
  readonly keepsSecrets?: boolean | undefined;
}

export interface LoadedStrategy {
  readonly StrategyClass: unknown;
  /** The name under which the class is exported. */
  readonly name: string;
  /** SHA-256 of the strategy's sources, the same on every machine. */
  readonly sourceHash: string;
  /** Absolute path of its own file, links followed. */
  readonly entry: string;
  /** The text of this file and of all files that it imports by relative path, by absolute path. */
  readonly sources: ReadonlyMap<string, string>;
}

/**
 * Loads one strategy class from a file in any folder.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED.
 */
export async function loadStrategyClass(file: string, exportName: string | undefined, options: LoaderOptions): Promise<LoadedStrategy> {
  const { exports, sourceHash, entry, sources } = await loadModule(file, options.indexUrl, options.keepsSecrets);
  return { ...pickStrategy(exports, exportName, options.isStrategy, file), sourceHash, entry, sources };
}

/** The strategy class among a module's exports: the named one, or the only one. */
function pickStrategy(
  exports: Readonly<Record<string, unknown>>,
  exportName: string | undefined,
  isStrategy: (candidate: unknown) => boolean,
  file: string,
): { StrategyClass: unknown; name: string } {
  const names = Object.keys(exports);
  const strategies = names.filter((name) => typeof exports[name] === 'function' && isStrategy(exports[name]));
  const fail = (message: string) => new TidegateError('STRATEGY_LOAD_FAILED', `${file}: ${message}`);
  if (exportName !== undefined) {
    if (strategies.includes(exportName)) return { StrategyClass: exports[exportName], name: exportName };
    if (names.includes(exportName)) throw fail(`the export "${exportName}" is not a class that extends Strategy`);
    throw fail(`no export "${exportName}"${suggestion(exportName, strategies.length > 0 ? strategies : names)}`);
  }
  // One class under two names (its own and `default`) counts once.
  const distinct = new Map(strategies.map((name) => [exports[name], name]));
  if (distinct.size > 1) throw fail(`exports several strategies: set \`export\` in the config to one of ${strategies.join(', ')}`);
  const name = strategies[0];
  if (name !== undefined) return { StrategyClass: exports[name], name };
  throw fail(
    names.length === 0
      ? 'exports nothing: export a class that extends Strategy'
      : `exports no class that extends Strategy, only ${names.join(', ')}`,
  );
}

/** The path of the parameters in the config, and functions that find a setting's place in the file. */
interface ParamsPlace {
  /** For example `['strategies', 0, 'params']`. */
  readonly path: ConfigPath;
  readonly locate?: ((path: ConfigPath, aboutKey?: boolean) => Place | undefined) | undefined;
  /** A parameter as written in the config, if a part of it came from the environment: messages show this instead of the value. */
  readonly written?: WrittenAt | undefined;
}

/**
 * Refuses a `static params` that is no schema of zod 4, such as a plain object of defaults.
 * @param of the owner of the parameters, for messages.
 * @throws TidegateError STRATEGY_PARAMS_INVALID.
 */
export function requireSchema(schema: unknown, path: ConfigPath, of = 'strategy'): void {
  if (schema === undefined || (typeof schema === 'object' && schema !== null && '_zod' in schema)) return;
  const expected = 'expected a schema of zod 4, such as z.object({ fast: z.int().default(20) }), with z of `tidegate`';
  throw new TidegateError('STRATEGY_PARAMS_INVALID', `${formatPath(path)}: \`static params\` of the ${of}'s class: ${expected}`);
}

/**
 * Checks and completes a strategy's parameters with its own schema. Unknown keys are refused, also those that zod would drop silently. A
 * strategy without a schema has no parameters.
 * @param of the owner of the parameters, for messages.
 * @throws TidegateError STRATEGY_PARAMS_INVALID with every problem.
 */
export function parseParams(schema: z.ZodType | undefined, params: unknown, where: ParamsPlace, of = 'strategy'): unknown {
  if (schema === undefined) {
    const given = Object.keys(params ?? {});
    if (given.length === 0) return {};
    throw paramsInvalid(
      given.map((key) => ({ path: [key], message: `this ${of} has no parameters`, aboutKey: true })),
      where,
    );
  }
  const unknown = unknownKeys(alternatives(schema), params).map((path): Complaint => {
    const known = knownKeys(schemasAt(schema, path.slice(0, -1)));
    return { path, message: `unknown key${suggestion(String(path.at(-1)), known)}`, aboutKey: true };
  });
  let result: z.ZodSafeParseResult<unknown>;
  try {
    result = schema.safeParse(params ?? {});
  } catch (error) {
    const message = `the schema of the parameters threw: ${error instanceof Error ? error.message : String(error)}`;
    throw paramsInvalid([{ path: [], message, aboutKey: false }], where, error);
  }
  const wrong = result.success
    ? []
    : complaints(result.error.issues, schema, params ?? {}, (path) => where.written?.([...where.path, ...path]));
  const named = new Set(unknown.map(({ path }) => formatPath(path)));
  const all = [...unknown, ...wrong.filter(({ path }) => !named.has(formatPath(path)))];
  if (!result.success || all.length > 0) throw paramsInvalid(all, where);
  return result.data;
}

function paramsInvalid(found: readonly Complaint[], where: ParamsPlace, cause?: unknown): TidegateError {
  const texts = found.slice(0, MOST_SHOWN).map(({ path, message, aboutKey }) => {
    const full = [...where.path, ...path];
    const text = `${formatPath(full)}: ${message}`;
    const place = where.locate?.(full, aboutKey);
    return place === undefined ? text : formatAt(place, text);
  });
  return new TidegateError('STRATEGY_PARAMS_INVALID', listed(texts, found.length), { cause });
}

type Params = Readonly<Record<string, unknown>>;

/**
 * The effective parameters in a form that can be read again: given values stay as written, and the schema's defaults are added. A default
 * that would not be read as the same value (a `Decimal`, or the result of a transform) is left out.
 * @param checked the result of the schema.
 */
export function completedParams(schema: z.ZodType | undefined, given: Params, checked: unknown): Params {
  if (schema === undefined || !isMap(checked)) return given;
  let completed = given;
  for (const [key, value] of Object.entries(checked)) {
    const candidate = { ...completed, [key]: key in completed ? merged(completed[key], value) : value };
    if (isPlain(candidate[key]) && readsAs(schema, candidate, checked)) completed = candidate;
  }
  return completed;
}

function merged(given: unknown, checked: unknown): unknown {
  if (!isMap(given) || !isMap(checked)) return given;
  const both = Object.entries(checked).map(([key, value]) => [key, key in given ? merged(given[key], value) : value]);
  return { ...given, ...Object.fromEntries(both) };
}

function readsAs(schema: z.ZodType, params: Params, checked: Params): boolean {
  try {
    const { success, data } = schema.safeParse(params);
    return success && isDeepStrictEqual(data, checked);
  } catch {
    return false;
  }
}

/** Whether YAML can represent a value. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isMap(value)) return Object.values(value).every(isPlain);
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isMap(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
