import { z } from 'zod';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { parameterPath } from '../config/search-rules.ts';

export type ParameterSchema = z.core.JSONSchema.BaseSchema;

/** The schema of the parameters of a strategy as plain JSON, for another thread. */
export function plainSchema(schema: z.ZodType | undefined): ParameterSchema {
  return schema === undefined ? {} : z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
}

/** The values of a parameter as section `search` has them. */
type Values = { readonly values: readonly unknown[] } | { readonly min: string; readonly max: string; readonly step?: string | undefined };

interface Strategy {
  readonly id: string;
  readonly params: object;
}

/**
 * The space of parameters whose values the classes of strategies declare: `parameters` of section `search`.
 * @param names of parameters, or their paths such as `strategies.0.params.fast`.
 * @param schemas of the parameters of each strategy.
 * @throws TidegateError CONFIG_INVALID naming the parameter, and what to write.
 */
export function schemaSpace(
  names: readonly string[],
  strategies: readonly Strategy[],
  schemas: readonly ParameterSchema[],
): Record<string, Values> {
  return Object.fromEntries(
    names.map((name) => {
      const path = name.includes('.') ? name : pathOf(name, strategies, schemas);
      const declared = schemaAt(path, schemas);
      if (declared === undefined) throw refused(name, `no strategy has this parameter${suggestion(name, knownNames(schemas))}`);
      const values = valuesOf(declared);
      if (typeof values === 'string')
        throw refused(name, `${values}: write \`search.parameters: { ${name}: ${exampleOf(declared)} }\` into the config instead`);
      // A short name is kept where the config finds the same parameter by it.
      const found = parameterPath(name, strategies);
      return ['path' in found && found.path === path ? name : path, values];
    }),
  );
}

function refused(name: string, reason: string): TidegateError {
  return new TidegateError('CONFIG_INVALID', `--over ${name}: ${reason}`);
}

function pathOf(name: string, strategies: readonly Strategy[], schemas: readonly ParameterSchema[]): string {
  const owners = schemas.flatMap(({ properties = {} }, index) => (Object.hasOwn(properties, name) ? [index] : []));
  const path = `strategies.${owners[0] ?? 0}.params.${name}`;
  if (owners.length > 1) {
    const ids = owners.map((index) => strategies[index]!.id).join(' and ');
    throw refused(name, `${ids} have it: write the path, such as ${path}`);
  }
  return path;
}

function knownNames(schemas: readonly ParameterSchema[]): string[] {
  return [...new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

function schemaAt(path: string, schemas: readonly ParameterSchema[]): ParameterSchema | undefined {
  const [, index = '', keys = ''] = /^strategies\.(\d+)\.params\.(.+)$/.exec(path) ?? [];
  let found: ParameterSchema | boolean | undefined = schemas[Number(index)];
  for (const key of keys.split('.')) found = typeof found === 'object' ? found.properties?.[key] : undefined;
  return typeof found === 'object' ? found : undefined;
}

/** zod gives every whole number these bounds. */
const SAFE = Number.MAX_SAFE_INTEGER;

/** @returns text: why the schema does not name all values. */
function valuesOf(schema: ParameterSchema): Values | string {
  const { type, enum: options, const: only, anyOf, multipleOf } = schema;
  if (options !== undefined) return { values: options };
  if (only !== undefined) return { values: [only] };
  if (type === 'boolean') return { values: [true, false] };
  if (anyOf !== undefined) {
    const each = anyOf.map((one) => (typeof one === 'object' ? valuesOf(one) : ''));
    if (each.every((one) => typeof one === 'object' && 'values' in one)) return { values: each.flatMap(({ values }) => values) };
    return 'its schema has several forms';
  }
  if (type !== 'integer' && type !== 'number') return 'its schema is neither a number with bounds, nor choices, nor true or false';
  const isWhole = type === 'integer';
  const step = multipleOf ?? (isWhole ? 1 : undefined);
  const low = boundOf(schema.minimum, schema.exclusiveMinimum, step);
  const high = boundOf(schema.maximum, schema.exclusiveMaximum, step === undefined ? undefined : -step);
  if (low === undefined || high === undefined)
    return low === high ? 'its schema has no bounds' : `its schema has no ${low === undefined ? 'smallest' : 'largest'} value`;
  if (low === 'open' || high === 'open') return `its schema excludes its ${low === 'open' ? 'smallest' : 'largest'} value`;
  if (step === undefined) return { min: decimal(low), max: decimal(high) };
  return isWhole && step === 1 ? { min: String(low), max: String(high) } : stepped(low, high, step);
}

/** A bound that belongs to the values; `open` if there is none as the schema excludes it, `undefined` without any. */
function boundOf(included: unknown, excluded: unknown, inward: number | undefined): number | 'open' | undefined {
  if (typeof excluded === 'number' && Math.abs(excluded) < SAFE) return inward === undefined ? 'open' : excluded + inward;
  return typeof included === 'number' && Math.abs(included) < SAFE ? included : undefined;
}

/** The multiples of a step between two bounds. */
function stepped(low: number, high: number, step: number): Values {
  const least = new Decimal(low).div(step).ceil().times(step);
  return { min: least.toFixed(), max: new Decimal(high).toFixed(), step: new Decimal(step).toFixed() };
}

/** Bounds without decimals would be those of whole numbers. */
function decimal(value: number): string {
  const text = new Decimal(value).toFixed();
  return text.includes('.') ? text : `${text}.0`;
}

/** A range that a person may write in place of it. */
function exampleOf({ type }: ParameterSchema): string {
  if (type === 'integer') return '{ min: 5, max: 50 }';
  return type === 'number' ? '{ min: "0.1", max: "1.0", step: "0.1" }' : '{ values: [a, b] }';
}
