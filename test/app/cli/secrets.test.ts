import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { STRATEGY as BOT_STRATEGY, botWorkspace } from '../live/bot-process.ts';
import { wallExchange } from '../live/wall-exchange.ts';
import { CONFIG, STRATEGY } from './workspace.ts';

const NAMED = `live: { spotBaseUrl: "https://example.com", keys: { secret: "\${WORD_OF_MINE}" } }\n`;
/** Notes in a file beside it what it finds of the environment, in each of its forms, when it is loaded. */
const CURIOUS = `import { appendFileSync, readFileSync } from 'node:fs';
const of = (id) => { try { return readFileSync('/proc/' + id + '/environ', 'latin1'); } catch { return ''; } };
appendFileSync(import.meta.dirname + '/seen.txt', of('self') + of('thread-self') + JSON.stringify(process.env) + '\\n');
`;
const SECRETS = {
  TIDEGATE_API_KEY: 'word-k',
  TIDEGATE_API_SECRET: 'word-s',
  TIDEGATE_API_PASSPHRASE: 'word-p',
  AWS_ACCESS_KEY_ID: 'word-a',
  AWS_SECRET_ACCESS_KEY: 'word-b',
  AWS_SESSION_TOKEN: 'word-t',
  TIDEGATE_KEYS_FILE: '/word-f',
  GITHUB_TOKEN: 'word-g',
  MAIL_PASSWORD: 'word-m',
  EXCHANGE_APIKEY: 'word-e',
  SSH_AUTH_SOCK: '/word-h',
  DATABASE_URL: 'postgres://me:word-d@db.example/prices',
};
/** What is no secret stays. */
const OTHER = { OTHER: 'other-word', MONKEYS_HOME: '/monkeys-word', HOME_URL: 'https://example.com/url-word' };

function expectUnseen(folder: string, secrets: Readonly<Record<string, string>>): void {
  const seen = readFileSync(join(folder, 'seen.txt'), 'utf8');
  for (const other of Object.values(OTHER)) expect(seen).toContain(other);
  for (const secret of Object.values(secrets)) expect(seen).not.toContain(secret);
}

const paper = 'paper: { prices: { recording: sample } }\n';

/** Commands that load strategies, by the test below that runs them. */
const LOADS = {
  once: [
    ['backtest', ['backtest', 'c.yaml', '--quiet']],
    ['diagnose', ['diagnose', 'c.yaml', '--quiet']],
    ['bias', ['bias', 'c.yaml']],
    ['search', ['search', 'c.yaml', '--quiet', '--set', 'search={ parameters: { backtest.pollMs: { values: [500] } } }']],
    ['config', ['config', 'check', 'c.yaml']],
    ['doctor', ['doctor', 'c.yaml', '--mode', 'paper']],
    ['strategies', ['strategies', '.']],
  ] as [string, string[]][],
  elsewhere: ['verify', 'paper', 'live', 'prove', 'replay', 'report', 'compare', 'worker', 'significance', 'portfolio'],
};
const LOADS_NONE =
  'api bots bundle close completion data exchange explain init kill new pause record reduce reset resume runs serve set status stop watchdog'.split(
    ' ',
  );

