import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { docLine } from '../../../src/app/strategies/describe-file.ts';
import { parametersOf } from '../../../src/app/strategies/parameters.ts';

test.each([
  ['one line', '/** Buys low. */\nexport class Mine extends Strategy {}', 'Buys low.'],
  [
    'the first sentence',
    '/**\n * Buys at 0.5 % below\n * the price. Sells later.\n */\nexport class Mine {}',
    'Buys at 0.5 % below the price.',
  ],
  ['the first paragraph', '/**\n * Buys\n *\n * No promise\n */\nexport class Mine {}', 'Buys'],
  ['a class that is exported elsewhere', '/** Buys. */\nclass Mine {}\nexport { Mine };', 'Buys.'],
  ['a default export', '/** Buys. */\nexport default class Mine {}', 'Buys.'],
  ['no other class', '/** Helps. */\nclass Minefield {}\nexport class Mine {}', ''],
  ['no other comment', '/** A constant. */\nconst A = 1;\n\nexport class Mine {}', ''],
  ['nothing', 'export class Mine {}', ''],
])('takes %s', (_, text, line) => {
  expect(docLine('Mine', [text])).toBe(line);
});

test('looks through all files', () => {
  expect(docLine('Mine', ['export { Mine } from "./mine.ts";', '/** Buys. */\nexport class Mine {}'])).toBe('Buys.');
});

test.each<[string, z.ZodType, string, string]>([
  ['a whole number without bounds', z.int(), 'whole number', ''],
  ['a whole number', z.int().min(1).max(100), 'whole number', '>= 1, <= 100'],
  ['a number', z.number().positive().lt(0.2), 'number', '> 0, < 0.2'],
  ['a multiple', z.number().multipleOf(5), 'number', 'a multiple of 5'],
  ['text', z.string().min(2), 'text', 'characters >= 2'],
  ['a choice', z.enum(['long', 'short']), 'one of long, short', ''],
  ['a flag', z.boolean(), 'true or false', ''],
  ['one of two types', z.union([z.number(), z.string()]), 'number or text', ''],
  ['a list', z.array(z.number().min(0)).min(2), 'list of number', '>= 0, items >= 2'],
  ['a map', z.record(z.string(), z.number().max(1)), 'map of number', '<= 1'],
  ['what JSON has no word for', z.date(), 'any', ''],
  ['what is turned into something else', z.string().transform(Number), 'text', ''],
])('shows %s', (_, schema, type, range) => {
  expect(parametersOf(z.object({ it: schema }))).toEqual([{ name: 'it', type, range, required: true, description: '' }]);
});

test('shows defaults, optional fields and meanings, also with rules over all fields', () => {
  const schema = z.object({ fast: z.int().default(3).describe('bars'), stop: z.number().optional() }).refine(() => true, 'a rule');
  expect(parametersOf(schema)).toEqual([
    { name: 'fast', type: 'whole number', range: '', default: 3, required: false, description: 'bars' },
    { name: 'stop', type: 'number', range: '', required: false, description: '' },
  ]);
});

test('includes maps with named keys', () => {
  const schema = z.object({ exit: z.object({ stop: z.number(), profit: z.number().default(2) }) });
  expect(parametersOf(schema).map(({ name, required }) => [name, required])).toEqual([
    ['exit.stop', true],
    ['exit.profit', false],
  ]);
});

test('a class without a schema has none', () => {
  expect(parametersOf(undefined)).toEqual([]);
});
