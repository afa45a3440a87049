import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../support/cli.ts';
import { blocksOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const SCRIPTS = blocksOf('docs/how-to/run-from-code.md').filter(({ language }) => language === 'js' || language === 'ts');

test('the page has scripts in JavaScript and in TypeScript', () => {
  expect(new Set(SCRIPTS.map(({ language }) => language))).toEqual(new Set(['js', 'ts']));
});

test.each(SCRIPTS)(
  'the script at line $line of run-from-code.md is valid, runs, prints and writes no results',
  async ({ language, text }) => {
    const folder = checkout();
    symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
    symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    const file = join(folder, `script.${language === 'ts' ? 'mts' : 'mjs'}`);
    writeFileSync(file, text);
    const options = { strict: true, skipLibCheck: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: ['node'] };
    const program = ts.createProgram([file], {
      ...options,
      allowJs: true,
      checkJs: false,
      noEmitOnError: false,
      outDir: join(folder, 'made'),
    });
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
    if (language === 'ts')
      writeFileSync(
        join(folder, 'script.mjs'),
        ts.transpileModule(text, { compilerOptions: { ...options, module: ts.ModuleKind.ES2022 } }).outputText,
      );
    const before = readdirSync(folder).sort();
    const { code, output } = await runLine(folder, 'node script.mjs');
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(output).not.toBe('');
    // A search keeps its study.
    expect(
      readdirSync(folder)
        .filter((name) => name !== 'studies')
        .sort(),
    ).toEqual(before);
  },
);

test('the reference names every function and option of the entry, and every column of a result', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/run-from-code.md'), 'utf8');
  const fieldsOf = (file: string, name: string) => {
    const source = ts.createSourceFile(file, readFileSync(join(ROOT, 'src/app/library', file), 'utf8'), ts.ScriptTarget.ES2022, true);
    const found = source.statements.find((one): one is ts.InterfaceDeclaration => ts.isInterfaceDeclaration(one) && one.name.text === name);
    return found!.members.map((member) => member.name!.getText());
  };
  const names = [
    ...['ConfigOptions', 'BacktestOptions'].flatMap((name) => fieldsOf('backtest.ts', name)),
    ...['ReplayOptions', 'CompareOptions'].flatMap((name) => fieldsOf('replay.ts', name)),
    ...['SearchOptions', 'SearchTrial'].flatMap((name) => fieldsOf('search.ts', name)),
    ...['BacktestResult', 'EquityTable', 'FillTable', 'TradeTable'].flatMap((name) => fieldsOf('run-result.ts', name)),
  ];
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
