import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { serving } from './serving.ts';

const CONFIG = join(ROOT, 'configs/sma-cross.yaml');

/** Paths that lead out of the folder of a run, in the forms that servers have fallen for. */
const AWAY = [
  '..%2f..%2fserve%2ftokens.json',
  '%2e%2e/%2e%2e/etc/passwd',
  '..%5c..%5cserve',
  '%2fetc%2fpasswd',
  '....//tokens.json',
  '..%00',
];

test('runs, studies and recordings are those of the command line, and no path leads out of them', async () => {
  const folder = temporaryFolder('lists');
  symlinkSync(join(ROOT, 'data'), join(folder, 'data'));
  await runCli(folder, ['backtest', CONFIG, '--quiet', '--out', 'runs/a', '--set', 'backtest.to=2025-01-03']);
  const search = 'search={ objective: totalReturn, parameters: { strategies.0.params.fast: { values: [10, 20] } } }';
  await runCli(folder, ['search', CONFIG, '--quiet', '--out', 'studies/s', '--set', search, '--set', 'backtest.to=2025-01-03']);
  // A run whose page is a link to a secret.
  mkdirSync(join(folder, 'runs/b'));
  writeFileSync(join(folder, 'runs/b/summary.json'), JSON.stringify({ name: '<script>alert(1)</script>' }));
  const server = await serving(() => [], {}, {}, [folder]);
  symlinkSync(join(server.folder, 'serve/tokens.json'), join(folder, 'runs/b/report.html'));
  const get = async (path: string) => server.as('viewer', path);

  const { runs, trouble } = (await get('/api/runs')).json;
  expect(trouble).toEqual([]);
  const [a, b] = ['a', 'b'].map((name) => runs.find((run: { folder: string }) => run.folder === join(folder, 'runs', name)));
  const listed = JSON.parse((await runCli(folder, ['runs', 'list', '--json'])).stdout).runs.find(
    (run: { name: string }) => run.name === 'sma-cross',
  );
  const { finalEquity, totalReturn, trades } = listed;
  expect(a).toMatchObject({
    name: 'sma-cross',
    kind: 'backtest',
    state: 'done',
    hasPage: true,
    statistics: { finalEquity, totalReturn, trades },
  });
  expect(b).toMatchObject({ hasPage: false });
  const detail = (await get(`/api/runs/${a.id}`)).json;
  expect(detail.config['account.kind']).toBe('spot');
  expect(detail.files.map(({ name }: { name: string }) => name)).toContain('fills.csv');

  const page = await get(`/api/runs/${a.id}/page`);
  expect(page.text).toMatch(/^<!doctype html>/i);
  // It has scripts of its own, and so no origin.
  expect(page.headers['content-security-policy']).toMatch(/^sandbox allow-scripts allow-downloads; default-src 'none';/);
  expect((await get(`/api/runs/${b.id}/page`)).status).toBe(404);
  for (const away of AWAY) {
    for (const path of [`/api/runs/${away}`, `/api/runs/${away}/page`, `/api/studies/${away}/page`, `/${away}`]) {
      const { status, text } = await get(path);
      expect([path, status < 500 && status >= 400]).toEqual([path, true]);
      for (const token of Object.values(server.tokens)) expect(text).not.toContain(token);
    }
  }

  const { studies } = (await get('/api/studies')).json;
  expect(studies).toMatchObject([{ folder: join(folder, 'studies/s'), trials: 2, trouble: null, hasPage: true, best: { params: {} } }]);
  expect((await get(`/api/studies/${studies[0].id}`)).json.top).toHaveLength(2);
  expect((await get(`/api/studies/${studies[0].id}/page`)).text).toMatch(/^<!doctype html>/i);
  const { recordings } = (await get('/api/data')).json;
  const sample = recordings.find(({ name }: { name: string }) => name === 'sample');
  expect(sample.series).toContainEqual({
    ...{ symbol: 'BTC-USDT', kind: 'bar', intervalMs: 60_000, rows: 40_320, bytes: 435_563, trouble: null },
    ...{ from: Date.parse('2025-01-01T00:00:00Z'), to: Date.parse('2025-01-28T23:59:00Z') },
  });
  expect(server.reported).toEqual([]);
});
