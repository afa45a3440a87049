import type { z } from 'zod';
import type { ConfigNode, ConfigPath, MapEntry } from './tree.ts';

/** How deep sections with a key are looked for. */
const DEEPEST = 4;

/**
 * The plain value of a tree. If the schema expects text and the file has an unquoted number, the text is the number's digits as
 * written: `1000.10` stays `1000.10`, which no double can represent.
 */
export function toValue(node: ConfigNode, schemas: readonly z.core.$ZodType[]): unknown {
  if (node.kind === 'scalar') return typeof node.value === 'number' && expectsText(schemas) ? node.text : node.value;
  if (node.kind === 'list') return node.items.map((item, index) => toValue(item, childSchemas(schemas, index)));
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toValue(value, childSchemas(schemas, key))]));
}

/**
 * Removes settings that are an explicit `null` or `~`. So a config can remove an inherited setting. Strategy parameters keep their nulls,
 * which may have a meaning. Unknown keys keep them too, as the schema refuses these keys.
 */
export function dropNulls(node: ConfigNode, schemas: readonly z.core.$ZodType[], key: string | number = ''): ConfigNode {
  if (node.kind === 'list')
    return { ...node, items: node.items.map((item, index) => dropNulls(item, childSchemas(schemas, index), index)) };
  if (node.kind === 'scalar' || key === 'params') return node;
  const entries = new Map<string, MapEntry>();
  for (const [name, { keyAt, value }] of node.entries) {
    const inner = childSchemas(schemas, name);
    const isKnown = inner.some((schema) => definition(schema).type !== 'never');
    if (value.kind !== 'scalar' || value.value !== null || !isKnown) entries.set(name, { keyAt, value: dropNulls(value, inner, name) });
  }
  return { ...node, entries };
}

/** The schemas that a value may match, without defaults, options and pipes. */
export function alternatives(schema: z.core.$ZodType): z.core.$ZodType[] {
  const def = definition(schema);
  if (def.type === 'union') return (def.options ?? []).flatMap(alternatives);
  if (def.type === 'lazy' && def.getter !== undefined) return alternatives(def.getter());
  if (def.type === 'pipe' && def.in !== undefined && def.out !== undefined) {
    return alternatives(definition(def.in).type === 'transform' ? def.out : def.in);
  }
  return def.innerType === undefined ? [schema] : alternatives(def.innerType);
}

/** The schemas that the value at a path may match. */
export function schemasAt(schema: z.core.$ZodType, path: ConfigPath): z.core.$ZodType[] {
  return path.reduce<z.core.$ZodType[]>(childSchemas, alternatives(schema));
}

/** The schemas that the value under `key` may match. */
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

/** The paths at which a schema has a key. Names that a user chooses are in angle brackets. */
export function pathsOf(schema: z.core.$ZodType, key: string): ConfigPath[] {
  const found = new Map<string, ConfigPath>();
  const visit = (schemas: readonly z.core.$ZodType[], path: ConfigPath) => {
    for (const one of schemas) {
      const { shape = {}, valueType, element } = definition(one);
      if (Object.hasOwn(shape, key)) found.set(path.join('.'), [...path, key]);
      if (path.length >= DEEPEST) continue;
      for (const [name, inner] of Object.entries(shape)) visit(alternatives(inner), [...path, name]);
      if (valueType !== undefined) visit(alternatives(valueType), [...path, '<name>']);
      if (element !== undefined) visit(alternatives(element), [...path, 0]);
    }
  };
  visit(alternatives(schema), []);
  return [...found.values()];
}

/** The paths of keys, at any depth, that the schema of their map does not have. Maps with a catch-all have no unknown keys. */
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

/** True if text is expected and no number: then an unquoted number in the file becomes its digits. */
function expectsText(schemas: readonly z.core.$ZodType[]): boolean {
  const types = schemas.map((schema) => definition(schema).type);
  return types.includes('string') && !types.some((type) => type === 'number' || type === 'int' || type === 'unknown' || type === 'any');
}

/** The parts of a zod schema's definition that are read. A user's schema may come from another copy of zod, so `instanceof` would fail. */
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
