import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { KillFile, watchdogText } from '../../../src/app/live/process/kill-file.ts';
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

function watched(path: string) {
  const heard: string[] = [];
  const file = new KillFile(path, {
    kill: (flatten) => heard.push(flatten ? 'kill, flatten' : 'kill'),
    overtaken: (text) => heard.push(text),
  });
  open.push(file);
  return { file, heard };
}

test('what a watchdog writes while the bot runs tells it that it was overtaken; what is there at its start kills it', () => {
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

test('what a person writes kills the bot that runs, as often as the file is made', () => {
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

test.each([
  [false, 'kill'],
  [true, 'kill, flatten'],
])('a paper bot is latched (flatten: %s), and does the rest itself when it starts', async (flatten, wanted) => {
  const folder = botFolder(temporaryFolder('latch'), 'mine', 'paper');
  makeBotFolder(folder);
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent, close: silent };
  expect(
    await latchPaper(folder, flatten).rescue('no heartbeat of flatten-all', new AbortController().signal, log, new SystemClock()),
  ).toBe(true);
  const { file, heard } = watched(folder.killFile);
  file.look();
  expect(heard).toEqual([wanted]);
});

test('what is forbidden does not leave: nothing was done, and reading goes on', async () => {
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
