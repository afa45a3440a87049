import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runBacktest } from '../../../src/app/backtest/run-backtest.ts';
import { initWorkspace, packageJson } from '../../../src/app/workspace/init-workspace.ts';
import { strategyFiles, writeNewFiles } from '../../../src/app/workspace/new-strategy.ts';
import { runNpm } from '../../../src/app/workspace/npm.ts';
import { TEMPLATES } from '../../../src/app/workspace/templates.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each(TEMPLATES)('the template %s runs on the sample as it is written, and is denied nothing', async (template) => {
  const folder = temporaryFolder();
  writeNewFiles(folder, strategyFiles('mine', template, 'sample'));
  const set = [`dataDir=${join(ROOT, 'data')}`, `backtest.to=${template === 'market-maker' ? '2025-01-01T02:00' : '2025-01-06'}`];
  const { summary, failure } = await runBacktest(join(folder, 'configs/mine.yaml'), { set, out: join(folder, 'out'), stopwatch: () => 0 });
  expect({ failure, name: summary.name, denied: summary.denied }).toEqual({ failure: undefined, name: 'mine', denied: 0 });
  expect(summary.fills > 0).toBe(template !== 'empty');
});

test('a strategy has the name of its file, as a class in every place, and the recording that there is', () => {
  const files = strategyFiles('my-2nd-idea', 'trend', 'may');
  expect(Object.keys(files)).toEqual(['strategies/my-2nd-idea.ts', 'configs/my-2nd-idea.yaml']);
  const code = files['strategies/my-2nd-idea.ts']!;
  expect(code).toContain('export class My2ndIdea extends Strategy<typeof Params> {');
  expect(code).not.toMatch(/\bTrend\b/);
  const config = files['configs/my-2nd-idea.yaml']!;
  expect(config).toContain('name: my-2nd-idea\n');
  expect(config).toContain('file: ../strategies/my-2nd-idea.ts\n');
  expect(config).toContain('data: [may]\n');
  expect(config).toContain('prices: { recording: may, speed: 60 }');
});

test('a class does not take a name that its file imports', () => {
  expect(strategyFiles('bar', 'trend', 'may')['strategies/bar.ts']).toContain('export class BarStrategy extends Strategy<');
});

test.each(['', 'My-Idea', '2nd', 'a_b', 'a--b', '../a', 'a.ts'])('the name "%s" is refused', (name) => {
  expect(() => strategyFiles(name, 'empty', 'may')).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test('nothing is written if one of the files exists', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'configs'));
  writeFileSync(join(folder, 'configs/b.yaml'), 'mine');
  const there = join(folder, 'configs/b.yaml');
  expect(() => writeNewFiles(folder, { 'strategies/b.ts': 'b', 'configs/b.yaml': 'b' })).toThrow(
    expect.objectContaining({ code: 'OUT_NOT_EMPTY', message: `${there} exists, and nothing is overwritten` }),
  );
  expect(existsSync(join(folder, 'strategies'))).toBe(false);
  expect(readFileSync(there, 'utf8')).toBe('mine');
});

test('a package.json that is there keeps all that it has, except the failing test of npm init', () => {
  const folder = temporaryFolder();
  const before = {
    name: 'mine',
    scripts: { start: 'node mine.js', test: 'echo "Error: no test specified" && exit 1' },
    dependencies: { tidegate: 'file:../tidegate.tgz' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(before));
  const { name, text, vendored } = packageJson(folder);
  const made = JSON.parse(text) as typeof before;
  expect({ name, vendored }).toEqual({ name: 'mine', vendored: false });
  expect(made.scripts).toMatchObject({ start: 'node mine.js', test: 'node --test' });
  expect(made.dependencies).toEqual(before.dependencies);
});

test('a new package.json depends on the package of this Tidegate in `vendor`', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const { name, text, vendored } = packageJson('/somewhere/My Demo!');
  expect({ name, vendored }).toEqual({ name: 'my-demo', vendored: true });
  expect(JSON.parse(text)).toMatchObject({ private: true, dependencies: { tidegate: `file:vendor/tidegate-${version}.tgz` } });
});

test('npm that fails is named with its folder and its exit code', () => {
  const folder = temporaryFolder();
  const script = join(folder, 'npm-cli.js');
  writeFileSync(script, 'process.exit(3);');
  const before = process.env.npm_execpath;
  process.env.npm_execpath = join(folder, 'npx-cli.js');
  try {
    expect(() => runNpm(folder, ['install'])).toThrow(
      expect.objectContaining({ code: 'NPM_FAILED', message: expect.stringMatching(/^npm install in \S+ ended with 3;/) }),
    );
  } finally {
    if (before === undefined) delete process.env.npm_execpath;
    else process.env.npm_execpath = before;
  }
});

test('a new project has the figures of its strategy, and its test names those that change', async () => {
  const folder = join(temporaryFolder(), 'mine');
  await initWorkspace(folder, { install: false }, () => {});
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  const golden = join(folder, 'test/golden/trend.json');
  const kept = readFileSync(golden, 'utf8');
  const tested = (variables: NodeJS.ProcessEnv = {}) => {
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined, RENEW_GOLDEN: undefined, ...variables };
    const { status, stdout } = spawnSync(process.execPath, ['--test'], { cwd: folder, env, encoding: 'utf8' });
    return { status, stdout };
  };
  expect(tested().status).toBe(0);
  writeFileSync(golden, kept.replace(/"fills": \d+/, '"fills": 1'));
  const changed = tested();
  expect(changed.status).toBe(1);
  expect(changed.stdout).toMatch(/fills: 1 is now \d+/);
  expect(tested({ RENEW_GOLDEN: '1' }).status).toBe(0);
  expect(readFileSync(golden, 'utf8')).toBe(kept);
});
