import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const rules = fileURLToPath(new URL('../../scripts/rules.mjs', import.meta.url));
const { sourceBreaches, testBreaches } = (await import(rules)) as {
  sourceBreaches(path: string, text: string): string[];
  testBreaches(path: string, text: string): string[];
};

describe('time and chance', () => {
  test.each([
    ['Date.now()', 'Date.now'],
    ['new Date()', 'new Date()'],
    ['Date()', 'Date()'],
    ['Math.random()', 'Math.random'],
    ['setTimeout(f, 1)', 'setTimeout'],
    ['globalThis.setInterval(f, 1)', 'setInterval'],
    ['setImmediate(f)', 'setImmediate'],
    ['crypto.randomUUID()', 'randomUUID'],
    [`\`at \${Date.now()}\``, 'Date.now'],
  ])('%s is refused in the core, at its line', (code, name) => {
    const breaches = sourceBreaches('src/engine/loop.ts', `// one\nexport const a = ${code};\n`);
    expect(breaches).toEqual([`src/engine/loop.ts:2: ${name} outside src/app and *-clock.ts: time and chance come through a port`]);
  });

  test.each(['src/app/cli.ts', 'src/venues/rest/real-clock.ts'])('%s may use them', (path) => {
    expect(sourceBreaches(path, 'export const now = Date.now() + Math.random();\nsetTimeout(() => {}, 1);\n')).toEqual([]);
  });

  test.each([
    ['a comment', '// Date.now() and new Date()\n/* Math.random() */\n'],
    ['text', `export const a = 'Date.now()' + "setTimeout" + \`new Date()\`;\n`],
    ['a pattern', 'export const a = /Math.random()/;\n'],
    ['pure uses of Date', "export const a = Date.parse('2025-01-01') + Date.UTC(2025, 0) + new Date(5).getTime();\n"],
  ])('%s is no breach', (_, text) => {
    expect(sourceBreaches('src/model/a.ts', text)).toEqual([]);
  });
});

test.each(['export default 1;', 'export default class A {}', 'export default function f() {}', 'const a = 1;\nexport { a as default };'])(
  'a default export is refused: %s',
  (code) => {
    expect(sourceBreaches('src/app/a.ts', code)).toEqual([expect.stringContaining('a default export')]);
  },
);

test.each([
  [400, '', 0],
  [401, '', 1],
  [401, '// Long because the table is one.\n', 0],
  [401, '/**\n * Long because the table is one.\n */\n', 0],
  [401, "const a = 'Long because';\n", 1],
])('a file of %d lines with %j gives %d breaches', (lines, start, count) => {
  const text = start + 'a;\n'.repeat(lines - start.split('\n').length + 1);
  expect(sourceBreaches('src/model/a.ts', text)).toHaveLength(count);
});

test.each([
  ["test('a', () => { expect(1).toBe(1); });", 0],
  ["test('a', () => fc.assert(p));", 0],
  ["test('a', () => { run(); });", 1],
])('a test file %s has %d breaches', (text, count) => {
  expect(testBreaches('test/a.test.ts', text)).toHaveLength(count);
});

const EXPECTS = '() => { expect(1).toBe(1); }';
test.each([
  [`test('a', ${EXPECTS}, 60_000);`, 'time limit'],
  [`test.each([1])('a %d', ${EXPECTS}, LIMIT_MS);`, 'time limit'],
  [`test.each<number>([\n1])('a %d', ${EXPECTS}, 5 * 60);`, 'time limit'],
  [`(hasPython ? test : test.skip)('a', ${EXPECTS}, 1);`, 'time limit'],
  [`sharedTest('a', ${EXPECTS}, 1);`, 'time limit'],
  [`beforeAll(${EXPECTS}, 120_000);`, 'time limit'],
  [`test('a', () => { expect(readdirSync(tmpdir())).toEqual([]); });`, 'temporary folders of all processes'],
])('a test whose end depends on time or neighbours is refused: %s', (text, rule) => {
  expect(testBreaches('test/a.test.ts', text)).toEqual([expect.stringMatching(new RegExp(`^test/a\\.test\\.ts:1: .*${rule}`))]);
});

test.each([
  `backtest(CONFIG).then(${EXPECTS}, (error) => error);`,
  `const end = withDuck(${EXPECTS}, 5);`,
  `test.each([[f, 5]])('%s', ${EXPECTS});`,
])('a call that is no limit passes: %s', (text) => {
  expect(testBreaches('test/a.test.ts', text)).toEqual([]);
});
