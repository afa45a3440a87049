import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cacheEntries, cacheLimit, limitCache } from '../../src/recording/catalogue/cache-limit.ts';
import { openRecording } from '../../src/recording/catalogue/open-recording.ts';
import { runCli } from '../support/cli.ts';
import { thrown, Workshop } from './builders.ts';

const bars = (count: number) =>
  `time,open,high,low,close,volume\n${Array.from({ length: count }, (_, row) => `${1_735_689_600 + row * 60},1,1,1,1,${row}\n`).join('')}`;

/** A data directory with the columns of three series, `a` used longest ago, that no process uses. */
async function three(): Promise<{ shop: Workshop; cache: string; folders: readonly string[] }> {
  const shop = new Workshop();
  const cache = join(shop.dataDir, '.cache');
  const folders: string[] = [];
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    await shop.keep(bars(100 + index), { name });
    const [folder] = readdirSync(cache).filter((one) => !folders.includes(one));
    folders.push(folder!);
  }
  return { shop, cache, folders };
}

/** Leaves the marks of processes that have ended alone in the entries, and says when each was used. */
function release(cache: string, folders: readonly string[]): void {
  for (const [index, folder] of folders.entries()) {
    const own = join(cache, folder);
    for (const name of readdirSync(own)) if (name.startsWith('use-')) rmSync(join(own, name));
    // No process has so large a number.
    writeFileSync(join(own, 'use-99999999-0'), '');
    utimesSync(own, 1_000 + index, 1_000 + index);
  }
}

test.each([
  [undefined, 10e9],
  ['500MB', 500e6],
  ['1.5 gb', 1.5e9],
  ['1000', 1_000],
  ['0', 0],
])('the limit %s is %d bytes', (text, bytes) => {
  expect(cacheLimit({ TIDEGATE_CACHE_LIMIT: text })).toBe(bytes);
});

test.each(['much', '-1', '5 GiB'])('the limit %s is refused', (text) => {
  expect(thrown(() => cacheLimit({ TIDEGATE_CACHE_LIMIT: text }))).toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('20GB'),
  });
});

test('columns that this process uses stay, whatever the limit', async () => {
  const { cache, folders } = await three();
  expect(cacheEntries(cache).every(({ inUse }) => inUse)).toBe(true);
  expect(limitCache(cache, 0)).toEqual([]);
  expect(readdirSync(cache).sort()).toEqual([...folders].sort());
});

test('the columns used longest ago are removed first, and only as many as the limit needs', async () => {
  const shop = new Workshop();
  const cache = join(shop.dataDir, '.cache');
  const names = ['a', 'b', 'c'];
  for (const [index, name] of names.entries())
    await runCli(shop.folder, ['data', 'import', `${name}.csv`, '--symbol', 'BTC-USDT', '--kind', 'bar', '--name', name], {
      files: { [`${name}.csv`]: bars(100 + index) },
    });
  const byName = Object.fromEntries(
    cacheEntries(cache).map((entry) => [names[entry.meta!.rows - 100]!, { ...entry, key: basename(entry.folder) }]),
  );
  expect(Object.values(byName).map(({ inUse }) => inUse)).toEqual([false, false, false]);
  release(
    cache,
    names.map((name) => byName[name]!.key),
  );
  const sizes = names.map((name) => byName[name]!.bytes);
  expect(limitCache(cache, sizes[1]! + sizes[2]!).map(({ folder }) => folder)).toEqual([byName.a!.folder]);
  // Reading b makes it the newest, and keeps it while this process runs.
  await openRecording(shop.dataDir, 'b');
  expect(limitCache(cache, sizes[2]!).map(({ folder }) => folder)).toEqual([byName.c!.folder]);
  expect(existsSync(byName.b!.folder)).toBe(true);
  // What was removed is made again.
  expect((await openRecording(shop.dataDir, 'a')).series[0]!.meta.rows).toBe(100);
});

test('columns that another process uses stay until it ends', async () => {
  const { cache, folders } = await three();
  release(cache, folders);
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(other, 'spawn');
  const mark = join(cache, folders[0]!, `use-${other.pid}-0`);
  writeFileSync(mark, '');
  expect(limitCache(cache, 0)).toHaveLength(2);
  other.kill();
  await once(other, 'exit');
  expect(limitCache(cache, 0).map(({ folder }) => basename(folder))).toEqual([folders[0]]);
  expect(readdirSync(cache)).toEqual([]);
});

test('the built command line keeps to the limit, and shows and clears the cache', async () => {
  const shop = new Workshop();
  const words = ['--symbol', 'BTC-USDT', '--kind', 'bar', '--name'];
  const env = { TIDEGATE_CACHE_LIMIT: '6kB' };
  await runCli(shop.folder, ['data', 'import', 'x.csv', ...words, 'x'], { env, files: { 'x.csv': bars(100), 'y.csv': bars(150) } });
  await runCli(shop.folder, ['data', 'import', 'y.csv', ...words, 'y'], { env });
  const shown = await runCli(shop.folder, ['data', 'cache', 'show'], { env });
  expect(shown.stdout).toMatch(/^data\/\.cache: 1 file in [\d.]+ kB, limit 6\.0 kB \(TIDEGATE_CACHE_LIMIT\)\n/);
  expect(shown.stdout).toMatch(/BTC-USDT bar 1m from 2025-01-01 00:00 +150 /);
  expect((await runCli(shop.folder, ['data', 'cache', 'clear'], { env })).stdout).toMatch(/^data\/\.cache: removed 1 file, [\d.]+ kB\n$/);
  expect((await runCli(shop.folder, ['data', 'cache', 'show'], { env: { TIDEGATE_CACHE_LIMIT: 'much' }, code: 2 })).stderr).toMatch(
    /TIDEGATE_CACHE_LIMIT="much"/,
  );
});
