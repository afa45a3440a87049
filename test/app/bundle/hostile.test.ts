import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { onTerminal, terminalTest } from '../../support/terminal.ts';
import { STRATEGY, workspace } from '../cli/workspace.ts';

const work = workspace();
const DATA = ['--data-dir', `${ROOT}/data`];

beforeAll(async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'one']);
  await work.run(['bundle', 'one']);
});

/** The bundle with other code, in a file of that name; its hash is right again. */
function withCode(name: string, code: string): string {
  const file = JSON.parse(gunzipSync(readFileSync(work.path('one.bundle.gz'))).toString());
  file.content.code.sources = { 's.ts': code };
  file.sha256 = createHash('sha256').update(JSON.stringify(file.content)).digest('hex');
  writeFileSync(work.path(name), gzipSync(JSON.stringify(file)));
  return name;
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
