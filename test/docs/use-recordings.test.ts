import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { blocksOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const SCRIPTS = blocksOf('docs/how-to/use-recordings-from-code.md').filter(({ language }) => language === 'js' || language === 'ts');

let folder: string;
beforeAll(() => {
  folder = checkout();
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
});

test('the page has a script for each task', () => {
  expect(SCRIPTS.length).toBeGreaterThanOrEqual(5);
});

test.each(SCRIPTS)('the script at line $line of use-recordings-from-code.md runs and prints', async ({ text }) => {
  writeFileSync(join(folder, 'script.mjs'), text);
  const { code, output } = await runLine(folder, 'node script.mjs');
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(output).not.toBe('');
});
