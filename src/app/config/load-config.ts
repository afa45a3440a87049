import { dirname, resolve } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import type { z } from 'zod';
import { isoTime } from '../../model/time.ts';
import { crossRules } from './cross-rules.ts';
import { searchedDataFolders } from './reading/data-folder.ts';
import { applyOverride, ChainReader, type Environment, isPathSetting, resolvePaths, substitute } from './reading/layers.ts';
import type { ObjectConfig } from './reading/object-tree.ts';
import { type Complaint, complaints, configInvalid, type Problem, type WrittenAt } from './reading/problems.ts';
import { alternatives, dropNulls, toValue } from './reading/schema-walk.ts';
import { isSecretPath } from './reading/secrets.ts';
import {
  type ConfigNode,
  type ConfigPath,
  formatPath,
  keyPositionOf,
  type MapNode,
  mapScalars,
  nodeAt,
  type Place,
  placeOf,
  positionOf,
  type ScalarNode,
  without,
  writtenAt,
} from './reading/tree.ts';
import type { BotConfig } from './schema/live-schema.ts';
import { BacktestConfigSchema, type Config, ConfigSchema, type SoundSections } from './schema/schema.ts';

export interface LoadOptions {
  /** `--set` arguments, `path.to.setting=value`, applied in order. */
  readonly set?: readonly string[] | undefined;
  /** The text of the file, if known: then the file is not read. */
  readonly text?: string | undefined;
  /** The variables that replace `${NAME}`. */
  readonly env?: Environment | undefined;
  /** For a look at a config: the variables of its keys need not be set, even with `live.enabled`. */
  readonly keysMayBeUnset?: boolean | undefined;
  /** The folder from which relative paths of a config that is an object start; default: the working directory. */
  readonly baseDir?: string | undefined;
  /**
   * Whether code of the user runs this, in its own process: then secrets stay in the environment of the process when a file of strategies
   * is loaded.
   */
  readonly embedded?: boolean | undefined;
  /** Whether the config may lack the settings that only a backtest requires: `backtest`, with its `data`. */
  readonly withoutBacktest?: boolean | undefined;
}

/** A config that was read but not checked. */
export interface ReadConfig {
  /** Its plain value, with types not yet checked. */
  readonly value: Record<string, unknown>;
  /** @throws TidegateError CONFIG_INVALID with every problem at its file, line and column. */
  check(completion?: Completion): LoadedConfig;
  /** The settings that a backtest reads, as YAML that means the same in any folder: paths are absolute. */
  backtestText(): string;
  /**
   * The same settings without `dataDir`, in one line that gives every trial the same settings: digits are as they were written.
   * @param placed the path of a file at the reader's, by the one here.
   */
  packedText(placed: (path: string) => string): string;
}

