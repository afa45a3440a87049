import { expect, test } from '@jest/globals';
import { plainSchema, schemaSpace } from '../../src/app/search/schema-space.ts';
import { z } from '../../src/index.ts';

const strategies = [
  { id: 'a', params: { both: 1 } },
  { id: 'b', params: {} },
];
const PARAMS = z.object({
  length: z.int().min(2).max(200).default(20),
  above: z.int().gt(2).lt(10),
  even: z.int().multipleOf(2).min(3).max(9),
  share: z.number().min(0).max(1),
  tenth: z.number().multipleOf(0.1).gt(0).max(1),
  mode: z.enum(['fast', 'slow']).optional(),
  level: z.literal([1, 5]),
  either: z.union([z.literal('x'), z.boolean()]),
  exits: z.object({ trail: z.boolean().default(true) }),
  both: z.boolean(),
  least: z.int().min(2),
  free: z.int(),
  positive: z.number().positive().max(1),
  quantity: z.string(),
  maybe: z.int().min(1).max(2).nullable(),
});
const schemas = [plainSchema(PARAMS), plainSchema(z.object({ both: z.boolean() }))];

test.each([
  ['length', { min: '2', max: '200' }],
  ['above', { min: '3', max: '9' }],
  ['even', { min: '4', max: '9', step: '2' }],
  ['share', { min: '0.0', max: '1.0' }],
  ['tenth', { min: '0.1', max: '1', step: '0.1' }],
  ['mode', { values: ['fast', 'slow'] }],
  ['level', { values: [1, 5] }],
  ['either', { values: ['x', true, false] }],
  ['strategies.0.params.exits.trail', { values: [true, false] }],
  ['strategies.1.params.both', { values: [true, false] }],
])('%s has the values that its schema allows', (name, values) => {
  const path = name.includes('.') ? name : `strategies.0.params.${name}`;
  expect(schemaSpace([name], strategies, schemas)).toEqual({ [path]: values });
});

test('a name is kept where the config finds the parameter by it', () => {
  expect(schemaSpace(['length'], [strategies[0]!], [schemas[0]!])).toEqual({ length: { min: '2', max: '200' } });
});

test.each([
  ['least', 'its schema has no largest value: write `search.parameters: { least: { min: 5, max: 50 } }` into the config instead'],
  ['free', 'its schema has no bounds: write `search.parameters: { free: { min: 5, max: 50 } }`'],
  ['positive', 'its schema excludes its smallest value: write `search.parameters: { positive: { min: "0.1", max: "1.0", step: "0.1" } }`'],
  [
    'quantity',
    'its schema is neither a number with bounds, nor choices, nor true or false: write `search.parameters: { quantity: { values',
  ],
  ['maybe', 'its schema has several forms'],
  ['both', 'a and b have it: write the path, such as strategies.0.params.both'],
  ['lenght', 'no strategy has this parameter (did you mean "length"?)'],
  ['risk.maxDrawdown', 'no strategy has this parameter'],
])('%s is refused with the reason', (name, message) => {
  expect(() => schemaSpace([name], strategies, schemas)).toThrow(`--over ${name}: ${message}`);
});
