import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { completedParams } from '../../../src/app/loader/load-strategy.ts';
import { Decimal } from '../../../src/model/decimal.ts';

const complete = (schema: z.ZodType | undefined, given: Record<string, unknown>) => completedParams(schema, given, schema?.parse(given));

test('defaults stand beside what was given, in maps of a map too', () => {
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

test('what was given stays as it was written', () => {
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

test('a schema that throws at what it made itself leaves that out', () => {
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

test('without a schema, or with one that makes no map, they are what was given', () => {
  expect(completedParams(undefined, {}, {})).toEqual({});
  expect(
    complete(
      z.object({ a: z.number() }).transform(({ a }) => [a]),
      { a: 1 },
    ),
  ).toEqual({ a: 1 });
});
