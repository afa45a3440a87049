import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleRun } from '../../../src/app/bundle/make-bundle.ts';
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

interface Verdict {
  readonly same: boolean;
  readonly identical: boolean;
  readonly differences: readonly { readonly what: string }[];
  readonly notes: readonly string[];
}

async function verify(bundle: string, code: 0 | 8, dataDir = work.path('data')): Promise<Verdict> {
  const { stdout } = await work.run(['verify', bundle, '--data-dir', dataDir, '--json', '--trust'], { code, files: FILES });
  return JSON.parse(stdout);
}

/** What a bundle is refused with. */
async function refusal(bundle: string, dataDir = work.path('data'), code = 3): Promise<string> {
  const { stdout, stderr } = await work.run(['verify', bundle, '--data-dir', dataDir, '--json', '--trust'], { code, files: FILES });
  expect(stdout).toBe('');
  return stderr;
}

interface Editable {
  content: {
    config: string;
    summary: Record<string, unknown>;
    files: Record<string, string>;
    code: { sources: Record<string, string>; tidegate: { sha256: string } };
  };
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
  const files = { ...FILES, 'lib/size.ts': "export const SIZE = '0.2';\n" };
  const { stdout } = await work.run(['verify', BUNDLE, '--data-dir', 'data', '--trust'], { files });
  expect(stdout).toMatch(/^Identical, bit for bit: .*one\.bundle\.gz \([0-9a-f]{64}\)\n$/);
  expect(await verify(BUNDLE, 0)).toMatchObject({ same: true, identical: true, differences: [], notes: [] });
});

test('the same run makes the same bytes, in another folder and at another time', async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'again', '--events', '--breakdown', 'day'], { files: FILES });
  const told = await work.run(['bundle', 'again', '--json']);
  expect(JSON.parse(told.stdout)).toEqual({
    bundle: 'again.bundle.gz',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    needs: ['minutes'],
  });
  expect(readFileSync(work.path('again.bundle.gz')).equals(readFileSync(BUNDLE))).toBe(true);
  const refused = await work.run(['bundle', 'again'], { code: 2 });
  expect(refused.stderr).toMatch(/^error OUT_NOT_EMPTY: --out again\.bundle\.gz: already exists/);
  expect(gunzipSync(readFileSync(BUNDLE)).toString()).not.toContain(work.folder);
});

test.each<[string, (content: Editable['content']) => void, string[]]>([
  ['a figure of the summary', ({ summary }) => Object.assign(summary, { finalEquity: '1000000' }), ['summary.finalEquity']],
  ['a fill', ({ files }) => Object.assign(files, { 'fills.csv': files['fills.csv']!.replace('0.0999', '0.0998') }), ['fills.csv line 3']],
])('a bundle whose result was forged is named by it: %s', async (_, change, expected) => {
  const { differences } = await verify(forged('forged.gz', change), 8);
  expect(differences.map(({ what }) => what)).toEqual(expected);
});

/** A bundle as an older build made it: it had other statistics and fewer columns. */
function ofOtherBuild(name: string, change: (content: Editable['content']) => void = () => {}): string {
  return forged(name, (content) => {
    content.code.tidegate.sha256 = '0'.repeat(64);
    Object.assign(content.summary.statistics as object, { sharpe: 9 });
    delete (content.summary.statistics as Record<string, unknown>).calmar;
    const equity = content.files['equity.csv']!.replace(/,drawdown/, '').replace(/^(\d.*?,.*?,.*?,.*?,.*?),[^,]*/gm, '$1');
    const fills = content.files['fills.csv']!.replaceAll(/^(.*),(.*)$/gm, (_, most: string) => most);
    Object.assign(content.files, { 'equity.csv': equity, 'fills.csv': fills });
    change(content);
  });
}

test('statistics and columns that another build changed are notes, and the verdict says so', async () => {
  const { same, identical, differences, notes } = await verify(ofOtherBuild('older.gz'), 0);
  expect({ same, identical, differences }).toEqual({ same: true, identical: false, differences: [] });
  const lastOfFills = readFileSync(work.path('again/fills.csv'), 'utf8').split('\n')[0]!.split(',').at(-1);
  expect(notes).toEqual([
    expect.stringMatching(/^the run used another build of Tidegate/),
    'equity.csv: this build adds the column drawdown',
    `fills.csv: this build adds the column ${lastOfFills}`,
    expect.stringMatching(/^summary\.statistics\.sharpe: 9 in the bundle, \S+ with this build$/),
    expect.stringMatching(/^summary\.statistics\.calmar: nothing in the bundle, \S+ with this build$/),
  ]);
  const { stdout } = await work.run(['verify', 'older.gz', '--data-dir', 'data', '--trust'], { files: FILES });
  expect(stdout).toMatch(/\nThe same orders, fills and ledger; statistics changed with the build: older\.gz \([0-9a-f]{64}\)\n$/);
});

