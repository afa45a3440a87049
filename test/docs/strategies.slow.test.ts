import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT, readCsv } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Block, blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const PAGES = [
  'docs/tutorials/first-strategy.md',
  'docs/reference/strategy-api.md',
  'docs/reference/indicators.md',
  ...['write-your-own-models', 'use-several-strategies', 'trade-futures', 'backtest-on-order-books', 'test-a-strategy', 'set-exits'].map(
    (name) => `docs/how-to/${name}.md`,
  ),
];
const BLOCKS = new Map(PAGES.map((page) => [page, blocksOf(page)]));
const CLASSES = ['README.md', ...PAGES].flatMap((document) =>
  blocksOf(document)
    .filter(({ language }) => language === 'ts')
    .map((block) => ({ ...block, name: `${document}-${block.line}.ts` })),
);
/** The last text under each file name. */
const FILES = new Map(
  [...BLOCKS.values()]
    .flat()
    .filter(({ name }) => name !== '')
    .map((block) => [block.name, block]),
);

function write(folder: string, { name, text }: Block): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Expects these lines in the output, in this order; the width of columns does not count. */
function expectLines(page: string, output: string, { text, line }: Block): void {
  const plain = (one: string) => one.trim().replace(/ +/g, ' ');
  const lines = output.split('\n').map(plain);
  let at = -1;
  for (const wanted of text.trim().split('\n')) {
    const found = lines.findIndex((one, index) => index > at && one.startsWith(plain(wanted)));
    if (found < 0) throw new Error(`${page}:${line}: "${wanted}" is not in\n${output}`);
    at = found;
  }
}

test.each(PAGES)('read from top to bottom, every file and every command of %s works, and prints the output of the page', async (page) => {
  const folder = checkout();
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  let output = '';
  for (const block of BLOCKS.get(page)!) {
    if (block.name !== '') write(folder, block);
    if (block.language === 'text' && output !== '') expectLines(page, output, block);
    output = '';
    if (block.language !== 'sh') continue;
    for (const command of commandsOf(block)) {
      const outcome = await runLine(folder, command);
      expect(`${command}: ${outcome.code}\n${outcome.code === 0 ? '' : outcome.output}`).toBe(`${command}: 0\n`);
      output += outcome.output;
    }
  }
});

test('each class of the pages for spot runs over the sample, trades, and is denied nothing', async () => {
  const folder = checkout();
  // A class that names a side is for futures, and a model is no strategy; the tests of their pages run them.
  const isSpot = ({ name, text }: Block) => name.endsWith('.ts') && !name.startsWith('models/') && !text.includes('positionSide');
  const names = [...FILES.values()].filter(isSpot).map(({ name }) => name);
  for (const name of names) write(folder, FILES.get(name)!);
  const ids = names.map((name) => basename(name, '.ts'));
  const config = {
    name: 'all',
    dataDir: 'data',
    account: { kind: 'spot', balances: { USDT: '1000000' } },
    instruments: { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' } },
    strategies: ids.map((id, index) => ({ id, file: names[index], symbols: ['BTC-USDT'] })),
    backtest: { data: ['sample'], to: '2025-01-06' },
  };
  writeFileSync(join(folder, 'all.yaml'), JSON.stringify(config));
  const { code, output } = await runLine(folder, 'npx tidegate backtest all.yaml --json --quiet --out out');
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ error: null, denied: 0 });
  const traders = new Set(readCsv(join(folder, 'out/fills.csv')).map(({ strategy }) => strategy!));
  expect([...traders].sort()).toEqual(ids.sort());
});

test("each class of the pages and of the README passes the compiler's strict checks", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const files = CLASSES.map((block) => write(folder, block));
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const program = ts.createProgram(files, { ...options, typeRoots: [join(ROOT, 'node_modules/@types')] });
  const messages = files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(
      ({ messageText, start }) =>
        `${file}:${source.getLineAndCharacterOfPosition(start ?? 0).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
  expect(messages).toEqual([]);
});
