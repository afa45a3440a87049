import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { complaints } from './reading/issue-text.ts';
import { dropEmpty } from './reading/merge.ts';
import { applyOverride, type Environment, substitute } from './reading/overrides.ts';
import { resolvePaths } from './reading/path-settings.ts';
import { configInvalid, isSecretPath, type Problem } from './reading/problem.ts';
import { ChainReader } from './reading/read-chain.ts';
import { toValue } from './reading/to-value.ts';
import { keyPositionOf, positionOf } from './reading/tree.ts';
import { alternatives } from './schema/schema-walk.ts';

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
    complaints(result.error.issues, schema, value).map(({ path: at, message, aboutKey }) => ({
      at: (aboutKey ? keyPositionOf : positionOf)(tree, at),
      path: at,
      message,
    })),
  );
}
