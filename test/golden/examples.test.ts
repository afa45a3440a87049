import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeFile, type StrategyDescription } from '../../src/app/strategies/describe-file.ts';
import { ROOT, readCsv, runCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { EXAMPLES, figuresTable, type Golden, goldenFile, goldenOf, parametersTable, sha256Of, totalsTable } from './golden.ts';

// A golden file holds what an example came to when it was last looked at. After a change that is meant to change it:
//   RENEW_GOLDEN=1 npm test -- test/golden
// and read the difference before you commit it.
const RENEW = process.env.RENEW_GOLDEN !== undefined;

test.each(EXAMPLES)('%s gives its golden figures, in two processes, from two folders, with fills on both sides', async (example) => {
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

const goldens = () => EXAMPLES.map((example) => JSON.parse(readFileSync(goldenFile(example), 'utf8')) as Golden);

/** The document has this table between marks of that name; renewing puts it there. */
function expectTable(document: string, name: 'figures' | 'parameters', table: string): void {
  const path = join(ROOT, document);
  const section = new RegExp(`(<!-- ${name}.*-->\n)[^]*?(<!-- /${name} -->)`);
  if (RENEW) writeFileSync(path, readFileSync(path, 'utf8').replace(section, (_, begin, end) => `${begin}\n${table}\n\n${end}`));
  expect(section.exec(readFileSync(path, 'utf8'))?.[0]).toContain(`\n${table}\n`);
}

test('docs/reference/examples.md shows the results', () => {
  expectTable('docs/reference/examples.md', 'figures', totalsTable(goldens()));
});

test.each(EXAMPLES)('the page of %s shows its golden figures and its parameters', async (example) => {
  const golden = JSON.parse(readFileSync(goldenFile(example), 'utf8')) as Golden;
  expectTable(`docs/reference/examples/${example}.md`, 'figures', figuresTable(golden));
  const [{ parameters }] = (await describeFile(join(ROOT, 'strategies', `${example}.ts`))) as [StrategyDescription];
  expectTable(`docs/reference/examples/${example}.md`, 'parameters', parametersTable(parameters));
});
