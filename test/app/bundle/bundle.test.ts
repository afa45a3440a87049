import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleRun } from '../../../src/app/bundle/make-bundle.ts';
import { type Verified, verifyBundle } from '../../../src/app/bundle/verify-bundle.ts';
import { CONFIG, STRATEGY, workspace } from '../cli/workspace.ts';

const MINUTES = 30;
const rows = (last: number) =>
  Array.from({ length: MINUTES }, (_, minute) => {
    const price = minute === MINUTES - 1 ? last : 100 + minute;
    return `${Date.UTC(2025, 0, 1) + minute * 60_000},${price},${price},${price},${price},1000`;
  });
const csv = (last: number) => `time,open,high,low,close,volume\n${rows(last).join('\n')}\n`;
const HELPER = `export const SIZE = '0.1';\n`;
const FILES = {
  'bars.csv': csv(200),
  'changed.csv': csv(201),
  'strategies/s.ts': STRATEGY.replace("from 'tidegate';", "from 'tidegate';\nimport { SIZE } from '../lib/size.ts';").replace(
    'quantity: this.params.size',
    'quantity: SIZE',
  ),
  'lib/size.ts': HELPER,
  'c.yaml': CONFIG.replace(/dataDir: .*/, 'dataDir: data')
    .replace('./s.ts', './strategies/s.ts')
    .replace('[sample], to: 2025-01-02', '[minutes]'),
};
const work = workspace(FILES);
const BUNDLE = work.path('one.bundle.gz');

async function imported(file: string, dataDir: string, name = 'minutes') {
  const what = ['--symbol', 'BTC-USDT', '--kind', 'bar', '--interval', '1m', '--name', name, '--data-dir', dataDir];
  await work.run(['data', 'import', file, ...what]);
}

beforeAll(async () => {
  await imported('bars.csv', 'data');
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'one', '--events', '--breakdown', 'day']);
  bundleRun(work.path('one'));
});

function verify(bundle: string, dataDir = work.path('data')): Promise<Verified> {
  return verifyBundle(bundle, { dataDir, latency: undefined, stopwatch: () => 0 });
}

interface Editable {
  content: { config: string; summary: Record<string, unknown>; files: Record<string, string>; code: { sources: Record<string, string> } };
  sha256: string;
}

/** Changes a bundle as somebody would who knows how it is made: its hash is right again. */
function forged(name: string, change: (content: Editable['content']) => void): string {
  const file = JSON.parse(gunzipSync(readFileSync(BUNDLE)).toString()) as Editable;
  change(file.content);
  file.sha256 = createHash('sha256').update(JSON.stringify(file.content)).digest('hex');
  const path = work.path(name);
  writeFileSync(path, gzipSync(JSON.stringify(file)));
  return path;
}

test('a bundle runs again bit for bit, out of its own sources', async () => {
  await work.run(['verify', BUNDLE, '--data-dir', 'data'], { files: { ...FILES, 'lib/size.ts': "export const SIZE = '0.2';\n" } });
  const { differences } = await verify(BUNDLE);
  expect(differences).toEqual([]);
});

test('the same run makes the same bytes, in another folder and at another time', async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'again', '--events', '--breakdown', 'day'], { files: FILES });
  const told = await work.run(['bundle', 'again', '--json']);
  expect(JSON.parse(told.stdout)).toEqual({ bundle: 'again.bundle.gz', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(readFileSync(work.path('again.bundle.gz')).equals(readFileSync(BUNDLE))).toBe(true);
  const refused = await work.run(['bundle', 'again'], { code: 2 });
  expect(refused.stderr).toMatch(/^error OUT_NOT_EMPTY: --out again\.bundle\.gz: is there already/);
  expect(gunzipSync(readFileSync(BUNDLE)).toString()).not.toContain(work.folder);
});

