import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { runCli } from '../../support/cli.ts';
import { workspace } from './workspace.ts';

const HINT = 'hint: a run checks no types; `npx tsc --noEmit` finds wrong names and types before it\n';

test('an error of a strategy names the command that checks types, where TypeScript is installed', async () => {
  const args = ['backtest', 'c.yaml', '--quiet', '--out', 'out', '--set', 'strategies.0.params.throwAt=3'];
  const without = workspace();
  expect((await without.run(args, { code: 4 })).stderr).not.toContain('hint:');
  const installed = workspace({ 'tsconfig.json': '{}', 'node_modules/typescript/package.json': '{}' });
  const { stderr } = await installed.run(args, { code: 4 });
  expect(stderr).toContain('error STRATEGY_THREW: ');
  expect(stderr.endsWith(HINT)).toBe(true);
});

test('runs list, show and rm find the folder of runs above the working directory', async () => {
  const work = workspace();
  await work.run(['backtest', 'c.yaml', '--quiet']);
  mkdirSync(work.path('a/b'), { recursive: true });
  expect((await runCli('/', ['runs', 'list'], { code: 3 })).stderr).toContain('runs is not a folder');
  const { stdout } = await work.run(['runs', 'list', '--json'], { cwd: 'a/b' });
  expect(JSON.parse(stdout)).toMatchObject({ folder: '../../runs' });
  expect((await work.run(['runs', 'list'], { cwd: 'a/b' })).stdout).toContain('mine-1');
  expect((await work.run(['runs', 'show', 'mine-1'], { cwd: 'a/b' })).stdout).toContain('mine-1');
  expect((await work.run(['runs', 'rm', 'mine-1'], { cwd: 'a/b' })).stdout).toContain('Removed ../../runs/mine-1');
});

test('init in a folder with scripts of its own names the commands that run the project, and git ignores its keys', async () => {
  const scripts = { start: 'node server.js' };
  const work = workspace({ 'own/package.json': JSON.stringify({ name: 'own', scripts }) });
  const { stdout } = await work.run(['init', 'own', '--no-install']);
  expect(stdout).toContain('\n  npx tidegate backtest configs/trend.yaml\n  npm test\n');
  expect(JSON.parse(work.read('own/package.json')).scripts.start).toBe('node server.js');
  const secrets = ['keys.json', 'keys-live.json', '.env', '.env.local'];
  execFileSync('git', ['init', '--quiet'], { cwd: work.path('own') });
  const ignored = execFileSync('git', ['check-ignore', ...secrets, 'package.json'], { cwd: work.path('own'), encoding: 'utf8' });
  expect(ignored.trim().split('\n')).toEqual(secrets);
});
