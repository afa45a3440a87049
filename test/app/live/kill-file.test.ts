import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { botWorkspace } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

/** Reading the kill file fails for as long as a file of this name is beside the config. */
const BROKEN = 'BROKEN';
const SHIM = `const fs = require('node:fs');
const { readFileSync, lstatSync, existsSync } = fs;
const broken = (path) => String(path).endsWith('/KILL') && existsSync(process.env.BROKEN_IF);
const fail = () => { throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }); };
fs.readFileSync = (path, ...more) => (broken(path) ? fail() : readFileSync(path, ...more));
fs.lstatSync = (path, ...more) => (broken(path) ? fail() : lstatSync(path, ...more));
require('node:module').syncBuiltinESMExports();
`;

test('while readings of a missing kill file fail, the bot is not killed, its orders stay, and the log has the reason', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = botWorkspace(local.section());
  writeFileSync(work.path('shim.cjs'), SHIM);
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('0.00001', '0.0001'));
  const frozen = async () => (await local.client('bot').accountAssets()).find(({ coinName }) => coinName === 'USDT')?.frozen;
  const bot = work.launch('live', { ...local.env, NODE_OPTIONS: `--require ${work.path('shim.cjs')}`, BROKEN_IF: work.path(BROKEN) });
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  expect(await frozen()).toBe('1080');
  writeFileSync(work.path(BROKEN), '');
  const said = await bot.line(({ msg }) => msg.startsWith('the kill file could not be read'));
  expect(said).toMatchObject({ level: 40, error: 'EMFILE: too many open files' });
  for (let i = 0; i < 6; i++) expect((await work.status()).latches).toEqual([]);
  rmSync(work.path(BROKEN));
  await bot.said('the kill file can be read again: it does not exist');
  expect([await frozen(), (await work.status()).latches]).toEqual(['1080', []]);
  // One that is there kills as ever.
  writeFileSync(work.path('runs', 'once-live', 'KILL'), '');
  await bot.line(({ msg, reason }) => msg === 'orderCanceled' && reason === 'killed');
  expect(await frozen()).toBe('0');
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});
