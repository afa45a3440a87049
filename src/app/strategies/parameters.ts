import { z } from 'zod';

/** The description of one parameter of a strategy. */
export interface Parameter {
  /** Keys joined by dots. */
  readonly name: string;
  /** The type as text: `whole number`, `text`, `one of a, b`. */
  readonly type: string;
  /** The range as text: `>= 1, <= 100`; empty if all values of the type are allowed. */
  readonly range: string;
  /** The default; absent if there is none. */
  readonly default?: unknown;
  /** True if the config must have it. */
  readonly required: boolean;
  readonly description: string;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The parameters in a class's schema, in its order, with those in nested maps. */
export function parametersOf(schema: z.ZodType | undefined): Parameter[] {
  if (schema === undefined) return [];
  return parametersIn(z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' }), '');
}

function parametersIn({ properties = {}, required = [] }: JsonSchema, prefix: string): Parameter[] {
  return Object.entries(properties).flatMap(([key, value]) => {
    if (typeof value === 'boolean') return [];
    const name = prefix + key;
    if (value.properties !== undefined && value.default === undefined) return parametersIn(value, `${name}.`);
    const { description = '' } = value;
    const given = 'default' in value ? { default: value.default } : {};
    return [{ name, type: typeOf(value), range: rangeOf(value), ...given, required: required.includes(key), description }];
  });
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  integer: 'whole number',
  number: 'number',
  string: 'text',
  boolean: 'true or false',
  array: 'list',
  object: 'map',
  null: 'null',
};

function typeOf(schema: JsonSchema): string {
  const { type, enum: options, anyOf, items, additionalProperties } = schema;
  if (options !== undefined) return `one of ${options.join(', ')}`;
  if (schema.const !== undefined) return String(schema.const);
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeOf(one as JsonSchema)))].join(' or ');
  if (Array.isArray(type)) return type.map((one: string) => TYPE_WORDS[one] ?? one).join(' or ');
  if (type === 'array' && typeof items === 'object' && !Array.isArray(items)) return `list of ${typeOf(items as JsonSchema)}`;
  if (type === 'object' && typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`;
  return type === undefined ? 'any' : (TYPE_WORDS[type] ?? type);
}

/** The range of a schema as text, without the bounds that zod gives every whole number. */
const SAFE = Number.MAX_SAFE_INTEGER;

function rangeOf(schema: JsonSchema): string {
  const values =
    typeof schema.additionalProperties === 'object' ? schema.additionalProperties : schema.type === 'array' ? schema.items : schema;
  if (typeof values !== 'object' || Array.isArray(values)) return '';
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, pattern } = values as JsonSchema;
  const { minItems, maxItems } = schema;
  const bound = (sign: string, value: unknown) => (typeof value !== 'number' || Math.abs(value) === SAFE ? [] : [`${sign} ${value}`]);
  return [
    ...bound('>', exclusiveMinimum),
    ...bound('>=', minimum),
    ...bound('<', exclusiveMaximum),
    ...bound('<=', maximum),
    ...bound('a multiple of', multipleOf),
    ...bound('characters >=', minLength),
    ...bound('characters <=', maxLength),
    ...bound('items >=', minItems),
    ...bound('items <=', maxItems),
    ...(pattern === undefined ? [] : [`like ${pattern}`]),
  ].join(', ');
}
