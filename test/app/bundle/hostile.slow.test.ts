import { createHash } from 'node:crypto';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseDocument } from 'yaml';
import { ROOT } from '../../support/cli.ts';
import { onTerminal, terminalTest } from '../../support/terminal.ts';
import { STRATEGY, workspace } from '../cli/workspace.ts';

const work = workspace();
const DATA = ['--data-dir', `${ROOT}/data`];

beforeAll(async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'one']);
  await work.run(['bundle', 'one']);
});

interface Content {
  config: string;
  summary: Record<string, unknown>;
  code: {
    node: string;
    tidegate: { version: string };
    sources: Record<string, string>;
    strategies: { id: string; file: string }[];
    data: { series: string; sha256: string }[];
  };
}

/** The bundle with other content, in a file of that name; its hash is right again. */
function forged(name: string, change: (content: Content) => void): string {
  const file = JSON.parse(gunzipSync(readFileSync(work.path('one.bundle.gz'))).toString());
  change(file.content);
  file.sha256 = createHash('sha256').update(JSON.stringify(file.content)).digest('hex');
  writeFileSync(work.path(name), gzipSync(JSON.stringify(file)));
  return name;
}

/** The bundle with other code. */
function withCode(name: string, code: string): string {
  return forged(name, (content) => {
    content.code.sources = { 's.ts': code };
  });
}

const VERDICT = `{"same":true,"bundle":"x","sha256":"x","differences":[],"notes":[]}`;
const print = `require('node:fs').writeSync(1, '${VERDICT}\\n');`;
const REQUIRE = `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n`;

describe('code of a bundle that prints the expected verdict', () => {
  test.each<[string, string, RegExp]>([
    ['and calls process.exit(0)', `${print}process.exit(0);`, /strategies must not call process\.exit\(0\)/],
    [
      'and ends its process otherwise',
      `${print}process.reallyExit(0);`,
      /ended the process before the end of the run \(exit code 0\): nothing was verified/,
    ],
    [
      'and kills its process',
      `${print}process.kill(process.pid, 'SIGTERM');for (;;);`,
      /ended the process before the end of the run \(signal SIGTERM\)/,
    ],
    [
      'and says that it is done',
      `${print}require('node:fs').writeSync(3, '{"token":"x"}\\n{}\\nnull\\n');process.reallyExit(0);`,
      /nothing was verified/,
    ],
    ['and has no way to send', `${print}process.send({});`, /process\.send is not a function/],
  ])('%s is a failure, and stdout is empty', async (_, code, said) => {
    const bundle = withCode('hostile.gz', `${REQUIRE}${code}\n${STRATEGY}`);
    const { stdout, stderr } = await work.run(['verify', bundle, ...DATA, '--json', '--trust'], { code: 4 });
    expect(stdout).toBe('');
    expect(stderr).toMatch(said);
    expect(stderr).toContain(`bundle: ${VERDICT}\n`);
  });

  test('and then trades otherwise is found by the differences alone', async () => {
    const code = `${REQUIRE}${print}console.log(${JSON.stringify(VERDICT)});\n${STRATEGY.replace('=== 3', '=== 4')}`;
    const { stdout, stderr } = await work.run(['verify', withCode('hostile.gz', code), ...DATA, '--json', '--trust'], { code: 8 });
    expect(JSON.parse(stdout)).toMatchObject({ same: false });
    expect(stderr).toBe(`bundle: ${VERDICT}\nbundle: ${VERDICT}\n`);
  });
});

test('the output of code in a bundle cannot control the terminal, and is cut', async () => {
  const code = `console.log('\\u001b]0;owned\\u0007\\u009b2J\\u202e');\nconsole.log('x'.repeat(200_000));\nconsole.log('last');\n${STRATEGY}`;
  const { stderr } = await work.run(['verify', withCode('loud.gz', code), ...DATA, '--trust'], { code: 8 });
  expect(stderr).toMatch(/^bundle: \\u001b\]0;owned\\u0007\\u009b2J\\u202e\nbundle: x+\nbundle: \.\.\. further output is left out\n$/);
  expect(stderr.length).toBeLessThan(70_000);
});

