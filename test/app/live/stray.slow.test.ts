import { writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { botWorkspace, STRATEGY } from './bot-process.ts';

const PAPER = 'paper: { prices: { recording: sample, speed: 5 }, dir: ./runs, poll: { staleMs: 60000 } }';

test.each([
  ['a throw in a hook', "throw new Error('broken');", /^strategy "one" threw at ticker \d+ of BTC-USDT/],
  ['a promise that nobody awaits', "void Promise.reject(new Error('broken'));", /^strategy "one" threw at an unhandled promise/],
  ['a callback', "setTimeout(() => { throw new Error('broken'); });", /^strategy "one" threw at a callback of its own/],
])('%s of a strategy ends the bot with 4, its journal closed in order', async (_, statement, said) => {
  const work = botWorkspace(PAPER);
  writeFileSync(work.path('once.ts'), STRATEGY.replace('    this.done = true;', `    ${statement}\n    this.done = true;`));
  const bot = work.launch('paper');
  expect(await bot.exit).toBe(4);
  const [, message = ''] = /^error STRATEGY_THREW: (.*)$/ms.exec(bot.stderr()) ?? [];
  expect(message).toMatch(said);
  expect(message).toContain('once.ts:');

  writeFileSync(work.path('once.ts'), STRATEGY);
  const again = work.launch('paper');
  await again.said('ready');
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});
