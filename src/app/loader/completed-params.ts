import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';

type Params = Readonly<Record<string, unknown>>;

/**
 * Parameters as they took effect, to be read again: what was given stays as it was written, and what the schema added to it
 * stands beside. A default that would not be read as itself (a `Decimal`, what a transform made) is left out.
 * @param checked what the schema made of them.
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

/** What YAML can say. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isMap(value)) return Object.values(value).every(isPlain);
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isMap(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
