import { z } from 'zod';
import type { ParameterSetting } from '../../../statistics/diagnosis/diagnosed.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The numbers (also those written as text) among checked parameters, with the range and default that the schema gives them. */
export function parameterSettings(params: unknown, schema: z.ZodType | undefined): ParameterSetting[] {
  const described: JsonSchema =
    schema === undefined ? {} : z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' });
  return settingsOf(params, described, '');
}

function settingsOf(value: unknown, schema: JsonSchema, name: string): ParameterSetting[] {
  const number = numberOf(value);
  if (number !== undefined) return [{ name, value: number, ...rangeOf(schema) }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Array.isArray(value) ? schema.items : schema.properties?.[key];
    const own = typeof known === 'object' && !Array.isArray(known) ? known : {};
    return settingsOf(inner, own, name === '' ? key : `${name}.${key}`);
  });
}

function rangeOf({ minimum, maximum, default: usual }: JsonSchema): Omit<ParameterSetting, 'name' | 'value'> {
  return { minimum, maximum, default: numberOf(usual) };
}

/** Undefined for what is no number, and for empty text. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
}
