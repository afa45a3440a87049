import fc from 'fast-check';
import { z } from 'zod';

const DIGITS = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const DECIMAL = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^\d{0,18}$/))
  .map(([whole, part]) => (part === '' ? `${whole}` : `${whole}.${part}`));
const CANDIDATES: readonly fc.Arbitrary<unknown>[] = [
  fc.boolean(),
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1, max: 3 }),
  fc.maxSafeNat(),
  DIGITS,
  DECIMAL,
  fc.stringMatching(/^[1-9]\d{0,9}(\.\d{1,6})?$/),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
  fc.string({ minLength: 1 }),
  ...['buy', 'limit', 'normal', 'SPOT', '0', '1', '15', '1min', '1m', 'profit_plan', 'long'].map((word) => fc.constant(word)),
];

/** Values that a schema of the room holds inside: ids as digits, decimals as text, times as numbers. */
export function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema.meta()?.wire !== undefined)
    return schema instanceof z.ZodOptional ? fc.option(leaf(schema), { nil: undefined }) : leaf(schema);
  if (schema instanceof z.ZodObject) {
    return fc.record(Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, valuesOf(field as z.ZodType)])));
  }
  if (schema instanceof z.ZodArray) return fc.array(valuesOf(schema.element as z.ZodType), { minLength: 1, maxLength: 3 });
  if (schema instanceof z.ZodTuple) {
    const { items, rest } = schema.def;
    const fields = fc.tuple(...items.map((item) => valuesOf(item as z.ZodType)));
    if (rest === null) return fields;
    return fc.tuple(fields, fc.array(valuesOf(rest as z.ZodType), { maxLength: 2 })).map(([own, more]) => [...own, ...more]);
  }
  if (schema instanceof z.ZodRecord)
    return fc.dictionary(fc.stringMatching(/^\d{1,8}$/), valuesOf(schema.valueType as z.ZodType), { maxKeys: 3 });
  if (schema instanceof z.ZodOptional) return fc.option(valuesOf(schema.unwrap() as z.ZodType), { nil: undefined });
  if (schema instanceof z.ZodNullable) return fc.option(valuesOf(schema.unwrap() as z.ZodType));
  throw new Error('a schema that has no arbitrary yet');
}

/** A field's values are told by asking the field: each kind of value of which it takes every sample. */
function leaf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const takes = (value: unknown) => z.safeEncode(schema, value).success;
  return fc.oneof(...CANDIDATES.filter((arbitrary) => fc.sample(arbitrary, { numRuns: 30, seed: 1 }).every(takes)));
}
