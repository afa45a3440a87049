import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { formatAt } from '../../../src/app/config/reading/problems.ts';
import { maskSecrets, maskValues } from '../../../src/app/config/reading/secrets.ts';
import { ends, long } from '../../support/bounded.ts';
import { runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { MINIMAL, refusal, writeConfigs } from './config-files.ts';

const NEARLY = 1_000_000;
const MIB = 1 << 20;

describe('the masks of a line', () => {
  const pieces = ['a', 'key', 'key-', 'key:', 'key: ', 'key="', "key='", 'a:', '=', ' ', '"', '://', '://a', '@', '{', `\${A`, 'key a '];
  test.each(pieces)('take no more than a while over a long line of %j', (piece) => {
    const line = long(piece, NEARLY);
    expect(ends(() => maskSecrets(line))).toHaveLength(line.length);
    expect(ends(() => maskValues(line))).toHaveLength(line.length);
  });

  test('hide a value far from its key', () => {
    const line = `secret: ${'x'.repeat(50_000)}hunter2`;
    expect(formatAt({ file: 'a.yaml', line: 1, column: 50_000, text: line }, 'no')).not.toMatch(/x|hunter2/);
  });
});

describe('a config', () => {
  const load = (text: string) => refusal(() => ends(() => loadConfig(join(writeConfigs({ 'a.yaml': text }), 'a.yaml'), { env: {} })));

  test.each([
    ['a word as key', long('a', NEARLY)],
    ['a key of credentials', long('key', NEARLY)],
    ['a value', `nam: ${long('a', NEARLY)}`],
    ['brackets', long('[', NEARLY)],
    ['braces', long('{', NEARLY)],
    ['closing brackets', long(']', NEARLY)],
    ['dashes', long('- ', NEARLY)],
    ['maps in lists', long('- a: ', NEARLY)],
    ['quotes', `a: ${long('"', NEARLY)}`],
    ['anchors', long('&a ', NEARLY)],
    ['blank lines', long('\n', NEARLY)],
    ['signs', long(':\n', NEARLY)],
    ['references that do not end', `name: "${long(`\${A:-`, NEARLY)}"`],
    ['slashes of a URL', `${MINIMAL}dataDir: s3:${long('/', NEARLY)}\n`],
    ['aliases', `a: &a 1\nb: [${long('*a, ', 40_000)}]`],
    ['keys', Array.from({ length: 9_000 }, (_, index) => `k${index}: 1`).join('\n')],
    ['keys on one line', `{${Array.from({ length: 9_000 }, (_, index) => `k${index}: 1`).join(', ')}}`],
  ])('that is nothing but %s is refused in a few lines', (_, text) => {
    expect(load(text).length).toBeLessThan(100_000);
  });

  test('that nests too deep is refused before the stack ends', () => {
    expect(load(`a: ${'['.repeat(100_000)}`)).toContain('a.yaml:1:68: nested deeper than 64 levels');
  });

  test('has problems beyond the hundredth counted', () => {
    const keys = Array.from({ length: 150 }, (_, index) => `k${index}: 1`).join('\n');
    expect(load(`${MINIMAL}${keys}`)).toMatch(/k99: unknown key .*\n {2}k99: 1\n {2}\^\n\.\.\. and 50 more$/);
  });

  test('has long lines shown around the place', () => {
    const text = MINIMAL.replace('"1000"', `"1000", ${Array.from({ length: 60 }, (_, index) => `C${index}: "1"`).join(', ')}, X: oops`);
    const [, line = '', caret = ''] = load(text).split('\n');
    expect(line).toMatch(/^ {2}\.\.\..* X: oops \} \}$/);
    expect(line.slice(caret.indexOf('^'))).toBe('oops } }');
  });

  test('may be 1 MiB long and no longer', () => {
    const comment = (length: number) => `${MINIMAL}#${'x'.repeat(length - MINIMAL.length - 1)}`;
    const file = (text: string) => join(writeConfigs({ 'a.yaml': text }), 'a.yaml');
    expect(loadConfig(file(comment(MIB))).config.name).toBe('minimal');
    expect(refusal(() => loadConfig(file(comment(MIB + 1))))).toBe(
      'a.yaml: cannot read this config file (it is larger than 1024 KiB, the limit for a config)',
    );
  });
});

test('the same anchor named twice is its latest value, also after an alias that repeats an earlier one', () => {
  const text = MINIMAL.replace('{ id: one,', '{ params: { a: &p { b: &v 1 }, c: &v 2, d: *p, e: *v }, id: one,');
  const { config } = loadConfig(join(writeConfigs({ 'a.yaml': text }), 'a.yaml'));
  expect(config.strategies[0]?.params).toEqual({ a: { b: 1 }, c: 2, d: { b: 1 }, e: 2 });
});

test.each(['backtest', 'paper', 'live', 'doctor', 'exchange'])('tidegate %s refuses a config of 10 MB', async (command) => {
  const files = { 'c.yaml': `nam: ${'a'.repeat(10_000_000)}\n` };
  const code = command === 'doctor' ? 8 : 2;
  const { stdout, stderr } = await runCli(temporaryFolder(), [command, 'c.yaml'], { files, code });
  expect(stdout + stderr).toContain('larger than 1024 KiB');
});
