import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';

// biome-ignore lint/suspicious/noExplicitAny: a script of Node's modules alone, without types.
const { isInstalled, root, usersOf } = (await import('../../scripts/tools.mjs' as any)) as any;

const node = spawn(process.execPath, ['-e', "require('libsql'); console.log('loaded'); setInterval(() => {}, 1000)"], { cwd: root });
afterAll(() => void node.kill());

test('a process that runs with the libraries of node_modules is named before these are replaced', async () => {
  await once(node.stdout, 'data');
  const pids = (folder: string) => usersOf(folder).map(({ pid }: { pid: number }) => pid);
  expect(pids(join(root, 'node_modules'))).toContain(node.pid);
  expect(pids(join(root, 'node_modules/libsql/no-such-folder'))).toEqual([]);
  expect(usersOf(join(root, 'node_modules')).find(({ pid }: { pid: number }) => pid === node.pid).command).toContain("require('libsql')");
});

test('npm has installed if its list is as new as the lockfile; pnpm and yarn look after their own', () => {
  const folder = temporaryFolder();
  const write = (name: string, seconds: number) => {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), seconds, seconds);
  };
  mkdirSync(join(folder, 'node_modules'));
  write('package-lock.json', 2);
  expect(isInstalled(folder)).toBe(false);
  write('node_modules/.package-lock.json', 1);
  expect(isInstalled(folder)).toBe(false);
  write('node_modules/.package-lock.json', 2);
  expect(isInstalled(folder)).toBe(true);
  rmSync(join(folder, 'node_modules/.package-lock.json'));
  for (const name of ['.modules.yaml', '.yarn-state.yml']) {
    write(`node_modules/${name}`, 1);
    expect(isInstalled(folder)).toBe(true);
    rmSync(join(folder, 'node_modules', name));
  }
});