test.each<[string, (content: Editable['content']) => void, string[]]>([
  ['a figure of the summary', ({ summary }) => Object.assign(summary, { finalEquity: '1000000' }), ['summary.finalEquity']],
  ['a fill', ({ files }) => Object.assign(files, { 'fills.csv': files['fills.csv']!.replace('0.0999', '0.0998') }), ['fills.csv line 3']],
])('a bundle whose result was forged is named by it: %s', async (_, change, expected) => {
  const { differences } = await verify(forged('forged.gz', change));
  expect(differences.map(({ what }) => what)).toEqual(expected);
});

test('other code is named, by its strategy and by what it does', async () => {
  const path = forged('code.gz', ({ code }) => Object.assign(code.sources, { 'lib/size.ts': "export const SIZE = '0.3';\n" }));
  const { differences } = await verify(path);
  const what = differences.map((difference) => difference.what);
  expect(what).toEqual(
    expect.arrayContaining(['sources of strategy one (strategies/s.ts)', 'summary.eventLogSha256', 'orders.csv line 2']),
  );
  const told = await work.run(['verify', 'code.gz', '--json'], { code: 8 });
  expect(JSON.parse(told.stdout)).toMatchObject({ same: false, notes: expect.any(Array) });
});

test('another setting changes the result, and what it changes is named', async () => {
  const path = forged('set.gz', (content) => {
    content.config = content.config.replace('takerFee: "0.001"', 'takerFee: "0.002"');
  });
  const { differences } = await verify(path);
  expect(differences.map(({ what }) => what)).toEqual(expect.arrayContaining(['summary.totalFees', 'fills.csv line 2']));
});

test('a bundle that was damaged, or leaves its folder, is refused', async () => {
  const bytes = readFileSync(BUNDLE);
  const text = gunzipSync(bytes).toString().replace('"0.1"', '"0.4"');
  writeFileSync(work.path('text.gz'), gzipSync(text.replace('SIZE', 'SIZF')));
  await expect(verify(work.path('text.gz'))).rejects.toMatchObject({
    code: 'DATA_CORRUPT',
    message: expect.stringMatching(/does not match its hash/),
  });
  writeFileSync(work.path('cut.gz'), bytes.subarray(0, 500));
  await expect(verify(work.path('cut.gz'))).rejects.toMatchObject({ code: 'DATA_CORRUPT' });
  const escaping = forged('out.gz', ({ code }) => Object.assign(code.sources, { '../evil.ts': '' }));
  await expect(verify(escaping)).rejects.toMatchObject({ code: 'DATA_INVALID', message: expect.stringMatching(/sources.*evil/) });
  await expect(verify(work.path('none.gz'))).rejects.toMatchObject({ code: 'DATA_NOT_FOUND' });
});

test('data is found by its hash under any name, and what is missing or differs is named', async () => {
  const copy = work.path('renamed');
  cpSync(work.path('data/minutes'), work.path('renamed/other'), { recursive: true });
  const { differences, notes } = await verify(BUNDLE, copy);
  expect(differences).toEqual([]);
  expect(notes).toContain('the data was found under another name: other');

  await imported('changed.csv', 'changed');
  const expected = /minutes\/BTC-USDT\.bar\.1m with SHA-256 [0-9a-f]{64}: minutes\/BTC-USDT\.bar\.1m has [0-9a-f]{64}$/;
  await expect(verify(BUNDLE, work.path('changed'))).rejects.toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(expected),
  });
  await expect(verify(BUNDLE, work.path('nowhere'))).rejects.toMatchObject({
    code: 'DATA_NOT_FOUND',
    message: expect.stringMatching(
      /nowhere: lacks the data of the run; expected\nminutes\/BTC-USDT\.bar\.1m with SHA-256 .*: there is no such series/,
    ),
  });
});

test('a run that broke has no result to make again', async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'broken', '--set', 'strategies.0.params.throwAt=5'], { code: 4, files: FILES });
  expect(() => bundleRun(work.path('broken'))).toThrow(/did not reach its end/);
  rmSync(work.path('one/code.json'));
  expect(() => bundleRun(work.path('one'))).toThrow(/holds no code\.json/);
});
