import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

const PAGE = 'docs/explanation/luck-or-skill.md';

test('the example of the page makes the verdict that the page shows', async () => {
  const folder = checkout();
  const blocks = blocksOf(PAGE);
  for (const { name, text } of blocks.filter((one) => one.name !== '')) writeFileSync(join(folder, name), text);
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf)
    .filter((one) => one.startsWith('npx tidegate'));
  let last = '';
  for (const command of commands) {
    const { code, output } = await runLine(folder, command);
    expect([command, code, output]).toEqual([command, 0, output]);
    last = output;
  }
  const shown = blocks.find(({ text }) => text.includes('What decides'))!.text.trimEnd();
  const plain = (text: string) => text.replaceAll(/[─-]{5,}/g, '');
  expect(plain(last)).toContain(plain(shown));
  // The figures of the text around it.
  expect(last).toMatch(/Probabilistic Sharpe ratio +0\.96/);
  expect(last).toMatch(/Ratio of the luckiest +6\.97/);
});
