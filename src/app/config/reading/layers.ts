import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { isRemote } from '../../../recording/remote-storage.ts';
import { nearestDataFolder } from './data-folder.ts';
import { isClassFile, MODEL_SETTINGS, type ObjectConfig, type ObjectTree, objectTree } from './object-tree.ts';
import type { Problem } from './problems.ts';
import { ConfigTooLarge, readConfigText, readTree } from './read-tree.ts';
import { borrow, isSecretPath, noteSecret } from './secrets.ts';
import {
  type ConfigNode,
  type ConfigPath,
  child,
  type MapEntry,
  type MapNode,
  makeSource,
  mapScalars,
  merge,
  type Position,
  type ScalarNode,
  type Source,
  without,
} from './tree.ts';

// The layers of a config, in the order in which they are applied: files that extend each other, `--set`, environment variables, and
// absolute paths.

/** The variables that replace `${NAME}`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads a file and merges it over the files that it extends. Collects the problems of all files of the chain. */
export class ChainReader {
  readonly problems: Problem[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** @param known the text of the first file, if it must not be read. @throws TidegateError CONFIG_NOT_FOUND if it cannot be read. */
  read(shown: string, known?: string): ConfigNode {
    const file = resolve(shown);
    if (known !== undefined) return this.#readText(known, shown, [file]);
    let text: string;
    try {
      text = readConfigText(file);
    } catch (error) {
      const code = error instanceof ConfigTooLarge ? 'CONFIG_INVALID' : 'CONFIG_NOT_FOUND';
      throw new TidegateError(code, `${shown}: cannot read this config file (${reason(error)})`, { cause: error });
    }
    return this.#readText(text, shown, [file]);
  }

  /** Reads a config that is an object. @param folder from which its relative paths start. */
  readObject(config: ObjectConfig, folder: string): { readonly root: ConfigNode; readonly classes: ObjectTree['classes'] } {
    const { root, problems, classes } = objectTree(config, makeSource('config', folder, ''));
    this.problems.push(...problems);
    return { root: this.#extended(root, []), classes };
  }

  #readText(text: string, shown: string, chain: readonly string[]): ConfigNode {
    const source = makeSource(shown, dirname(chain.at(-1) ?? ''), text);
    const { root, problems } = readTree(text, source);
    this.problems.push(...problems);
    return root === undefined ? { kind: 'map', at: { source, line: 1, column: 1 }, entries: new Map() } : this.#extended(root, chain);
  }

  /** Merges a config over the one that it extends. */
  #extended(root: ConfigNode, chain: readonly string[]): ConfigNode {
    const top: Position = { ...root.at, line: Math.min(root.at.line, 1), column: 1 };
    if (root.kind !== 'map') {
      this.problems.push({ at: root.at, message: 'expected a map of settings, such as `name: my-bot`' });
      return { kind: 'map', at: top, entries: new Map() };
    }
    const base = root.entries.get('extends')?.value;
    const own = without(root, 'extends');
    if (base === undefined || (base.kind === 'scalar' && base.value === null)) return own;
    if (base.kind !== 'scalar') return this.#refuse(base.at, 'expected the path of a config file', own);
    const { text: path, problem } = substituteText(base.text, this.#environment);
    if (problem !== undefined) return this.#refuse(base.at, problem, own);
    return this.#readBase(path, base.at, own, chain);
  }

  #readBase(path: string, at: Position, own: ConfigNode, chain: readonly string[]): ConfigNode {
    const file = resolve(at.source.folder, path);
    if (chain.includes(file)) return this.#refuse(at, `${path} extends itself, directly or through other files`, own);
    try {
      const shown = isAbsolute(path) ? path : join(dirname(at.source.shown), path);
      return merge(this.#readText(readConfigText(file), shown, [...chain, file]), own);
    } catch (error) {
      if (error instanceof TidegateError) throw error;
      return this.#refuse(at, `cannot read ${path} (${reason(error)})`, own);
    }
  }

  #refuse(at: Position, message: string, own: ConfigNode): ConfigNode {
    this.problems.push({ at, path: ['extends'], message });
    return own;
  }
}