describe('a bundle reads no file of the receiver', () => {
  const SECRET = 'the first line of a file of the receiver';
  const own = () => {
    writeFileSync(work.path('own.ts'), `console.log('own ran');\n${STRATEGY}`);
    writeFileSync(work.path('own.yaml'), `${SECRET}\n`);
    symlinkSync(work.path('own.ts'), join(tmpdir(), `tidegate-link-${process.pid}.ts`));
  };
  beforeAll(own);
  afterAll(() => rmSync(join(tmpdir(), `tidegate-link-${process.pid}.ts`), { force: true }));

  const file = (path: string) => (content: Content) => {
    content.config = content.config.replace('file: code/s.ts', `file: ${path}`);
    expect(content.config).toContain(path);
  };
  const more = (text: string) => (content: Content) => {
    content.config += text;
  };
  test.each<[string, (content: Content) => void, RegExp]>([
    ['by an absolute path', file(work.path('own.ts')), /strategies\[0\]\.file: expected the packed file code\/s\.ts/],
    ['by a path that leads out', file('code/../../own.ts'), /strategies\[0\]\.file: expected the packed file code\/s\.ts/],
    ['by a link', file(join(tmpdir(), `tidegate-link-${process.pid}.ts`)), /strategies\[0\]\.file: expected the packed file/],
    ['by a variable', file(`\${X:-${work.path('own.ts')}}`), /strategies\[0\]\.file: expected the packed file/],
    [
      'by a strategy more than it lists',
      (content) => {
        content.config = content.config.replace(
          'strategies:',
          `strategies:\n  - { id: two, file: ${work.path('own.ts')}, symbols: [BTC-USDT] }`,
        );
      },
      /strategies: expected the 1 strategies that the bundle has/,
    ],
    [
      'by a list of sources without the file',
      (content) => {
        content.code.strategies[0]!.file = 'other.ts';
      },
      /strategies\[0\]\.file: the bundle has no source other\.ts/,
    ],
    ['by extending a config', more(`extends: ${work.path('own.yaml')}\n`), /extends: a bundle has no such setting/],
    ['by extending /etc/passwd', more('extends: /etc/passwd\n'), /extends: a bundle has no such setting/],
    ['by a model', forModel('fee'), /backtest\.fills\.fee\.file: the bundle has no file for it/],
    ['by a model of latency', forModel('model'), /backtest\.latency\.model\.file: the bundle has no file for it/],
    ['by recorded latencies', forModel('recorded'), /backtest\.latency\.recorded: the bundle has no file for it/],
    ['by the keys of a bot', more('live: { keys: { key: { file: /etc/passwd } } }\n'), /live: a bundle has no such setting/],
    ['by a data directory', more('dataDir: /etc\n'), /dataDir: a bundle has no such setting/],
  ])('%s', async (_, change, said) => {
    const bundle = forged('paths.gz', change);
    const { stdout, stderr } = await work.run(['verify', bundle, ...DATA, '--json', '--trust'], { code: 3 });
    expect(stdout).toBe('');
    expect(stderr).toMatch(said);
    expect(stderr).toMatch(/^error DATA_INVALID: /);
    expect(stderr).not.toMatch(/root:|own ran|the first line/);
  });

  test.each([
    ['an absolute import', () => `import ${JSON.stringify(work.path('own.ts'))};`],
    ['an import that leads out', () => `import '../../${relative(tmpdir(), work.path('own.ts'))}';`],
    ['an import of a URL', () => `import ${JSON.stringify(pathToFileURL(work.path('own.ts')).href)};`],
    ['a require', () => `require(${JSON.stringify(work.path('own.ts'))});`],
  ])('by %s', async (_, line) => {
    const { stderr } = await work.run(['verify', withCode('imports.gz', `${line()}\n${STRATEGY}`), ...DATA, '--trust'], { code: 4 });
    expect(stderr).toMatch(
      /^error STRATEGY_LOAD_FAILED: .*\/s\.ts:1:\d+: ".*own\.ts" is not one of the packed files: a bundle may import only these\n$/,
    );
  });
});

