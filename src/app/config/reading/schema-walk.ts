import type { z } from 'zod';
import type { ConfigNode, ConfigPath } from './tree.ts';

/**
 * The plain value of a tree. Where the schema wants text and the file has a bare number, the text is the
 * number's digits as written: `1000.10` stays `1000.10`, which no double can say.
 */
export function toValue(node: ConfigNode, schemas: readonly z.core.$ZodType[]): unknown {
  if (node.kind === 'scalar') return typeof node.value === 'number' && wantsText(schemas) ? node.text : node.value;
  if (node.kind === 'list') return node.items.map((item, index) => toValue(item, childSchemas(schemas, index)));
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toValue(value, childSchemas(schemas, key))]));
}

/** The schemas that a value may meet, with defaults, options and pipes taken off. */
export function alternatives(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = definition(schema);
  if (def.type === 'union') return (def.options ?? []).flatMap(alternatives);
  if (def.type === 'lazy' && def.getter !== undefined) return alternatives(def.getter());
  if (def.type === 'pipe' && def.in !== undefined && def.out !== undefined) {
    return alternatives(definition(def.in).type === 'transform' ? def.out : def.in);
  }
  return def.innerType === undefined ? [schema] : alternatives(def.innerType);
}

export function schemasAt(schema: z.core.$ZodType, path: ConfigPath): z.core.$ZodType[] {
  return path.reduce<z.core.$ZodType[]>(childSchemas, alternatives(schema));
}

/** The schemas that the value under `key` may meet. */
function childSchemas(schemas: readonly z.core.$ZodType[], key: string | number): z.core.$ZodType[] {
  return schemas.flatMap((schema) => {
    const def = definition(schema);
    const found =
      typeof key === 'number' ? def.element : def.shape && Object.hasOwn(def.shape, key) ? def.shape[key] : (def.valueType ?? def.catchall);
    return found === undefined ? [] : alternatives(found);
  });
}

/** The keys that maps of these schemas may have. */
export function knownKeys(schemas: readonly z.core.$ZodType[]): string[] {
  return schemas.flatMap((schema) => Object.keys(definition(schema).shape ?? {}));
}

/** Keys that a map's schema does not name, at any depth, where it does not open itself by a catch-all. */
export function unknownKeys(schemas: readonly z.core.$ZodType[], value: unknown, path: ConfigPath = []): ConfigPath[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const maps = schemas.map(definition).filter((def) => def.type === 'object');
  const closed =
    maps.length > 0 &&
    maps.length === schemas.length &&
    maps.every((def) => def.catchall === undefined || definition(def.catchall).type === 'never');
  const known = knownKeys(schemas);
  return entries.flatMap(([key, inner]) => {
    if (closed && typeof key === 'string' && !known.includes(key)) return [[...path, key]];
    return unknownKeys(childSchemas(schemas, key), inner, [...path, key]);
  });
}

/** True when text is wanted and no number: then a bare number in the file is meant as its digits. */
function wantsText(schemas: readonly z.core.$ZodType[]): boolean {
  const types = schemas.map((schema) => definition(schema).type);
  return types.includes('string') && !types.some((type) => type === 'number' || type === 'int' || type === 'unknown' || type === 'any');
}

/** What is read of a zod schema's definition. User schemas may come from another copy, hence no `instanceof`. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly catchall?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly getter?: () => z.core.$ZodType;
}

function definition(schema: z.core.$ZodType): Definition {
  return schema._zod.def as unknown as Definition;
}
