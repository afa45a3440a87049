import { expect, test } from '@jest/globals';
import { runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG, STRATEGY } from './workspace.ts';

const LIVE = `live: { spotBaseUrl: "https://example.com", keys: { secret: "\${MY_OWN_SECRET}" } }\n`;
/** Throws with all the words that it finds in the environment. */
const CURIOUS = STRATEGY.replace(
  'this.seen++;',
  "throw new Error(Object.values(process.env).filter((value) => value?.includes('word')).join(' '));",
);

test('a strategy finds no keys in its environment', async () => {
  const keys = { TIDEGATE_API_KEY: 'word-k', TIDEGATE_API_SECRET: 'word-s', TIDEGATE_API_PASSPHRASE: 'word-p', MY_OWN_SECRET: 'word-o' };
  const files = { 'c.yaml': CONFIG + LIVE, 's.ts': CURIOUS };
  const run = await runCli(temporaryFolder(), ['backtest', 'c.yaml', '--quiet'], { files, env: { ...keys, OTHER: 'other-word' }, code: 4 });
  expect(run.stderr).toContain('other-word');
  expect(run.stderr).not.toMatch(/word-[ksop]/);
});
