import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT } from '../support/cli.ts';
import { blocksOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const PAGE = 'docs/how-to/write-your-own-models.md';

test('the models of the page pass the checks of tidegate/testing', async () => {
  const folder = checkout();
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  const files = blocksOf(PAGE).filter(({ name }) => name.startsWith('models/'));
  expect(files).toHaveLength(6);
  // Node 20 reads no TypeScript.
  for (const { name, text } of files) {
    const { outputText } = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } });
    writeFileSync(join(folder, name.slice('models/'.length).replace(/\.[jt]s$/, '.mjs')), outputText.replaceAll(".ts'", ".mjs'"));
  }
  const { code, output } = await runLine(folder, 'node check.mjs');
  expect({ code, output }).toEqual({ code: 0, output: '' });
});
