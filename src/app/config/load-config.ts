import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import type { Complaint } from './reading/complaint.ts';
import type { ConfigPath } from './reading/config-path.ts';
import { type Environment, substitute } from './reading/environment.ts';
import { dropEmpty } from './reading/merge.ts';
import { applyOverride } from './reading/overrides.ts';
import { resolvePaths } from './reading/path-settings.ts';
import { configInvalid, type Problem } from './reading/problem.ts';
import { ChainReader } from './reading/read-chain.ts';
import { type Place, placeOf } from './reading/source.ts';
import { toValue } from './reading/to-value.ts';
import { type ConfigNode, keyPositionOf, nodeAt, positionOf } from './reading/tree.ts';
import { resolvedYaml } from './resolved-yaml.ts';
import { type Config, ConfigSchema } from './schema/schema.ts';
import { alternatives } from './schema/schema-walk.ts';
import { validate } from './validate.ts';

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
export interface Completion {
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
  const paths = resolvePaths(root, dirname(file));
  const given = toValue(paths.root, alternatives(ConfigSchema)) as Record<string, unknown>;
  const check = ({ value, complaints }: Completion = { value: given, complaints: [] }): LoadedConfig => {
    const result = validate(value, complaints);
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
    };
  };
  return { value: given, check };
}
