import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

/** Pages whose files import an entry of the package and are run by `sh` blocks. */
const PAGES = ['docs/reference/local-exchange.md'];

test.each(PAGES)('every file of %s that imports the package passes its commands', async (page) => {
  const folder = checkout();
  symlinkSync(ROOT, join(folder, 'node_modules/tidegate'));
  let commands = 0;
  for (const block of blocksOf(page)) {
    if (block.name !== '') {
      mkdirSync(dirname(join(folder, block.name)), { recursive: true });
      writeFileSync(join(folder, block.name), block.text);
    }
    if (block.language !== 'sh') continue;
    for (const command of commandsOf(block)) {
      const { code, output } = await runLine(folder, command);
      expect(`${command}: ${code}\n${code === 0 ? '' : output}`).toBe(`${command}: 0\n`);
      commands++;
    }
  }
  expect(commands).toBeGreaterThan(0);
});
