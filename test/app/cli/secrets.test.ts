import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { STRATEGY as BOT_STRATEGY, botWorkspace } from '../live/bot-process.ts';
import { wallExchange } from '../live/wall-exchange.ts';
import { CONFIG, STRATEGY } from './workspace.ts';

const LIVE = `live: { spotBaseUrl: "https://example.com", keys: { secret: "\${MY_OWN_SECRET}" } }\n`;
/** Notes in a file beside it what it finds of the environment, in each of its forms, when it is loaded. */
const CURIOUS = `import { appendFileSync, readFileSync } from 'node:fs';
const memory = process.platform === 'linux' ? readFileSync('/proc/self/environ', 'latin1') + readFileSync('/proc/thread-self/environ', 'latin1') : '';
appendFileSync(import.meta.dirname + '/seen.txt', memory + JSON.stringify(process.env) + '\\n');
`;
const SECRETS = {
  TIDEGATE_API_KEY: 'word-k',
  TIDEGATE_API_SECRET: 'word-s',
  TIDEGATE_API_PASSPHRASE: 'word-p',
  AWS_ACCESS_KEY_ID: 'word-a',
  AWS_SECRET_ACCESS_KEY: 'word-b',
  AWS_SESSION_TOKEN: 'word-t',
};
const OTHER = { OTHER: 'other-word' };

function expectUnseen(folder: string, secrets: Readonly<Record<string, string>>): void {
  const seen = readFileSync(join(folder, 'seen.txt'), 'utf8');
  expect(seen).toContain('other-word');
  for (const secret of Object.values(secrets)) expect(seen).not.toContain(secret);
}

const paper = 'paper: { prices: { recording: sample } }\n';

test.each([
  ['backtest', ['backtest', 'c.yaml', '--quiet']],
  ['diagnose', ['diagnose', 'c.yaml', '--quiet']],
  ['bias', ['bias', 'c.yaml']],
  ['doctor of a bot', ['doctor', 'c.yaml', '--mode', 'paper']],
  ['strategies', ['strategies', '.']],
])('a strategy that %s loads finds no keys in its environment, nor in the memory of the process', async (_, args) => {
  const folder = temporaryFolder();
  const files = { 'c.yaml': CONFIG + LIVE + paper, 's.ts': CURIOUS + STRATEGY };
  // To `bias`, a strategy that reads a file is a finding.
  await runCli(folder, args, { files, env: { ...SECRETS, ...OTHER, MY_OWN_SECRET: 'word-o' }, code: args[0] === 'bias' ? 8 : 0 });
  expectUnseen(folder, { ...SECRETS, ...(args[0] === 'strategies' ? {} : { MY_OWN_SECRET: 'word-o' }) });
});

test('nor do those of a bundle that is verified', async () => {
  const folder = temporaryFolder();
  const files = { 'c.yaml': CONFIG, 's.ts': `${CURIOUS.replaceAll('import.meta.dirname', JSON.stringify(folder))}${STRATEGY}` };
  await runCli(folder, ['backtest', 'c.yaml', '--quiet', '--out', 'out'], { files });
  await runCli(folder, ['bundle', 'out']);
  writeFileSync(join(folder, 'seen.txt'), '');
  await runCli(folder, ['verify', 'out.bundle.gz', '--data-dir', join(ROOT, 'data')], { env: { ...SECRETS, ...OTHER } });
  expectUnseen(folder, SECRETS);
});

test('a live bot trades with keys of variables that its strategy does not find, nor does one that replays it', async () => {
  const exchange = await wallExchange();
  exchange.price('BTC-USDT', '100');
  const work = botWorkspace(exchange.section());
  writeFileSync(work.path('once.ts'), CURIOUS + BOT_STRATEGY);
  const bot = work.launch('live', { ...exchange.env, ...OTHER }, 'instruments.BTC-USDT.stepSize="0.0001"');
  await bot.said('ready');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expectUnseen(work.path(), exchange.env);
  writeFileSync(work.path('seen.txt'), '');
  const journal = work.path('runs', 'once-live', 'journal.sqlite');
  await runCli(work.path(), ['replay', journal], { env: { ...SECRETS, ...OTHER } });
  expectUnseen(work.path(), SECRETS);
});