/** A config's plain value after it was completed, and complaints about what is still missing. */
interface Completion {
  readonly value: Record<string, unknown>;
  readonly complaints: readonly Complaint[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute path of the file; for an object, of a file in its folder. */
  readonly file: string;
  /** The classes of strategies and models that an object gives as `use`, by the text that is their `file`. */
  readonly classes: ReadonlyMap<string, unknown>;
  /** See `LoadOptions`. */
  readonly embedded: boolean;
  /** Folders in which recordings were looked for; empty if the config has `dataDir`. */
  readonly dataFolders: readonly string[];
  /** The resolved config as YAML: defaults written out, no secrets. */
  readonly text: string;
  /** The same text with these parameters for the strategies, in their order. */
  textWith(params: readonly Config['strategies'][number]['params'][]): string;
  /** A setting in the type of this schema: if that is text, an unquoted number becomes its digits as written. */
  valueAs(schema: z.ZodType, path: ConfigPath): unknown;
  /** The place of a setting's value (with `aboutKey`: of its key); if it was not written, the place of the nearest setting above it. */
  locate(path: ConfigPath, aboutKey?: boolean): Place;
  /** A setting's value as written, if a part of it came from the environment. */
  written(path: ConfigPath): string | undefined;
}

/**
 * Reads, merges and checks a config.
 * @param config the path of a file, or an object.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadConfig(config: string | ObjectConfig, options: LoadOptions = {}): LoadedConfig {
  return readConfig(config, options).check();
}

/**
 * Reads and merges a config, so that missing settings can be completed before it is checked.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID for text that cannot be read.
 */
export function readConfig(config: string | ObjectConfig, options: LoadOptions = {}): ReadConfig {
  const isFile = typeof config === 'string';
  const file = isFile ? resolve(config) : resolve(options.baseDir ?? '.', OBJECT_FILE);
  const environment = options.env ?? {};
  const reader = new ChainReader(environment);
  const read = isFile ? { root: reader.read(config, options.text), classes: new Map() } : reader.readObject(config, dirname(file));
  let { root } = read;
  const problems: Problem[] = [...reader.problems];
  for (const argument of options.set ?? []) {
    const applied = applyOverride(root, argument);
    root = applied.root;
    problems.push(...applied.problems);
  }
  if (problems.length > 0) throw configInvalid(problems);

  const substituted = substitute(dropNulls(root, alternatives(ConfigSchema)), environment, options.keysMayBeUnset);
  return unchecked(substituted.root, substituted.problems, { ...options, file, classes: read.classes });
}

/** The name of the file that a config would be which is an object. */
const OBJECT_FILE = 'config.yaml';

interface ReadTerms extends Pick<LoadedConfig, 'file' | 'classes'>, Pick<LoadOptions, 'withoutBacktest' | 'embedded'> {}

function unchecked(
  root: ConfigNode,
  unset: readonly Problem[],
  { file, classes, withoutBacktest = false, embedded = false }: ReadTerms,
): ReadConfig {
  if (root.kind !== 'map') throw configInvalid([{ at: root.at, message: 'expected a map of settings' }]);
  const written = (path: ConfigPath) => writtenAt(root, path);
  const paths = resolvePaths(root, dirname(file));
  const given = toValue(paths.root, alternatives(ConfigSchema)) as Record<string, unknown>;
  const check = ({ value, complaints }: Completion = { value: given, complaints: [] }): LoadedConfig => {
    const result = validate(withoutBacktest ? { backtest: {}, ...value } : value, written, { withoutBacktest, lacking: complaints });
    const place = (path: ConfigPath, aboutKey = false) => (aboutKey ? keyPositionOf : positionOf)(root, path);
    const known = new Set(unset.map(({ path = [] }) => path.join('\0')));
    const wrong = 'complaints' in result ? result.complaints.filter(({ path }) => !known.has(path.join('\0'))) : [];
    const problems = wrong.map(({ path, message, aboutKey }): Problem => ({ at: place(path, aboutKey), path, message }));
    if ('complaints' in result || unset.length > 0) throw configInvalid([...unset, ...problems]);
    const { config } = result;
    const textWith: LoadedConfig['textWith'] = (params) => {
      const strategies = config.strategies.map((strategy, index) => ({ ...strategy, params: params[index] ?? strategy.params }));
      return resolvedYaml({ ...config, strategies }, paths.shown);
    };
    const valueAs = (schema: z.ZodType, path: ConfigPath) => {
      const node = nodeAt(paths.root, path);
      return node && toValue(node, alternatives(schema));
    };
    return {
      config,
      file,
      classes,
      embedded,
      dataFolders: root.entries.has('dataDir') ? [] : searchedDataFolders(dirname(file)),
      text: resolvedYaml(config, paths.shown),
      textWith,
      valueAs,
      locate: (path, aboutKey) => placeOf(place(path, aboutKey)),
      written,
    };
  };
  const backtestText = () => {
    const { live, paper, ...settings } = given;
    return stringify(escapeVariables(settings), { lineWidth: 0, aliasDuplicateObjects: false });
  };
  const packedText = (placed: (path: string) => string) => {
    const own = ['live', 'paper', 'dataDir'].reduce(without, paths.root as MapNode);
    return flowText(mapScalars(own, (scalar, path) => movedPath(scalar, path, placed)));
  };
  return { value: given, check, backtestText, packedText };
}

function movedPath(scalar: ScalarNode, path: ConfigPath, placed: (path: string) => string): ScalarNode {
  return isPathSetting(path) && typeof scalar.value === 'string' ? { ...scalar, value: placed(scalar.value) } : scalar;
}

/** A node as YAML on one line. */
function flowText(node: ConfigNode): string {
  if (node.kind === 'scalar') return typeof node.value === 'string' ? JSON.stringify(escapeVariables(node.value)) : node.text || 'null';
  if (node.kind === 'list') return `[${node.items.map(flowText).join(', ')}]`;
  return `{${[...node.entries].map(([key, { value }]) => `${JSON.stringify(key)}: ${flowText(value)}`).join(', ')}}`;
}

/**
 * Reads, merges and checks a config that has another schema than a bot's.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadSettings<S extends z.ZodType>(schema: S, path: string, set: readonly string[], environment: Environment): z.output<S> {
  const reader = new ChainReader(environment);
  let root = reader.read(path);
  const problems: Problem[] = [...reader.problems];
  for (const argument of set) {
    const applied = applyOverride(root, argument);
    root = applied.root;
    problems.push(...applied.problems);
  }
  const substituted = substitute(dropNulls(root, alternatives(schema)), environment);
  // Only bots need the keys of an exchange, so their variables may be unset here.
  problems.push(...substituted.problems.filter(({ path: at = [] }) => !isSecretPath(at)));
  const tree = substituted.root;
  if (problems.length > 0 || tree.kind !== 'map') {
    throw configInvalid(problems.length > 0 ? problems : [{ at: tree.at, message: 'expected a map of settings' }]);
  }
  const paths = resolvePaths(tree, dirname(resolve(path)));
  const value = toValue(paths.root, alternatives(schema));
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw configInvalid(
    complaints(result.error.issues, schema, value, (at) => writtenAt(tree, at)).map(({ path: at, message, aboutKey }) => ({
      at: (aboutKey ? keyPositionOf : positionOf)(tree, at),
      path: at,
      message,
    })),
  );
}

type Validation = { readonly config: Config } | { readonly complaints: readonly Complaint[] };

/**
 * Checks a plain value against the schema and the rules between settings. Returns all complaints at once, one for each setting.
 * @param lacking complaints about maps with missing settings: for these maps, only unknown keys are reported in addition.
 */
function validate(
  value: Record<string, unknown>,
  written: WrittenAt,
  { withoutBacktest, lacking }: { readonly withoutBacktest: boolean; readonly lacking: readonly Complaint[] },
): Validation {
  const schema = withoutBacktest ? ConfigSchema : BacktestConfigSchema;
  const input = impliedSettings(value);
  const result = schema.safeParse(input);
  const own = result.success ? [] : complaints(result.error.issues, schema, input, written).map(withoutSecret);
  const known = ({ path, aboutKey }: Complaint) => !aboutKey && lacking.some((one) => one.path.every((key, index) => key === path[index]));
  const others = [...own, ...crossRules(soundSections(input, schema.shape))].filter((complaint) => !known(complaint));
  const found = firstOfEach([...lacking, ...others]);
  return result.success && found.length === 0 ? { config: result.data } : { complaints: found };
}

function soundSections(input: Record<string, unknown>, shape: Readonly<Record<string, z.core.$ZodType>>): SoundSections {
  const sections = Object.entries(shape).flatMap(([key, schema]): [string, unknown][] => {
    const result = (schema as z.ZodType).safeParse(input[key]);
    return result.success ? [[key, result.data]] : [];
  });
  return Object.fromEntries(sections) as SoundSections;
}

/** Removes the quoted value from a complaint about a secret. */
function withoutSecret(complaint: Complaint): Complaint {
  const inSecret = complaint.path.some((_, index) => isSecretPath(complaint.path.slice(0, index + 1)));
  return inSecret ? { ...complaint, message: complaint.message.replace(/, not .*$/s, '') } : complaint;
}

function firstOfEach(found: readonly Complaint[]): Complaint[] {
  const byPath = new Map<string, Complaint>();
  for (const complaint of found) {
    const key = formatPath(complaint.path);
    if (!byPath.has(key)) byPath.set(key, complaint);
  }
  return [...byPath.values()];
}

/** Maintenance margin of a contract whose config gives neither a rate nor tiers, as a share of the value. */
const DEFAULT_MAINTENANCE = '0.005';

type Settings = Readonly<Record<string, unknown>>;

/**
 * Adds the defaults that depend on the kind of the account: a netting account has the full profile; a futures account has margin
 * settings, a contract for each perpetual, and rules for futures in the backtest.
 */
function impliedSettings(value: Record<string, unknown>): Record<string, unknown> {
  const { account, backtest, instruments } = value;
  if (!isMap(account)) return value;
  if (account.kind === 'netting' && isMap(backtest)) return { ...value, backtest: { profile: 'full', ...backtest } };
  if (account.kind !== 'futures') return value;
  return {
    ...value,
    account: { margin: {}, ...account },
    ...(isMap(backtest) ? { backtest: { futures: {}, ...backtest } } : {}),
    ...(isMap(instruments) ? { instruments: withContracts(instruments) } : {}),
  };
}

function withContracts(instruments: Settings): Settings {
  const entries = Object.entries(instruments).map(([symbol, instrument]): [string, unknown] => {
    if (!symbol.endsWith('-PERP') || !isMap(instrument)) return [symbol, instrument];
    const { contract = {} } = instrument;
    if (!isMap(contract)) return [symbol, instrument];
    return [symbol, { ...instrument, contract: 'tiers' in contract ? contract : { maintenance: DEFAULT_MAINTENANCE, ...contract } }];
  });
  return Object.fromEntries(entries);
}

function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The effective config as YAML that can be loaded from the same folder: with defaults and inherited settings, secrets as references,
 * and paths as in `shownPaths`.
 */
function resolvedYaml(config: Config, shownPaths: ReadonlyMap<string, string>): string {
  const show = (path: string) => shownPaths.get(path) ?? path;
  const { backtest, live, paper } = config;
  const shown = {
    ...config,
    dataDir: show(config.dataDir),
    strategies: config.strategies.map((strategy) => ({ ...strategy, file: show(strategy.file) })),
    backtest: {
      ...backtest,
      fills: mapValues(backtest.fills, (setting) => shownModel(setting, show)),
      latency: { ...backtest.latency, model: shownModel(backtest.latency.model, show) },
      data: backtest.data.length === 0 ? undefined : backtest.data,
      from: backtest.from === undefined ? undefined : isoTime(backtest.from),
      to: backtest.to === undefined ? undefined : isoTime(backtest.to),
    },
  };
  const text = escapeVariables(shown) as Record<string, unknown>;
  const section = (bot: BotConfig) => ({
    ...(escapeVariables({ ...bot, dir: show(bot.dir) }) as object),
    post: { ...bot.post, token: secretText(bot.post.token, show) },
  });
  if (paper !== undefined) text.paper = section(paper);
  if (live !== undefined) text.live = { ...section(live), keys: mapValues(live.keys, (reference) => secretText(reference, show)) };
  return stringify(text, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** A setting with the path of its file, if it is a model of the user. */
function shownModel(setting: unknown, show: (path: string) => string): unknown {
  return isMap(setting) && typeof setting.file === 'string' ? { ...setting, file: show(setting.file) } : setting;
}

function secretText(reference: unknown, show: (path: string) => string): unknown {
  if (typeof reference !== 'object' || reference === null) return undefined;
  if ('env' in reference) return `\${${reference.env}}`;
  return 'file' in reference ? { file: show(String(reference.file)) } : undefined;
}

/** Escapes text that would be read as a variable. */
function escapeVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\$(?=\{)/g, () => '$$');
  if (Array.isArray(value)) return value.map(escapeVariables);
  return typeof value === 'object' && value !== null ? mapValues(value, escapeVariables) : value;
}

function mapValues(map: object, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

const SECRET_PLACES = [
  ['live', 'keys'],
  ['live', 'post', 'token'],
  ['paper', 'post', 'token'],
];

/** A config's text without secrets and without the references to them. */
export function withoutKeys(text: string): string {
  const document = parseDocument(text);
  for (const place of SECRET_PLACES) if (document.hasIn(place)) document.deleteIn(place);
  return document.toString({ lineWidth: 0 });
}
