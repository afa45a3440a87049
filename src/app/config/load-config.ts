import { dirname, resolve } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import type { z } from 'zod';
import { isoTime } from '../../model/time.ts';
import { crossRules } from './cross-rules.ts';
import { applyOverride, ChainReader, type Environment, resolvePaths, substitute } from './reading/layers.ts';
import { type Complaint, complaints, configInvalid, type Problem, type WrittenAt } from './reading/problems.ts';
import { alternatives, toValue } from './reading/schema-walk.ts';
import { isSecretPath } from './reading/secrets.ts';
import {
  type ConfigNode,
  type ConfigPath,
  dropEmpty,
  formatPath,
  keyPositionOf,
  nodeAt,
  type Place,
  placeOf,
  positionOf,
  writtenAt,
} from './reading/tree.ts';
import { type Config, ConfigSchema, type SoundSections } from './schema/schema.ts';

export interface LoadOptions {
  /** `--set` arguments, `path.to.setting=value`, applied in order. */
  readonly set?: readonly string[] | undefined;
  /** What stands in the file, where that is known: it is not read. */
  readonly text?: string | undefined;
  /** Where `${NAME}` is looked up. */
  readonly env?: Environment | undefined;
}

/** A config that was read but not checked. */
export interface ReadConfig {
  /** What stands in it, types not yet known. */
  readonly value: Record<string, unknown>;
  /** @throws TidegateError CONFIG_INVALID with every problem at its file, line and column. */
  check(completion?: Completion): LoadedConfig;
}

/** A config's plain value, filled in, and what is missing all the same. */
interface Completion {
  readonly value: Record<string, unknown>;
  readonly complaints: readonly Complaint[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** Absolute path of the file. */
  readonly file: string;
  /** The resolved config as YAML: defaults written out, no secrets. */
  readonly text: string;
  /** The same with these parameters of its strategies, in their order. */
  textWith(params: readonly Config['strategies'][number]['params'][]): string;
  /** A setting as this schema wants it: where that is text, a bare number is its digits as written. */
  valueAs(schema: z.ZodType, path: ConfigPath): unknown;
  /** Where a setting's value (or, `aboutKey`, its key) was written; the nearest one above it when it was not. */
  locate(path: ConfigPath, aboutKey?: boolean): Place;
  /** A setting's value as written, where a part of it came from the environment. */
  written(path: ConfigPath): string | undefined;
}

/**
 * Reads, merges and checks a config.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadConfig(path: string, options: LoadOptions = {}): LoadedConfig {
  return readConfig(path, options).check();
}

/**
 * Reads and merges a config, so that what it leaves out can be filled in before it is checked.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID for what cannot be read.
 */
export function readConfig(path: string, options: LoadOptions = {}): ReadConfig {
  const file = resolve(path);
  const environment = options.env ?? {};
  const reader = new ChainReader(environment);
  let root = reader.read(path, options.text);
  const problems: Problem[] = [...reader.problems];
  for (const argument of options.set ?? []) {
    const applied = applyOverride(root, argument);
    root = applied.root;
    problems.push(...applied.problems);
  }
  if (problems.length > 0) throw configInvalid(problems);

  const substituted = substitute(dropEmpty(root), environment);
  return unchecked(substituted.root, substituted.problems, file);
}

function unchecked(root: ConfigNode, unset: readonly Problem[], file: string): ReadConfig {
  if (root.kind !== 'map') throw configInvalid([{ at: root.at, message: 'expected a map of settings' }]);
  const written = (path: ConfigPath) => writtenAt(root, path);
  const paths = resolvePaths(root, dirname(file));
  const given = toValue(paths.root, alternatives(ConfigSchema)) as Record<string, unknown>;
  const check = ({ value, complaints }: Completion = { value: given, complaints: [] }): LoadedConfig => {
    const result = validate(value, written, complaints);
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
      text: resolvedYaml(config, paths.shown),
      textWith,
      valueAs,
      locate: (path, aboutKey) => placeOf(place(path, aboutKey)),
      written,
    };
  };
  return { value: given, check };
}

/**
 * Reads, merges and checks a config by a schema of its own: one that is no bot's.
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
  const substituted = substitute(dropEmpty(root), environment);
  // Keys of an exchange are for bots: nobody else needs them to be set.
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
 * Checks a plain value against the schema and the rules between settings; every complaint at once, one a setting.
 * @param lacking what is known to be missing: of these maps nothing more is said but of keys that do not belong there.
 */
function validate(value: Record<string, unknown>, written: WrittenAt, lacking: readonly Complaint[]): Validation {
  const input = impliedSettings(value);
  const result = ConfigSchema.safeParse(input);
  const own = result.success ? [] : complaints(result.error.issues, ConfigSchema, input, written).map(withoutSecret);
  const known = ({ path, aboutKey }: Complaint) => !aboutKey && lacking.some((one) => one.path.every((key, index) => key === path[index]));
  const others = [...own, ...crossRules(soundSections(input))].filter((complaint) => !known(complaint));
  const found = firstOfEach([...lacking, ...others]);
  return result.success && found.length === 0 ? { config: result.data } : { complaints: found };
}

function soundSections(input: Record<string, unknown>): SoundSections {
  const sections = Object.entries(ConfigSchema.shape).flatMap(([key, schema]): [string, unknown][] => {
    const result = (schema as z.ZodType).safeParse(input[key]);
    return result.success ? [[key, result.data]] : [];
  });
  return Object.fromEntries(sections) as SoundSections;
}

/** A complaint about a secret must not quote it. */
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
 * What the kind of the account implies where the file says nothing: a netting account has the full profile; a
 * futures account has margin settings, each of its perpetuals a contract, and the backtest its rules for futures.
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
 * The config as it took effect, as YAML that loads again from the same folder: defaults and inherited
 * settings written out, secrets as the references they were, paths as `shownPaths` has them.
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
      from: backtest.from === undefined ? undefined : isoTime(backtest.from),
      to: backtest.to === undefined ? undefined : isoTime(backtest.to),
    },
    paper: paper && { ...paper, dir: show(paper.dir) },
  };
  const text = escapeVariables(shown) as Record<string, unknown>;
  if (live !== undefined)
    text.live = {
      ...(escapeVariables({ ...live, dir: show(live.dir) }) as object),
      keys: mapValues(live.keys, (reference) => secretText(reference, show)),
    };
  return stringify(text, { lineWidth: 0, aliasDuplicateObjects: false });
}

function secretText(reference: unknown, show: (path: string) => string): unknown {
  if (typeof reference !== 'object' || reference === null) return undefined;
  if ('env' in reference) return `\${${reference.env}}`;
  return 'file' in reference ? { file: show(String(reference.file)) } : undefined;
}

/** Text that must not be taken for a variable when it is read again. */
function escapeVariables(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\$(?=\{)/g, () => '$$');
  if (Array.isArray(value)) return value.map(escapeVariables);
  return typeof value === 'object' && value !== null ? mapValues(value, escapeVariables) : value;
}

function mapValues(map: object, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** A config's text without the keys of the exchange, nor where they are: for whoever only wants to know what was run. */
export function withoutKeys(text: string): string {
  const document = parseDocument(text);
  if (document.hasIn(['live', 'keys'])) document.deleteIn(['live', 'keys']);
  return document.toString({ lineWidth: 0 });
}