test('a fill, the event log and the final equity are differences with any build', async () => {
  const path = ofOtherBuild('older-fill.gz', ({ files, summary }) => {
    files['fills.csv'] = files['fills.csv']!.replace('0.0999', '0.0998');
    Object.assign(summary, { finalEquity: '1000000', eventLogSha256: '0'.repeat(64) });
  });
  const { differences } = await verify(path, 8);
  expect(differences.map(({ what }) => what)).toEqual(['summary.finalEquity', 'summary.eventLogSha256', 'fills.csv line 3']);
});

test('other code is reported with its strategy and its effect', async () => {
  const path = forged('code.gz', ({ code }) => Object.assign(code.sources, { 'lib/size.ts': "export const SIZE = '0.3';\n" }));
  const { differences, ...told } = await verify(path, 8);
  const what = differences.map((difference) => difference.what);
  expect(what).toEqual(
    expect.arrayContaining(['sources of strategy one (strategies/s.ts)', 'summary.eventLogSha256', 'orders.csv line 2']),
  );
  expect(told).toMatchObject({ same: false, notes: [] });
});

test('a changed setting changes the result, and the changes are reported', async () => {
  const path = forged('set.gz', (content) => {
    content.config = content.config.replace('takerFee: "0.001"', 'takerFee: "0.002"');
  });
  const { differences } = await verify(path, 8);
  expect(differences.map(({ what }) => what)).toEqual(expect.arrayContaining(['summary.totalFees', 'fills.csv line 2']));
});

test('a bundle that was damaged, or leaves its folder, is refused', async () => {
  const bytes = readFileSync(BUNDLE);
  const text = gunzipSync(bytes).toString().replace('"0.1"', '"0.4"');
  writeFileSync(work.path('text.gz'), gzipSync(text.replace('SIZE', 'SIZF')));
  expect(await refusal('text.gz')).toMatch(/^error DATA_CORRUPT: text\.gz: .*does not match its hash/);
  writeFileSync(work.path('cut.gz'), bytes.subarray(0, 500));
  expect(await refusal('cut.gz')).toMatch(/^error DATA_CORRUPT: cut\.gz/);
  const escaping = forged('out.gz', ({ code }) => Object.assign(code.sources, { '../evil.ts': '' }));
  expect(await refusal(escaping)).toMatch(/^error DATA_INVALID: [\s\S]*sources.*evil/);
  expect(await refusal('none.gz')).toMatch(/^error DATA_NOT_FOUND: none\.gz/);
});

test('data is found by its hash under any name; missing or different data is reported', async () => {
  const copy = work.path('renamed');
  cpSync(work.path('data/minutes'), work.path('renamed/other'), { recursive: true });
  const { differences, notes } = await verify(BUNDLE, 0, copy);
  expect(differences).toEqual([]);
  expect(notes).toContain('the data was found under another name: other');

  await imported('changed.csv', 'changed');
  const expected = /minutes\/BTC-USDT\.bar\.1m with SHA-256 [0-9a-f]{64}: minutes\/BTC-USDT\.bar\.1m has [0-9a-f]{64}$/;
  const differs = await refusal(BUNDLE, 'changed');
  expect(differs).toMatch(/^error DATA_INVALID: changed: the data of the run was not found/);
  expect(differs.trimEnd()).toMatch(expected);
  expect(await refusal(BUNDLE, 'nowhere')).toMatch(
    /^error DATA_NOT_FOUND: nowhere: the data of the run was not found; expected\nminutes\/BTC-USDT\.bar\.1m with SHA-256 .*: no such series was found/,
  );
});

test('a run that broke has no result to make again', async () => {
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'broken', '--set', 'strategies.0.params.throwAt=5'], { code: 4, files: FILES });
  expect(() => bundleRun(work.path('broken'))).toThrow(/was stopped before its end/);
  rmSync(work.path('one/code.json'));
  expect(() => bundleRun(work.path('one'))).toThrow(/code\.json or summary\.json is missing/);
});
