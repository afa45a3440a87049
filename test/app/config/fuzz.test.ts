import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type LoadOptions, loadConfig } from '../../../src/app/config/load-config.ts';
import { TidegateError } from '../../../src/model/errors.ts';
import { MINIMAL, writeConfigs } from './config-files.ts';

const file = join(writeConfigs({ 'a.yaml': '' }), 'a.yaml');

/** A config or a TidegateError with places, never anything else. */
function loadsOrRefuses(text: string, options: LoadOptions = {}): boolean {
  writeFileSync(file, text);
  try {
    return loadConfig(file, options).config.name.length > 0;
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    return error.code === 'CONFIG_INVALID' && /^\S.*:\d+:\d+: /.test(error.message);
  }
}

const WORDS = [
  'name',
  'live',
  'keys',
  'key',
  'risk',
  'account',
  'instruments',
  'BTC-USDT',
  'strategies',
  'params',
  'extends',
  'backtest',
  'limit',
  '__proto__',
  'constructor',
];
const scalar = fc.oneof(
  fc.string(),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(`\${A}`, `\${A:-1}`, `\${`, '2025-01-01', '*a', '&a'),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...WORDS), fc.string()), tie('tree'), { maxKeys: 5 }),
  ),
}));

test('any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => expect(loadsOrRefuses(text)).toBe(true)),
    { numRuns: 200 },
  );
});

test('any YAML', () => {
  fc.assert(
    fc.property(tree, (value) => expect(loadsOrRefuses(stringify(value))).toBe(true)),
    { numRuns: 200 },
  );
});

test('a sound config with any value anywhere', () => {
  const lines = MINIMAL.split('\n');
  const cut = fc.tuple(
    fc.nat(MINIMAL.length),
    fc.nat(20),
    fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('{', ']', ': ', '\n', '\t', '&a ', '*a', `\${A}`, '!!x ', '---\n', '#')),
  );
  const broken = cut.map(([start, length, text]) => MINIMAL.slice(0, start) + text + MINIMAL.slice(start + length));
  fc.assert(
    fc.property(broken, (text) => expect(loadsOrRefuses(text, { env: { A: '1' } })).toBe(true)),
    { numRuns: 300 },
  );
  expect(lines).toHaveLength(8);
});

test('any --set', () => {
  const path = fc
    .array(fc.oneof(fc.constantFrom(...WORDS, '0', '1'), fc.string({ maxLength: 6 })), { maxLength: 5 })
    .map((parts) => parts.join('.'));
  const argument = fc.oneof(
    fc.string(),
    fc
      .tuple(
        path,
        fc.oneof(
          fc.string(),
          tree.map((value) => stringify(value)),
        ),
      )
      .map(([key, value]) => `${key}=${value}`),
  );
  fc.assert(
    fc.property(argument, (set) => expect(loadsOrRefuses(MINIMAL, { set: [set] })).toBe(true)),
    { numRuns: 200 },
  );
});
