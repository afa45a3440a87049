import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { watchdogText, writeCommandFile } from '../../../src/app/live/process/filed-command.ts';
import { KillFile } from '../../../src/app/live/process/kill-file.ts';
import { botFolder, makeBotFolder } from '../../../src/app/planning/bot-folder.ts';
import { latchPaper } from '../../../src/app/watchdog/rescue.ts';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const open: KillFile[] = [];
afterEach(() => {
  for (const file of open.splice(0)) file.close();
});

function watched(path: string, files?: ConstructorParameters<typeof KillFile>[2]) {
  const heard: string[] = [];
  const said: string[] = [];
  const reasons: string[] = [];
  const say = (message: string, fields?: Readonly<Record<string, unknown>>) => said.push(`${message} ${fields?.error ?? ''}`.trim());
  const outlets = {
    kill: (flatten: boolean, reason: string) => {
      heard.push(flatten ? 'kill, flatten' : 'kill');
      reasons.push(reason);
      return true;
    },
    watchdogActed: (text: string) => heard.push(text),
    log: { warn: say, info: say },
  };
  const file = new KillFile(path, outlets, files);
  open.push(file);
  return { file, heard, said, reasons };
}

/** Files that fail as they are told: to be read, and to be looked for. */
function failing() {
  const fails: { read?: string; look?: string } = {};
  let now = 0;
  const act = (code: string | undefined) => {
    if (code !== undefined) throw Object.assign(new Error(`${code}: no`), { code });
  };
  const files = {
    read: () => {
      act(fails.read);
      return '';
    },
    look: () => act(fails.look),
    remove: () => {},
    now: () => now,
  };
  return {
    files,
    fails,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a failed reading kills no bot: it is read again, and the log has the reason', () => {
  const { files, fails, pass } = failing();
  fails.read = 'ENOENT';
  const { file, heard, said } = watched('KILL', files);
  Object.assign(fails, { read: 'EMFILE', look: 'EMFILE' });
  for (let i = 0; i < 10; i++) {
    expect(file.look()).toBe(false);
    pass(1_000);
  }
  // It is not there: only reading failed.
  Object.assign(fails, { read: 'EIO', look: 'ENOENT' });
  expect(file.look()).toBe(false);
  fails.read = 'ENOENT';
  file.look();
  expect(heard).toEqual([]);
  expect(said).toEqual([
    'the kill file could not be read, and will be read again. It is unknown whether it exists, so the bot is not killed EMFILE: no',
    'the kill file can be read again: it does not exist',
  ]);
});

test('a file that exists and stays unreadable kills after a while, with a log line', () => {
  const path = join(temporaryFolder('latch'), 'KILL');
  const { file, heard } = watched(path);
  mkdirSync(path);
  file.look();
  expect(heard).toEqual([]);
  const { files, fails, pass } = failing();
  fails.read = 'EACCES';
  const other = watched('KILL', files);
  other.file.look();
  pass(1_999);
  expect(other.file.look()).toBe(false);
  pass(1);
  expect(other.file.look()).toBe(true);
  other.file.look();
  expect([other.heard, other.reasons]).toEqual([['kill'], ['the file KILL, which exists and cannot be read (EACCES: no)']]);
});

test('a file written in two parts kills with the first, and flattens with the second', () => {
  const path = join(temporaryFolder('latch'), 'KILL');
  const { file, heard } = watched(path);
  for (const text of ['', 'flatten', 'flatten now']) {
    writeFileSync(path, text);
    file.look();
  }
  expect(heard).toEqual(['kill', 'kill, flatten']);
});

test('a kill file that a watchdog writes while the bot runs shows a takeover; one that exists at its start kills it', () => {
  const path = join(temporaryFolder('latch'), 'KILL');
  const before = watched(path);
  writeFileSync(path, watchdogText('silent', false));
  expect(before.file.look()).toBe(true);
  before.file.look();
  expect(before.heard).toEqual(['watchdog: silent']);

  const after = watched(path);
  after.file.look();
  expect(after.heard).toEqual(['kill']);
  // Silent once more, in this life.
  writeFileSync(path, watchdogText('silent again', false));
  after.file.look();
  expect(after.heard).toEqual(['kill', 'watchdog: silent again']);
});