function reason(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Applies one `--set a.b.0.c=value` to the tree. The value is YAML. Missing maps are created, a list item must exist, and `null` removes
 * the setting.
 */
export function applyOverride(root: ConfigNode, argument: string): { root: ConfigNode; problems: readonly Problem[] } {
  const source = makeSource('--set', process.cwd(), argument);
  const equals = argument.indexOf('=');
  const segments = split(argument.slice(0, Math.max(equals, 0)), source);
  const fault = (at: Position, message: string) => ({ root, problems: [{ at, message }] });
  const start: Position = { source, line: 1, column: 1 };
  if (equals < 0 || segments.some(({ key }) => key === '' || key === '__proto__')) {
    return fault(start, 'expected --set path.to.setting=value, such as --set strategies.0.params.fast=10');
  }
  if (segments[0]?.key === 'extends') return fault(start, '`extends` cannot be set from the command line');
  // Blanks instead of the path keep the columns of the argument.
  const { root: value, problems } = readTree(' '.repeat(equals + 1) + argument.slice(equals + 1), source);
  if (problems.length > 0) return { root, problems };
  const isEmpty = value === undefined || (value.kind === 'scalar' && value.value === null && value.text === '');
  if (isEmpty) return fault(start, `no value after the "=": write one; ${argument.slice(0, equals)}=null removes the setting`);
  try {
    return { root: put(root, segments, value), problems: [] };
  } catch (error) {
    if (error instanceof Misplaced) return fault(error.at, error.message);
    throw error;
  }
}

interface Segment {
  readonly key: string;
  readonly at: Position;
}

function split(path: string, source: Source): Segment[] {
  let column = 1;
  return path.split('.').map((key) => {
    const at = { source, line: 1, column };
    column += key.length + 1;
    return { key, at };
  });
}

function put(node: ConfigNode | undefined, [segment, ...rest]: readonly Segment[], value: ConfigNode): ConfigNode {
  if (segment === undefined) return value;
  const { key, at } = segment;
  if (node?.kind === 'list') {
    const index = /^\d+$/.test(key) ? Number(key) : -1;
    if (index < 0 || index >= node.items.length)
      throw new Misplaced(at, `expected the number of a list item, below ${node.items.length}, not "${key}"`);
    return { ...node, items: node.items.map((item, place) => (place === index ? put(item, rest, value) : item)) };
  }
  if (node?.kind === 'scalar' && node.value !== null)
    throw new Misplaced(at, `there is no "${key}" here: the setting above it is a plain value, not a map`);
  const entries = new Map(node?.kind === 'map' ? node.entries : []);
  entries.set(key, { keyAt: at, value: put(entries.get(key)?.value, rest, value) });
  return { kind: 'map', at: node?.at ?? at, entries };
}

/** Thrown for a path through a plain value or past the end of a list. */
class Misplaced extends Error {
  constructor(
    readonly at: Position,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Replaces environment variables in all text except secrets, which stay references. With `live.enabled` the variables of the keys must be
 * set, unless `keysMayBeUnset`. Only a bot with posted signals needs its token.
 */
export function substitute(root: ConfigNode, environment: Environment, keysMayBeUnset = false): { root: ConfigNode; problems: Problem[] } {
  const problems: Problem[] = [];
  const enabled = ['live', 'enabled'].reduce<ConfigNode | undefined>((node, key) => node && child(node, key), root);
  const isLive = enabled?.kind === 'scalar' && enabled.value === true && !keysMayBeUnset;
  const change = (scalar: ScalarNode, path: ConfigPath): ConfigNode => {
    if (typeof scalar.value !== 'string' || !scalar.value.includes('$')) return scalar;
    const { text, problem, borrowed } = substituteText(scalar.value, environment);
    const isSecret = isSecretPath(path);
    if (isSecret) noteSecret(scalar.value);
    if (problem !== undefined && (!isSecret || (isLive && path[1] === 'keys'))) problems.push({ at: scalar.at, path, message: problem });
    return isSecret
      ? scalar
      : { ...scalar, text, value: scalar.plain ? plainValue(text) : text, written: borrowed ? scalar.value : undefined };
  };
  return { root: mapScalars(root, change), problems };
}

/** `$${` (an escape), `${NAME}`, `${NAME:-default}` (whose default has no `${`, so that the search stays linear), or any other `${`. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(:-((?:[^}$]|\$(?!\{))*))?\}|\$\{/g;

/** The text with its variables replaced; `borrowed` if a value came from the environment; `problem` describes the first bad reference. */
function substituteText(text: string, environment: Environment): { text: string; problem: string | undefined; borrowed: boolean } {
  let problem: string | undefined;
  let borrowed = false;
  const result = text.replace(REFERENCE, (match, name: string | undefined, marked: string | undefined, fallback: string | undefined) => {
    if (match.startsWith('$$')) return match.slice(1);
    if (name === undefined) {
      problem ??= `expected $\{NAME} or $\{NAME:-default}; for a literal $\{ write $$\{`;
      return match;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined) {
      borrow(name, value);
      borrowed = true;
    }
    if (marked !== undefined) return value || (fallback ?? '');
    if (value === undefined) problem ??= `the environment variable ${name} is not set`;
    return value ?? match;
  });
  return { text: result, problem, borrowed };
}

/** Reads unquoted text as YAML's core schema does. */
function plainValue(text: string): ScalarNode['value'] {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}

/** The settings that are paths; `*` matches any key. */
const PATH_SETTINGS: readonly ConfigPath[] = [
  ['dataDir'],
  ['strategies', '*', 'file'],
  ['signals', '*', 'file'],
  ['backtest', 'latency', 'recorded'],
  ...MODEL_SETTINGS.map((setting) => [...setting.split('.'), 'file']),
  // In the config of a local exchange.
  ...MODEL_SETTINGS.map((setting) => [...setting.split('.').slice(1), 'file']),
  ['paper', 'dir'],
  ['live', 'dir'],
  ['live', 'keys', '*', 'file'],
  ['paper', 'post', 'token', 'file'],
  ['live', 'post', 'token', 'file'],
];
/** Default folder of the sections of bots, relative to the config's folder. */
const RUNS = '../runs';
const BOT_SECTIONS = ['paper', 'live'];

interface ResolvedPaths {
  readonly root: ConfigNode;
  /** Each absolute path as it is shown: relative to the config's folder, unless it was written as absolute. */
  readonly shown: ReadonlyMap<string, string>;
}

/** Makes paths absolute, each from the folder of its file (for `--set`: the current folder). The URL of a data directory stays as it is. */
export function resolvePaths(root: MapNode, folder: string): ResolvedPaths {
  const shown = new Map<string, string>();
  const change = (scalar: ScalarNode, path: ConfigPath): ScalarNode => {
    if (!isPathSetting(path) || scalar.value === null || scalar.text === '') return scalar;
    if (path[0] === 'dataDir' ? isRemote(scalar.text) : isClassFile(scalar.text)) return scalar;
    const file = resolve(scalar.at.source.folder, scalar.text);
    shown.set(file, isAbsolute(scalar.text) ? file : relative(folder, file).split(sep).join('/') || '.');
    return { ...scalar, value: file, text: file };
  };
  const withDefault = (map: MapNode, key: 'dataDir' | 'dir', path: string): MapNode => {
    if (map.entries.has(key)) return map;
    const file = resolve(folder, path);
    shown.set(file, relative(folder, file).split(sep).join('/'));
    const value: ScalarNode = { kind: 'scalar', at: map.at, value: file, text: '', plain: false };
    return { ...map, entries: new Map([...map.entries, [key, { keyAt: map.at, value }]]) };
  };
  const { entries } = withDefault(root, 'dataDir', nearestDataFolder(folder));
  const filled = [...entries].map(([key, { keyAt, value }]): [string, MapEntry] => [
    key,
    { keyAt, value: BOT_SECTIONS.includes(key) && value.kind === 'map' ? withDefault(value, 'dir', RUNS) : value },
  ]);
  return { root: mapScalars({ ...root, entries: new Map(filled) }, change), shown };
}

/** Whether a setting is the path of a file or a folder. */
export function isPathSetting(path: ConfigPath): boolean {
  return PATH_SETTINGS.some((pattern) => matches(pattern, path));
}

function matches(pattern: ConfigPath, path: ConfigPath): boolean {
  return pattern.length === path.length && pattern.every((part, index) => part === '*' || part === path[index]);
}
