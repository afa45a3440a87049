import { dirname, resolve } from 'node:path';
import { type Environment, substitute } from '../config/environment.ts';
import { complaints } from '../config/issue-text.ts';
import { dropEmpty } from '../config/merge.ts';
import { applyOverride } from '../config/overrides.ts';
import { resolvePaths } from '../config/path-settings.ts';
import { configInvalid, type Problem } from '../config/problem.ts';
import { ChainReader } from '../config/read-chain.ts';
import { alternatives } from '../config/schema-walk.ts';
import { toValue } from '../config/to-value.ts';
import { keyPositionOf, positionOf } from '../config/tree.ts';
import { type ExchangeConfig, ExchangeConfigSchema } from './exchange-schema.ts';

/**
 * Reads, merges and checks the config of a local exchange.
 * @throws TidegateError CONFIG_NOT_FOUND, or CONFIG_INVALID with every problem at its file, line and column.
 */
export function loadExchangeConfig(path: string, set: readonly string[], environment: Environment): ExchangeConfig {
  const reader = new ChainReader(environment);
  let root = reader.read(path);
  const problems: Problem[] = [...reader.problems];
  for (const argument of set) {
    const applied = applyOverride(root, argument);
    root = applied.root;
    problems.push(...applied.problems);
  }
  const substituted = substitute(dropEmpty(root), environment);
  problems.push(...substituted.problems);
  const tree = substituted.root;
  if (problems.length > 0 || tree.kind !== 'map') {
    throw configInvalid(problems.length > 0 ? problems : [{ at: tree.at, message: 'expected a map of settings' }]);
  }
  const paths = resolvePaths(tree, dirname(resolve(path)));
  const value = toValue(paths.root, alternatives(ExchangeConfigSchema));
  const result = ExchangeConfigSchema.safeParse(value);
  if (result.success) return result.data;
  throw configInvalid(
    complaints(result.error.issues, ExchangeConfigSchema, value).map(({ path: at, message, aboutKey }) => ({
      at: (aboutKey ? keyPositionOf : positionOf)(tree, at),
      path: at,
      message,
    })),
  );
}
