import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EXIT_CODES } from '../../src/app/base/exit-codes.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import { EXAMPLES } from '../golden/golden.ts';
import { ROOT } from '../support/cli.ts';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const PAGES = readdirSync(join(ROOT, 'docs/examples')).map((name) => `docs/examples/${name}`);
const DOCUMENTS = ['docs/cli.md', 'docs/diagnosis.md', 'docs/examples.md', ...PAGES];
/** Run as they are by test/golden. */
const RUN_BY_GOLDENS = EXAMPLES.map((name) => `npx tidegate backtest configs/${name}.yaml`);
const CLI = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');

/** First cells of the table whose header begins with this cell, one entry per name in backquotes. */
function namesUnder(header: string): string[] {
  const lines = CLI.split('\n');
  const start = lines.findIndex((line, index) => line.startsWith(`| ${header} |`) && lines[index + 1]?.startsWith('|---'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

test.each(DOCUMENTS)('every command of %s works as it stands there', async (document) => {
  const folder = checkout();
  const commands = blocksOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf);
  expect(commands.length).toBeGreaterThanOrEqual(1);
  const own = commands.filter((command) => !RUN_BY_GOLDENS.includes(command));
  const outcomes = await Promise.all(own.map(async (command) => ({ command, ...(await runLine(folder, command)) })));
  expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);

  if (document !== 'docs/cli.md') return;
  const head = (name: string) =>
    readFileSync(join(folder, 'runs/first', name), 'utf8')
      .split('\n')[0]!
      .split(',');
  for (const table of ['fills.csv', 'orders.csv', 'denied.csv', 'equity.csv']) expect(namesUnder(`\`${table}\``)).toEqual(head(table));
  const summary = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as object;
  expect(namesUnder('key')).toEqual(Object.keys(summary));
});

test('every example has a page and a config, and the index names it', () => {
  const names = readdirSync(join(ROOT, 'strategies')).map((file) => file.replace(/\.ts$/, ''));
  expect([...EXAMPLES].sort()).toEqual(names);
  expect(PAGES.map((page) => page.replace(/^.*\/|\.md$/g, ''))).toEqual(names);
  expect(readdirSync(join(ROOT, 'configs'))).toEqual(expect.arrayContaining(names.map((name) => `${name}.yaml`)));
  const index = readFileSync(join(ROOT, 'docs/examples.md'), 'utf8');
  expect(names.filter((name) => !index.includes(`](examples/${name}.md) |`))).toEqual([]);
});

test('the table of exit codes is the one that the program uses', () => {
  const rows = [...CLI.matchAll(/^\| (\d+) \|[^|]*\|([^|]*)\|$/gm)].map(([, code, names]) => ({
    code: Number(code),
    names: [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!).sort(),
  }));
  expect(rows.map(({ code }) => code)).toEqual(Object.values(EXIT_CODES));
  const named = Object.entries(EXIT_CODES).map(([category, code]) => ({
    code,
    names: Object.entries(ERROR_CODES)
      .filter(([, own]) => own === category)
      .map(([name]) => name)
      .sort(),
  }));
  expect(rows).toEqual(named);
});
