import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { completedParams, parseParams } from '../../../src/app/loader/load-strategy.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { loadText, MINIMAL, refusal } from '../config/config-files.ts';

const Params = z.object({ fast: z.int().min(1).default(20), slow: z.int().default(50), exits: z.object({ stop: z.number() }).optional() });
const path = ['strategies', 0, 'params'];
const refused = (schema: z.ZodType | undefined, params: unknown) =>
  refusal(() => parseParams(schema, params, { path }), 'STRATEGY_PARAMS_INVALID');

test('uses the defaults of the schema', () => {
  expect(parseParams(Params, { fast: 5 }, { path })).toEqual({ fast: 5, slow: 50 });
  expect(parseParams(Params, undefined, { path })).toEqual({ fast: 20, slow: 50 });
});

test('a strategy without a schema takes none', () => {
  expect(parseParams(undefined, {}, { path })).toEqual({});
  expect(refused(undefined, { fast: 1 })).toBe('strategies[0].params.fast: this strategy has no parameters');
});

test.each([
  [{ fsat: 5 }, 'strategies[0].params.fsat: unknown key (did you mean "fast"?)'],
  [{ exits: { stop: 1, stpo: 2 } }, 'strategies[0].params.exits.stpo: unknown key (did you mean "stop"?)'],
  [{ fast: 1.5 }, 'strategies[0].params.fast: expected a whole number, not 1.5'],
  [{ fast: '5' }, 'strategies[0].params.fast: expected a number, not "5"'],
  [{ fast: 0 }, 'strategies[0].params.fast: '],
  [{ exits: {} }, 'strategies[0].params.exits.stop: missing, expected a number'],
])('%j is refused', (params, message) => {
  expect(refused(Params, params)).toContain(message);
});

test('all errors are reported together', () => {
  expect(refused(Params, { fast: 'x', slow: 'y', z: 1 }).split('\n')).toHaveLength(3);
});

test.each([
  ['a strict schema', z.strictObject({ a: z.int() }), { a: 1, b: 2 }, 1],
  ['a refined schema', z.object({ a: z.int() }).refine((value) => value.a > 0, 'a must be positive'), { a: -1 }, 1],
  ['a map of free keys', z.record(z.string(), z.int()), { any: 'x' }, 1],
])('reports once with %s', (_, schema, params, count) => {
  expect(refused(schema, params).split('\n')).toHaveLength(count);
});

test('a loose schema lets other keys through', () => {
  expect(parseParams(z.looseObject({ a: z.int() }), { a: 1, b: 2 }, { path })).toEqual({ a: 1, b: 2 });
});

test('a schema that throws is refused, not thrown on', () => {
  const schema = z.object({ a: z.int().transform((): number => JSON.parse('{')) });
  expect(refused(schema, { a: 1 })).toContain('the schema of the parameters threw');
});

describe('with the config at hand', () => {
  const config = loadText(MINIMAL.replace('id: one,', 'id: one, params: { fast: x, fsat: 3 },'));

  test('each error shows its line', () => {
    const { params } = config.config.strategies[0] ?? {};
    const message = refusal(() => parseParams(Params, params, { path, locate: config.locate }), 'STRATEGY_PARAMS_INVALID');
    expect(message).toContain('a.yaml:6:35: strategies[0].params.fsat: unknown key (did you mean "fast"?)');
    expect(message).toContain('a.yaml:6:32: strategies[0].params.fast: expected a number, not "x"');
  });
});

test('for a number where the schema needs text, the message suggests quotes', () => {
  expect(() => parseParams(z.object({ size: z.string() }), { size: 1 }, { path: ['params'] })).toThrow(
    'params.size: expected text, not 1: put it in quotes',
  );
});

const complete = (schema: z.ZodType | undefined, given: Record<string, unknown>) => completedParams(schema, given, schema?.parse(given));

test('defaults are merged with the given values, in nested maps too', () => {
  const schema = z.object({
    fast: z.number().default(5),
    slow: z.number(),
    exits: z.object({ stop: z.string(), profit: z.string().default('0.02') }),
    modes: z.array(z.string()).default(['a']),
    note: z.string().nullable().default(null),
    left: z.string().optional(),
  });
  expect(complete(schema, { slow: 9, exits: { stop: '0.01' } })).toEqual({
    slow: 9,
    exits: { stop: '0.01', profit: '0.02' },
    fast: 5,
    modes: ['a'],
    note: null,
  });
});

test('given values are unchanged', () => {
  const schema = z.object({ size: z.coerce.number(), side: z.string().toLowerCase() });
  expect(complete(schema, { size: '0.10', side: 'BUY' })).toEqual({ size: '0.10', side: 'BUY' });
});

test('a default that would be read as something else is left out', () => {
  const schema = z.object({
    doubled: z
      .number()
      .default(2)
      .transform((value) => value * 2),
    worth: z
      .string()
      .default('1.5')
      .transform((text) => new Decimal(text)),
    endless: z.number().or(z.literal(Infinity)).default(Infinity),
    plain: z.number().default(3),
  });
  expect(complete(schema, {})).toEqual({ plain: 3 });
});

test('if a schema throws on its own output, that check is skipped', () => {
  const once = z.object({
    text: z
      .string()
      .optional()
      .transform((text) => {
        if (text !== undefined) throw new Error('given');
        return 'made';
      }),
  });
  expect(complete(once, {})).toEqual({});
});

test('without a schema, or with one that makes no map, they are the given values', () => {
  expect(completedParams(undefined, {}, {})).toEqual({});
  expect(
    complete(
      z.object({ a: z.number() }).transform(({ a }) => [a]),
      { a: 1 },
    ),
  ).toEqual({ a: 1 });
});
