import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseParams } from '../../../src/app/loader/load-strategy.ts';
import { loadText, MINIMAL, refusal } from '../config/config-files.ts';

const Params = z.object({ fast: z.int().min(1).default(20), slow: z.int().default(50), exits: z.object({ stop: z.number() }).optional() });
const path = ['strategies', 0, 'params'];
const refused = (schema: z.ZodType | undefined, params: unknown) =>
  refusal(() => parseParams(schema, params, { path }), 'STRATEGY_PARAMS_INVALID');

test('fills in what the schema defaults', () => {
  expect(parseParams(Params, { fast: 5 }, { path })).toEqual({ fast: 5, slow: 50 });
  expect(parseParams(Params, undefined, { path })).toEqual({ fast: 20, slow: 50 });
});

test('a strategy without a schema takes none', () => {
  expect(parseParams(undefined, {}, { path })).toEqual({});
  expect(refused(undefined, { fast: 1 })).toBe('strategies[0].params.fast: this strategy takes no parameters');
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

test('all errors come together', () => {
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

test('a number that reaches a schema which wants text is told to be put in quotes', () => {
  expect(() => parseParams(z.object({ size: z.string() }), { size: 1 }, { path: ['params'] })).toThrow(
    'params.size: expected text, not 1: put it in quotes',
  );
});
