import { createHash } from 'node:crypto';
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { CONFIG, workspace } from '../cli/workspace.ts';

const START = Date.UTC(2025, 0, 1);
const BARS = Array.from({ length: 30 }, (_, minute) => `${START + minute * 60_000},100,100,100,100,1000`);
const STRATEGY = `import { place, Strategy } from 'tidegate';
export class Follows extends Strategy {
  static needs = { bars: '1m' };
  onSignal({ values }) {
    const up = values.up > 0;
    const quantity = up ? '0.1' : this.position('BTC-USDT').quantity;
    return place({ symbol: 'BTC-USDT', side: up ? 'buy' : 'sell', type: 'market', quantity });
  }
}
`;
const signals = (last: number) => `time,up\n${START + 60_000},1\n${START + 600_000},${last}\n`;
const FILES = {
  'bars.csv': `time,open,high,low,close,volume\n${BARS.join('\n')}\n`,
  'preds.csv': signals(-1),
  'changed.csv': signals(1),
  's.ts': STRATEGY,
  'c.yaml': `${CONFIG.replace(/dataDir: .*/, 'dataDir: data').replace('[sample], to: 2025-01-02', '[minutes]')}signals: { preds: { recording: mine } }\n`,
};
const work = workspace(FILES);

const importSignals = (file: string, name: string, dataDir: string) =>
  work.run(['data', 'import', file, '--kind', 'signal', '--name', name, '--data-dir', dataDir]);

beforeAll(async () => {
  const what = ['--symbol', 'BTC-USDT', '--kind', 'bar', '--interval', '1m', '--name', 'minutes', '--data-dir', 'data'];
  await work.run(['data', 'import', 'bars.csv', ...what]);
  await importSignals('preds.csv', 'mine', 'data');
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'one']);
});

const verify = (dataDir: string, code: number) =>
  work.run(['verify', 'one.bundle.gz', '--data-dir', dataDir, '--json', '--trust'], { code, files: FILES });

test('bundle names the recordings that the receiver needs', async () => {
  const { stdout } = await work.run(['bundle', 'one']);
  expect(stdout).toMatch(/^Needs: {3}minutes, mine \(signals\)$/m);
  expect(readFileSync(work.path('one/fills.csv'), 'utf8').trim().split('\n')).toHaveLength(3);
});

test('signals are found by their hash under any name', async () => {
  expect(JSON.parse((await verify('data', 0)).stdout)).toMatchObject({ identical: true, notes: [] });
  cpSync(work.path('data'), work.path('renamed'), { recursive: true });
  renameSync(work.path('renamed/mine'), work.path('renamed/theirs'));
  const { same, notes } = JSON.parse((await verify('renamed', 0)).stdout);
  expect(same).toBe(true);
  expect(notes).toContain('the data was found under another name: theirs (signals)');
});

test('missing and different signals are named with the expected hash', async () => {
  cpSync(work.path('data'), work.path('without'), { recursive: true });
  rmSync(work.path('without/mine'), { recursive: true });
  expect((await verify('without', 3)).stderr).toMatch(
    /^error DATA_NOT_FOUND: without: the data of the run was not found; expected\nmine\/signals with SHA-256 [0-9a-f]{64}: no such signals were found$/m,
  );
  await importSignals('changed.csv', 'mine', 'without');
  expect((await verify('without', 3)).stderr).toMatch(
    /^error DATA_INVALID: .* expected\nmine\/signals with SHA-256 [0-9a-f]{64}: mine\/signals has [0-9a-f]{64}$/m,
  );
});

test('the name of a recording leads to no place outside of the data directory', async () => {
  const file = JSON.parse(gunzipSync(readFileSync(work.path('one.bundle.gz'))).toString());
  file.content.code.signals[0].recording = '../data/mine';
  file.sha256 = createHash('sha256').update(JSON.stringify(file.content)).digest('hex');
  writeFileSync(work.path('forged.gz'), gzipSync(JSON.stringify(file)));
  const { stderr } = await work.run(['verify', 'forged.gz', '--data-dir', 'data', '--trust'], { code: 3, files: FILES });
  expect(stderr).toMatch(/^error DATA_INVALID: forged\.gz: .*expected the name of a recording/s);
});
