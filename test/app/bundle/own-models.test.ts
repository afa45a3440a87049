import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleRun } from '../../../src/app/bundle/make-bundle.ts';
import { CONFIG, STRATEGY, workspace } from '../cli/workspace.ts';

const ROWS = Array.from({ length: 30 }, (_, minute) => {
  const price = 100 + minute;
  return `${Date.UTC(2025, 0, 1) + minute * 60_000},${price},${price},${price},${price},1000`;
});
const MODEL = `import { RATE } from '../lib/rate.ts';
export class Mine {
  fee({ amount }) {
    return amount.times(RATE);
  }
}
`;
const FILES = {
  'bars.csv': `time,open,high,low,close,volume\n${ROWS.join('\n')}\n`,
  'strategies/s.ts': STRATEGY,
  'models/mine.ts': MODEL,
  'lib/rate.ts': "export const RATE = '0.002';\n",
  'c.yaml': `${CONFIG.replace(/dataDir: .*/, 'dataDir: data')
    .replace('./s.ts', './strategies/s.ts')
    .replace('[sample], to: 2025-01-02', '[minutes], fills: { fee: { file: ./models/mine.ts } }')}`,
};
const work = workspace(FILES);
const json = (...parts: string[]) => JSON.parse(readFileSync(work.path(...parts), 'utf8'));

beforeAll(async () => {
  const what = ['--symbol', 'BTC-USDT', '--kind', 'bar', '--interval', '1m', '--name', 'minutes', '--data-dir', 'data'];
  await work.run(['data', 'import', 'bars.csv', ...what]);
  await work.run(['backtest', 'c.yaml', '--quiet', '--out', 'one']);
});

const verify = async (code: 0 | 8) => {
  const args = ['verify', work.path('one.bundle.gz'), '--data-dir', work.path('data'), '--json', '--trust'];
  return JSON.parse((await work.run(args, { code, files: FILES })).stdout) as { identical: boolean; differences: { what: string }[] };
};

test('a run with a model has the fees of the model, its sources and its hash, and says that it depends on it', () => {
  // 0.1 BTC bought at 103 (0.0002 BTC), then what is left above the step, sold at 110.
  expect(json('one', 'summary.json').warnings).toContain('the result depends on a model of your own: fees by models/mine.ts');
  const { models, sources } = json('one', 'code.json');
  expect(models).toEqual([{ setting: 'backtest.fills.fee', file: 'models/mine.ts', sourceHash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  expect(Object.keys(sources)).toEqual(['lib/rate.ts', 'models/mine.ts', 'strategies/s.ts']);
  const [first] = readFileSync(work.path('one', 'fills.csv'), 'utf8').split('\n').slice(1);
  expect(first).toContain('0.0002,BTC');
});

test('a bundle carries the model, and a run of it elsewhere is the same, bit for bit', async () => {
  bundleRun(work.path('one'));
  writeFileSync(work.path('models/mine.ts'), 'export class Mine {}');
  writeFileSync(work.path('lib/rate.ts'), '');
  expect(await verify(0)).toMatchObject({ identical: true, differences: [] });
});
