import type { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import type { Complaint } from '../config/reading/complaint.ts';
import { type ConfigPath, formatPath } from '../config/reading/config-path.ts';
import { complaints } from '../config/reading/issue-text.ts';
import { suggestion } from '../config/reading/nearest.ts';
import { formatAt } from '../config/reading/problem.ts';
import type { Place } from '../config/reading/source.ts';
import { alternatives, knownKeys, schemasAt, unknownKeys } from '../config/schema/schema-walk.ts';

/** Where the parameters stand in the config, and how a setting's place in the file is found. */
export interface ParamsPlace {
  /** For example `['strategies', 0, 'params']`. */
  readonly path: ConfigPath;
  readonly locate?: ((path: ConfigPath, aboutKey?: boolean) => Place | undefined) | undefined;
}

/**
 * A strategy's parameters, checked and completed by its own schema. Keys that the schema does not name are
 * refused, also where zod would drop them without a word; a strategy without a schema takes none.
 * @throws TidegateError STRATEGY_PARAMS_INVALID with every problem.
 */
export function parseParams(schema: z.ZodType | undefined, params: unknown, where: ParamsPlace): unknown {
  if (schema === undefined) {
    const given = Object.keys(params ?? {});
    if (given.length === 0) return {};
    throw paramsInvalid(
      given.map((key) => ({ path: [key], message: 'this strategy takes no parameters', aboutKey: true })),
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
  const wrong = result.success ? [] : complaints(result.error.issues, schema, params ?? {});
  const named = new Set(unknown.map(({ path }) => formatPath(path)));
  const all = [...unknown, ...wrong.filter(({ path }) => !named.has(formatPath(path)))];
  if (!result.success || all.length > 0) throw paramsInvalid(all, where);
  return result.data;
}

function paramsInvalid(found: readonly Complaint[], where: ParamsPlace, cause?: unknown): TidegateError {
  const texts = found.map(({ path, message, aboutKey }) => {
    const full = [...where.path, ...path];
    const text = `${formatPath(full)}: ${message}`;
    const place = where.locate?.(full, aboutKey);
    return place === undefined ? text : formatAt(place, text);
  });
  return new TidegateError('STRATEGY_PARAMS_INVALID', texts.join('\n'), { cause });
}
