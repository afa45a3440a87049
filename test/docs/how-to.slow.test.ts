import { expect, test } from '@jest/globals';
import { blocksOf, commandsOf } from './markdown.ts';
import { checkout, runLine } from './shell.ts';

test.each([
  'docs/how-to/compare-two-runs.md',
  'docs/tutorials/find-parameters.md',
  'docs/how-to/share-a-run.md',
  'docs/how-to/check-for-look-ahead.md',
  'docs/how-to/debug-a-bot-by-replay.md',
])('the commands of %s work one after another', async (document) => {
  const folder = checkout();
  const commands = blocksOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(commandsOf);
  expect(commands.length).toBeGreaterThanOrEqual(1);
  for (const command of commands) {
    const { code, output } = await runLine(folder, command);
    expect(`${command}: ${code === 0 ? 0 : output}`).toBe(`${command}: 0`);
  }
});
