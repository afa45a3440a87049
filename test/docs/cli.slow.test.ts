import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EXIT_CODES } from '../../src/app/base/exit-codes.ts';
import { commandLine } from '../../src/app/cli.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import { EXAMPLES } from '../golden/golden.ts';
import { ROOT } from '../support/cli.ts';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const PAGES = readdirSync(join(ROOT, 'docs/reference/examples')).map((name) => `docs/reference/examples/${name}`);
const DOCUMENTS = ['docs/reference/cli.md', 'docs/reference/diagnosis.md', 'docs/reference/examples.md', ...PAGES];
/** Run as they are by test/golden. */
const RUN_BY_GOLDENS = EXAMPLES.map((name) => `npx tidegate backtest configs/${name}.yaml`);
const FILES = readFileSync(join(ROOT, 'docs/reference/run-files.md'), 'utf8');
const ERRORS = readFileSync(join(ROOT, 'docs/reference/errors.md'), 'utf8');

/** First cells of the table whose header begins with this cell, one entry per name in backquotes. */
function namesUnder(header: string): string[] {
  const lines = FILES.split('\n');
  const start = lines.findIndex((line, index) => line.startsWith(`| ${header} |`) && lines[index + 1]?.startsWith('|---'));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

test.each(DOCUMENTS)('every command of %s works as printed', async (document) => {
  const folder = checkout();
  const commands = blocksOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf);
  expect(commands.length).toBeGreaterThanOrEqual(1);
  const own = commands.filter((command) => !RUN_BY_GOLDENS.includes(command));
  const outcomes = await Promise.all(own.map(async (command) => ({ command, ...(await runLine(folder, command)) })));
  expect(outcomes.filter(({ code }) => code !== 0)).toEqual([]);

  if (document !== 'docs/reference/cli.md') return;
  const head = (name: string) =>
    readFileSync(join(folder, 'runs/first', name), 'utf8')
      .split('\n')[0]!
      .split(',');
  for (const table of ['fills.csv', 'orders.csv', 'trades.csv', 'denied.csv', 'equity.csv'])
    expect(namesUnder(`\`${table}\``)).toEqual(head(table));
  const summary = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as object;
  expect(namesUnder('key')).toEqual(Object.keys(summary));
});

test('every example has a page and a config, and the index names it', () => {
  const files = readdirSync(join(ROOT, 'strategies')).filter((file) => file.endsWith('.ts'));
  const names = files.map((file) => file.replace(/\.ts$/, ''));
  expect([...EXAMPLES].sort()).toEqual(names);
  expect(PAGES.map((page) => page.replace(/^.*\/|\.md$/g, ''))).toEqual(names);
  expect(readdirSync(join(ROOT, 'configs'))).toEqual(expect.arrayContaining(names.map((name) => `${name}.yaml`)));
  const index = readFileSync(join(ROOT, 'docs/reference/examples.md'), 'utf8');
  expect(names.filter((name) => !index.includes(`](examples/${name}.md) |`))).toEqual([]);
});

test('every command is in docs/reference/cli.md with the options that it has (npm run schema writes them)', async () => {
  const tables = (await import(`${ROOT}/scripts/cli-tables.mjs`)) as {
    withOptionTables(page: string, commands: unknown): string;
    allCommands(commands: unknown): { name: string; options: readonly { flags: string }[] }[];
  };
  const page = readFileSync(join(ROOT, 'docs/reference/cli.md'), 'utf8');
  const { commands } = commandLine();
  expect(tables.withOptionTables(page, commands)).toBe(page);
  const missing = tables.allCommands(commands).filter(({ name }) => !page.includes(`<!-- options of ${name} -->`));
  // `stop` has the options of `status`.
  expect(missing.map(({ name }) => name)).toEqual(['stop']);
});

test('docs/reference/errors.md has every exit code and every error code with its exit code', () => {
  const codes = [...ERRORS.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT_CODES));
  const rows = [...ERRORS.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, name, exit]) => [name!, Number(exit)] as const);
  const known = Object.entries(ERROR_CODES).map(([name, category]) => [name, EXIT_CODES[category]] as const);
  expect(new Map(rows)).toEqual(new Map(known));
  expect(rows.length).toBe(known.length);
});

test.each([
  ['bot', 'tidegate@', 2],
  ['watchdog', 'tidegate-watchdog@', 3],
  ['recorder', 'tidegate-record@', 4],
])('docs/reference/errors.md lists the exit codes after which systemd restarts a %s', (_, unit, column) => {
  const text = readFileSync(join(ROOT, `docs/systemd/${unit}.service`), 'utf8');
  const final = /^RestartPreventExitStatus=(.*)$/m.exec(text)![1]!.split(' ').map(Number);
  const rows = [...ERRORS.matchAll(/^\| (\d+) \|.*$/gm)].map(([line]) => line.split('|').map((cell) => cell.trim()));
  const no = rows.filter((cells) => cells[column + 1] === 'no').map((cells) => Number(cells[1]));
  expect(no).toEqual(final);
});