test('a kill file of a person kills the running bot, each time it is created', () => {
  const path = join(temporaryFolder('latch'), 'KILL');
  const { file, heard } = watched(path);
  for (const text of ['', 'flatten']) {
    writeFileSync(path, text);
    file.look();
    rmSync(path);
    expect(file.look()).toBe(false);
  }
  expect(heard).toEqual(['kill', 'kill, flatten']);
});

const filedKill = (id: string, flatten: boolean) => ({ command: 'kill', id, flatten, reason: 'do not flatten' }) as const;

test('a kill file of a command kills with its own reason, and is removed once it is obeyed', () => {
  const folder = botFolder(temporaryFolder('latch'), 'mine', 'live');
  makeBotFolder(folder);
  const { file, heard, reasons } = watched(folder.killFile);
  writeCommandFile(folder, filedKill('1', false));
  expect(file.look()).toBe(false);
  expect([heard, reasons, existsSync(folder.killFile)]).toEqual([['kill'], ['do not flatten'], false]);
  // Two that were not obeyed: one that flattens is not taken back.
  writeCommandFile(folder, filedKill('2', true));
  writeCommandFile(folder, filedKill('3', false));
  file.look();
  expect(heard).toEqual(['kill', 'kill, flatten']);
});

test('a command adds only `flatten` to the kill file of a person or a watchdog, and its bot does not take that for a takeover', () => {
  const folder = botFolder(temporaryFolder('latch'), 'mine', 'live');
  makeBotFolder(folder);
  writeFileSync(folder.killFile, 'by hand');
  writeCommandFile(folder, filedKill('1', false));
  expect(readFileSync(folder.killFile, 'utf8')).toBe('by hand');
  writeCommandFile(folder, filedKill('2', true));
  expect(readFileSync(folder.killFile, 'utf8')).toBe('by hand\nflatten\n');
  writeFileSync(folder.killFile, watchdogText('silent', false));
  const { file, heard } = watched(folder.killFile);
  file.look();
  writeCommandFile(folder, filedKill('3', true));
  expect(file.look()).toBe(true);
  expect(heard).toEqual(['kill', 'kill, flatten']);
});

test.each([
  [false, 'kill'],
  [true, 'kill, flatten'],
])('a paper bot is latched (flatten: %s), and does the rest itself when it starts', async (flatten, wanted) => {
  const folder = botFolder(temporaryFolder('latch'), 'mine', 'paper');
  makeBotFolder(folder);
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent, close: silent, reopen: silent };
  expect(
    await latchPaper(folder, flatten).rescue('no heartbeat of flatten-all', new AbortController().signal, log, new SystemClock()),
  ).toBe(true);
  const { file, heard } = watched(folder.killFile);
  file.look();
  expect(heard).toEqual([wanted]);
});

test('a forbidden action is not done, and reading continues', async () => {
  const sent: string[] = [];
  const clock = new SystemClock();
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(clock),
    credentials: new Credentials({ key: 'k', secret: 's', passphrase: 'p' }),
    random: () => 0,
    settings: { spotBaseUrl: 'http://127.0.0.1:1', clockSyncMs: 0 },
    sender: {
      send: async ({ target }) => {
        sent.push(target);
        return { status: 200, text: '{"code":"00000","msg":"success","requestTime":1,"data":[]}', retryAfterMs: undefined };
      },
      close: async () => {},
    },
    forbids: () => 'overtaken',
  });
  const orderList = [{ side: 'buy', orderType: 'market', force: 'normal', quantity: '1', clientOrderId: 'a' } as const];
  await expect(client.batchOrders({ symbol: 'BTCUSDT_SPBL', orderList })).rejects.toMatchObject({ outcome: 'none' });
  await expect(client.cancelOrder({ symbol: 'BTCUSDT_SPBL', clientOid: 'a' })).rejects.toMatchObject({ outcome: 'none' });
  expect(await client.accountAssets()).toEqual([]);
  expect(sent).toEqual(['/api/v2/account/assets']);
});
