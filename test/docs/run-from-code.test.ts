import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { blocksOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const SCRIPTS = blocksOf('docs/how-to/run-from-code.md').filter(({ language }) => language === 'js' || language === 'ts');

test('the page has scripts', () => {
  expect(SCRIPTS.length).toBeGreaterThanOrEqual(3);
});

test.each(SCRIPTS)('the script at line $line of run-from-code.md runs, prints and writes nothing', async ({ text }) => {
  const folder = checkout();
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  writeFileSync(join(folder, 'script.mjs'), text);
  const before = readdirSync(folder).sort();
  const { code, output } = await runLine(folder, 'node script.mjs');
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  expect(output).not.toBe('');
  expect(readdirSync(folder).sort()).toEqual(before);
  expect(existsSync(join(folder, 'runs'))).toBe(false);
});