test('every command is in one of the lists, and user files run in one place only, after secrets are hidden', async () => {
  const { stdout } = await runCli(temporaryFolder(), ['--help']);
  const commands = [...stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  const known = [...LOADS.once.map(([name]) => name), ...LOADS.elsewhere, ...LOADS_NONE, 'help'];
  expect(commands.toSorted()).toEqual(known.toSorted());
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const importing = sources.filter((name) =>
    /\bimport\((?!')|\brequire\(|\bcreateRequire\((?!import\.meta\.url)|node:vm'/.test(readFileSync(join(ROOT, 'src', name), 'utf8')),
  );
  expect(importing).toEqual([join('app', 'loader', 'load-module.ts')]);
});

test.each(LOADS.once)(
  'a strategy that %s loads finds no secret in its environment, nor in the memory of the process',
  async (name, args) => {
    const folder = temporaryFolder();
    const files = { 'c.yaml': CONFIG + NAMED + paper, 's.ts': CURIOUS + STRATEGY };
    // To `bias`, a strategy that reads a file is a finding.
    await runCli(folder, args, { files, env: { ...SECRETS, ...OTHER, WORD_OF_MINE: 'word-o' }, code: name === 'bias' ? 8 : 0 });
    // Without a config, nothing says that this one is a secret.
    expectUnseen(folder, { ...SECRETS, ...(name === 'strategies' ? {} : { WORD_OF_MINE: 'word-o' }) });
  },
);

test('nor does that of a trial that report and compare run again', async () => {
  const folder = temporaryFolder();
  const files = { 'c.yaml': CONFIG + NAMED, 's.ts': CURIOUS + STRATEGY };
  const env = { ...SECRETS, ...OTHER, WORD_OF_MINE: 'word-o' };
  const section = 'search={ parameters: { backtest.pollMs: { values: [500, 600, 700] } } }';
  await runCli(folder, ['search', 'c.yaml', '--quiet', '--out', 'study', '--set', section], { files, env });
  for (const args of [
    ['report', 'study#1'],
    ['compare', 'study#2', 'study#3'],
  ]) {
    writeFileSync(join(folder, 'seen.txt'), '');
    await runCli(folder, args, { env });
    expectUnseen(folder, { ...SECRETS, WORD_OF_MINE: 'word-o' });
  }
});

test('nor does a file of pm2 that doctor reads', async () => {
  const folder = temporaryFolder();
  const pm2 = `${CURIOUS.replace(/^import (.*) from (.*);/, 'const $1 = require($2);').replace('import.meta.dirname', '__dirname')}module.exports = { apps: [] };`;
  const files = { 'c.yaml': CONFIG + NAMED + paper, 's.ts': 'no strategy', 'ecosystem.config.cjs': pm2 };
  await runCli(folder, ['doctor', 'c.yaml', '--mode', 'paper'], { files, env: { ...SECRETS, ...OTHER, WORD_OF_MINE: 'word-o' }, code: 8 });
  expectUnseen(folder, { ...SECRETS, WORD_OF_MINE: 'word-o' });
});

test('nor does that of a verified bundle, not even in the memory of the verifying program', async () => {
  const folder = temporaryFolder();
  const curious = CURIOUS.replaceAll('import.meta.dirname', JSON.stringify(folder)).replace('+ JSON', '+ of(process.ppid) + JSON');
  const files = { 'c.yaml': CONFIG, 's.ts': `${curious}${STRATEGY}` };
  await runCli(folder, ['backtest', 'c.yaml', '--quiet', '--out', 'out'], { files });
  await runCli(folder, ['bundle', 'out']);
  writeFileSync(join(folder, 'seen.txt'), '');
  await runCli(folder, ['verify', 'out.bundle.gz', '--data-dir', join(ROOT, 'data'), '--trust'], { env: { ...SECRETS, ...OTHER } });
  expectUnseen(folder, SECRETS);
});

test('nor does that of a paper bot', async () => {
  const work = botWorkspace('paper: { prices: { recording: sample, speed: 5 }, dir: ./runs }');
  writeFileSync(work.path('once.ts'), CURIOUS + BOT_STRATEGY);
  const bot = work.launch('paper', { ...SECRETS, ...OTHER });
  await bot.said('ready');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expectUnseen(work.path(), SECRETS);
});

test('a live bot trades with keys of variables that its strategy does not find, nor does one that replays it', async () => {
  const exchange = await wallExchange();
  exchange.price('BTC-USDT', '100');
  const work = botWorkspace(exchange.section());
  writeFileSync(work.path('once.ts'), CURIOUS + BOT_STRATEGY);
  const bot = work.launch('live', { ...SECRETS, ...exchange.env, ...OTHER }, 'instruments.BTC-USDT.stepSize="0.0001"');
  await bot.said('ready');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expectUnseen(work.path(), { ...SECRETS, ...exchange.env });
  writeFileSync(work.path('seen.txt'), '');
  const journal = work.path('runs', 'once-live', 'journal.sqlite');
  await runCli(work.path(), ['replay', journal], { env: { ...SECRETS, ...OTHER } });
  expectUnseen(work.path(), SECRETS);
});
