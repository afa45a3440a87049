import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, readCsv, runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLES, figuresTable, type Golden, goldenFile, goldenOf, sha256Of } from './golden.ts';

// A golden file holds what an example came to when it was last looked at. After a change that is meant to change it:
//   RENEW_GOLDEN=1 npm test -- test/golden
// and read the difference before you commit it.
const RENEW = process.env.RENEW_GOLDEN !== undefined;

test.each(EXAMPLES)('%s comes to its golden figures, in two processes, from two folders, with fills on both sides', async (example) => {
  const home = temporaryFolder();
  const elsewhere = temporaryFolder();
  cpSync(join(ROOT, 'configs'), join(elsewhere, 'my configs'), { recursive: true });
  cpSync(join(ROOT, 'strategies'), join(elsewhere, 'strategies'), { recursive: true });
  const moved = ['backtest', `${example}.yaml`, '--quiet', '--out', 'out', '--set', `dataDir=${join(ROOT, 'data')}`];
  await Promise.all([
    runCli(ROOT, ['backtest', `configs/${example}.yaml`, '--quiet', '--events', '--out', join(home, 'out')]),
    runCli(join(elsewhere, 'my configs'), moved),
  ]);

  const golden = goldenOf(join(home, 'out'));
  if (RENEW) writeFileSync(goldenFile(example), `${JSON.stringify(golden, null, 2)}\n`);
  expect(golden).toEqual(JSON.parse(readFileSync(goldenFile(example), 'utf8')) as Golden);
  expect(goldenOf(join(elsewhere, 'my configs/out'))).toEqual(golden);
  expect(sha256Of(join(home, 'out/events.jsonl'))).toBe(golden.summary.eventLogSha256);

  const fills = readCsv(join(home, 'out/fills.csv'));
  expect(new Set(fills.map(({ side }) => side))).toEqual(new Set(['buy', 'sell']));
  const early = fills.filter(({ decidedSequence, pricedSequence }) => Number(pricedSequence) < Number(decidedSequence));
  expect(early).toEqual([]);
});

test('docs/examples.md shows the golden figures', () => {
  const table = figuresTable(EXAMPLES.map((example) => JSON.parse(readFileSync(goldenFile(example), 'utf8')) as Golden));
  const path = join(ROOT, 'docs/examples.md');
  const section = /(<!-- figures.*-->\n)[^]*?(<!-- \/figures -->)/;
  if (RENEW) writeFileSync(path, readFileSync(path, 'utf8').replace(section, (_, begin, end) => `${begin}\n${table}\n\n${end}`));
  expect(readFileSync(path, 'utf8')).toContain(table);
});
