import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { request } from 'undici';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Listing {
  readonly spot: string;
  readonly futures: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly uid: string;
    readonly key: string;
    readonly secret: string;
    readonly passphrase: string;
  }[];
  readonly pid: number;
}

/** Starts `tidegate exchange` and reads its first line. */
async function start(...args: string[]): Promise<{ child: ChildProcess; listing: Listing; exit: Promise<number | null> }> {
  const command = [join(ROOT, 'bin/tidegate.mjs'), 'exchange', join(ROOT, 'configs/exchange.yaml'), '--json', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [line] = await Promise.race([
    new Promise<[string]>((resolve) => createInterface(child.stdout!).once('line', (first) => resolve([first]))),
    exit.then((code): [string] => {
      throw new Error(`the exchange ended with ${code}`);
    }),
  ]);
  return { child, listing: JSON.parse(line) as Listing, exit };
}

const get = async (url: string) => (await (await request(url)).body.json()) as { data: unknown };

test('tidegate exchange --json prints URLs, keys and pid on its first line, and ends with 0 on a stop signal', async () => {
  const { child, listing, exit } = await start();
  expect(listing.pid).toBe(child.pid);
  expect(listing.accounts.map(({ name }) => name)).toEqual(['affiliate', 'trader']);
  for (const { uid, key, secret, passphrase } of listing.accounts)
    expect([uid, key, secret, passphrase].every((text) => text.length > 10)).toBe(true);
  expect(Math.abs(Number((await get(`${listing.spot}/api/v2/public/time`)).data) - Date.now())).toBeLessThan(600_000);
  expect(await get(`${listing.futures}/capi/v2/market/ticker?symbol=cmt_btcusdt`)).toMatchObject({ symbol: 'cmt_btcusdt' });
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

test('with --state, the effects of `tidegate api` remain after a restart', async () => {
  const folder = temporaryFolder();
  const state = join(folder, 'exchange.state');
  const environment = ({ spot, accounts }: Listing) => {
    const { key, secret, passphrase } = accounts[1]!;
    return { TIDEGATE_SPOT_BASE_URL: spot, TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
  };
  const first = await start('--state', state);
  const orderList = '[{"side":"buy","orderType":"limit","force":"normal","price":"90000","quantity":"0.01","clientOrderId":"kept"}]';
  const args = ['api', 'batchOrders', 'symbol=BTCUSDT_SPBL', `orderList=${orderList}`];
  const placed = await runCli(folder, args, { env: environment(first.listing), code: 0 });
  const { resultList } = JSON.parse(placed.stdout) as { resultList: { orderId: string }[] };
  first.child.kill('SIGKILL');
  await first.exit;
  const second = await start('--state', state);
  const looked = await runCli(folder, ['api', 'orderInfo', 'clientOrderId=kept'], { env: environment(second.listing), code: 0 });
  expect(JSON.parse(looked.stdout)).toMatchObject([{ orderId: resultList[0]!.orderId, status: 'open', price: '90000' }]);
  second.child.kill('SIGINT');
  expect(await second.exit).toBe(0);
});

test('a state file of other instruments ends it with 3 and a message, and is not changed', async () => {
  const folder = temporaryFolder();
  const state = join(folder, 'exchange.state');
  const first = await start('--state', state);
  first.child.kill('SIGTERM');
  await first.exit;
  const before = readFileSync(state, 'utf8');
  const config = join(ROOT, 'configs/exchange.yaml');
  const again = (...set: string[]) => runCli(folder, ['exchange', config, '--json', '--state', state, ...set], { code: 3 });
  const other = await again('--set', 'instruments.ETH-USDT.tickSize="0.001"');
  expect(other.stdout).toBe('');
  expect(other.stderr).toContain(`${state}: the state of an exchange with other instruments, accounts or rules: name another file`);
  expect((await again('--set', 'accounts.1.margin.leverage="3"')).stderr).toContain('with other instruments, accounts or rules');
  expect(readFileSync(state, 'utf8')).toBe(before);
});

test('a state file that cannot be read ends it with 3 and names the file', async () => {
  const folder = temporaryFolder();
  // Reading a folder fails, whoever reads.
  const { stderr } = await runCli(folder, ['exchange', join(ROOT, 'configs/exchange.yaml'), '--json', '--state', folder], { code: 3 });
  expect(stderr).toContain(`error DATA_INVALID: ${folder}: the state of the exchange cannot be read: EISDIR`);
});