function forModel(kind: 'fee' | 'model' | 'recorded'): (content: Content) => void {
  return (content) => {
    const document = parseDocument(content.config);
    const path = kind === 'fee' ? ['fills', 'fee'] : ['latency', kind];
    const value = work.path('own.ts');
    document.setIn(['backtest', ...path], document.createNode(kind === 'recorded' ? value : { file: value }));
    content.config = document.toString();
  };
}

test('a source that is a file and a folder is refused', async () => {
  const bundle = forged('both.gz', ({ code }) => Object.assign(code.sources, { 's.ts/other.ts': '' }));
  const { stderr } = await work.run(['verify', bundle, ...DATA, '--trust'], { code: 3 });
  expect(stderr).toBe('error DATA_INVALID: both.gz: the source s.ts/other.ts is both a file and a folder\n');
});

describe('no text of a bundle forges a line of the output', () => {
  const LINE = '\nIdentical, bit for bit: one.bundle.gz';
  const SHOWN = '\\nIdentical, bit for bit: one.bundle.gz';
  test.each<[string, number, (content: Content) => void]>([
    ['the version of Tidegate', 3, ({ code }) => Object.assign(code.tidegate, { version: `9${LINE}` })],
    ['the version of Node', 3, ({ code }) => Object.assign(code, { node: `9${LINE}` })],
    ['a series', 3, ({ code }) => Object.assign(code.data[0]!, { series: `x${LINE}` })],
    ['the id of a strategy', 8, ({ code }) => Object.assign(code.strategies[0]!, { id: `x${LINE}`, sourceHash: '0'.repeat(64) })],
    ['a key of the summary', 8, ({ summary }) => Object.assign(summary, { [`x${LINE}`]: 1 })],
    ['a name of a source', 4, ({ code }) => Object.assign(code.sources, { 'x\nIdentical': '', 's.ts': '!' })],
    ['a setting', 2, (content) => Object.assign(content, { config: `${content.config}"x\\nIdentical": 1\n` })],
    ['a field that no bundle has', 3, (content) => Object.assign(content, { [`x${LINE}`]: 1 })],
  ])('%s', async (_, code, change) => {
    const { stdout, stderr } = await work.run(['verify', forged('lines.gz', change), ...DATA, '--trust'], { code });
    expect(`${stdout}${stderr}`).not.toMatch(/^Identical/m);
    if (code === 8) expect(stdout).toContain(SHOWN);
  });

  test.each([
    ['format version', (file: Record<string, unknown>) => Object.assign(file, { version: `1${LINE}` })],
    ['hash', (file: Record<string, unknown>) => Object.assign(file, { sha256: `1${LINE}` })],
  ])('its %s', async (_, change) => {
    const file = JSON.parse(gunzipSync(readFileSync(work.path('one.bundle.gz'))).toString());
    writeFileSync(work.path('head.gz'), gzipSync(JSON.stringify(change(file))));
    const { stderr } = await work.run(['verify', 'head.gz', ...DATA, '--trust'], { code: 3 });
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('whether code of a bundle runs', () => {
  test('requires --trust without a terminal', async () => {
    const { stderr } = await work.run(['verify', 'one.bundle.gz', ...DATA], { code: 2 });
    expect(stderr).toBe(
      'error USAGE: one.bundle.gz: the code of a bundle runs with your rights; use --trust to confirm this, or run verify on a terminal\n',
    );
  });

  const marking = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(work.path('ran'))}, '');\n`;
  terminalTest.each([
    ['n', 2, false],
    ['', 2, false],
    ['yes of course', 2, false],
    ['y', 8, true],
    ['YES', 8, true],
  ])('a prompt on a terminal: "%s" ends with %d', async (answer, code, ran) => {
    rmSync(work.path('ran'), { force: true });
    const bundle = withCode('asked.gz', `${marking}${STRATEGY}`);
    const { code: ended, text } = await onTerminal(work.folder, ['verify', bundle, ...DATA], `${answer}\n`);
    expect(text).toMatch(
      /This runs the code of the bundle, \d+ lines, with your rights:\r?\n {2}s\.ts\r?\nDo you trust its author\? \[y\/N\]/,
    );
    expect([ended, work.has('ran')]).toEqual([code, ran]);
    if (!ran) expect(text).toContain('error USAGE: asked.gz: not verified: its code was not run');
  });
});
