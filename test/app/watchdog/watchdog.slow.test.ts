import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { AFTER_MS, type World, world } from './guarded-bot.ts';

/** A limit of the pair has frozen quote; of the contract a bid and a stop wait. */
const OPEN = { futures: 2, frozen: 'USDT' };
const NOTHING = { futures: 0, frozen: '' };

const stands = (there: World, wanted: typeof OPEN) =>
  until(there.standing, (standing) => JSON.stringify(standing) === JSON.stringify(wanted));

async function tradingBot(there: World, ...set: string[]) {
  await there.price('100');
  const bot = there.launch('live', ...set);
  await bot.said('ready');
  await stands(there, OPEN);
  // 0.01 bought, less the fee of 0.1 %.
  expect(await there.held()).toEqual({ BTC: '1.00999', long: '0.01' });
  return bot;
}

test('a frozen bot: its orders are canceled in time, its positions closed; continued, it sends nothing and ends; restarted, it has its full state and is latched', async () => {
  const there = await world(temporaryFolder('frozen'));
  const dog = there.launch('watchdog', 'live.watchdog.flatten=true');
  expect(await dog.said('ready')).toMatchObject({ bot: 'both', afterMs: AFTER_MS, flatten: true });
  // It waits for a bot that was never there.
  await dog.said('waiting for the first heartbeat of the bot');
  const bot = await tradingBot(there, 'strategies.0.params.eager=true');
  bot.child.kill('SIGSTOP');
  await there.price('101');
  await stands(there, NOTHING);
  expect(await dog.said('the bot is silent: the watchdog acts for it')).toMatchObject({ pid: bot.child.pid });
  await dog.said('all orders are canceled');
  // 1.00999 less what is sold: 0.00999 in whole steps.
  const closed = { BTC: '1.00009', long: '0' };
  expect(await there.held()).toEqual(closed);

  const second = await runCli(there.path(), ['watchdog', there.config], { code: 7, env: there.env });
  expect(second.stderr).toContain('error WATCHDOG_RUNNING: a watchdog of bot both already runs');

  bot.child.kill('SIGCONT');
  expect(await bot.exit).toBe(6);
  expect(bot.stderr()).toContain('error WATCHDOG_ACTED: watchdog: no heartbeat of both for');
  expect(await there.standing()).toEqual(NOTHING);
  expect(await there.held()).toEqual(closed);

  const again = there.launch('live', 'strategies.0.params.eager=true');
  const { orders, unfinished } = await again.said('a watchdog has acted for this bot: the bot takes over its orders');
  expect([orders.length, unfinished]).toEqual([2, false]);
  await again.said('ready');
  // Fills of contracts are told once the exchange's lists must show them.
  const status = await until(
    async () => JSON.parse((await runCli(there.path(), ['status', there.config, '--json'], { env: there.env })).stdout),
    ({ positions }) => Object.keys(positions).length === 0,
  );
  expect(status.strategies[0].positions).toEqual({});
  // What fills late is closed by the bot.
  expect(status.latches).toMatchObject([{ rule: 'kill', flatten: true }]);
  expect(JSON.stringify(again.lines)).not.toContain('is not in the journal');
  await there.price('102');

  // Stopped on purpose is no reason to act.
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
  // What it did is in the journal as done by no run, and in nobody's way.
  const { stdout } = await runCli(there.path(), ['replay', there.path('runs', 'both-live', 'journal.sqlite'), '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ runs: [{ end: 'cut' }, { end: 'stopped' }] });
  await dog.line(({ msg }) => msg.startsWith('the bot was stopped'));
  expect(await there.held()).toEqual(closed);
  dog.child.kill('SIGTERM');
  expect(await dog.exit).toBe(0);
  expect(dog.lines.filter(({ msg }) => msg.startsWith('the bot is silent'))).toHaveLength(1);
  const said = JSON.stringify(dog.lines) + readFileSync(there.path('runs', 'both-live', 'watchdog.jsonl'), 'utf8');
  for (const secret of Object.values(there.env)) expect(said).not.toContain(secret);
});

test('a killed bot: its orders are gone as soon as the exchange answers again, its positions stay; where its journal is lost, its futures orders go all the same', async () => {
  const there = await world(temporaryFolder('killed'));
  const dog = there.launch('watchdog');
  await dog.said('ready');
  const bot = await tradingBot(there);
  bot.child.kill('SIGKILL');
  there.exchange.child.kill('SIGSTOP');
  await dog.said('the bot is silent: the watchdog acts for it');
  const kill = there.path('runs', 'both-live', 'KILL');
  await until(
    async () => existsSync(kill),
    (written) => written,
  );
  there.exchange.child.kill('SIGCONT');
  await stands(there, NOTHING);
  expect(await dog.said('all orders are canceled')).toMatchObject({ positions: { 'one BTC-USDT': '0.0099', 'one BTC-USDT-PERP': '0.01' } });
  dog.child.kill('SIGTERM');
  expect(await dog.exit).toBe(0);

  // An order of the bot, and its journal lost: found by its id in the list of futures orders.
  const order = {
    symbol: 'cmt_btcusdt',
    client_oid: 'both-one-x-99',
    size: '0.01',
    type: '1',
    match_type: '0',
    execute_price: '50',
    trigger_price: '50',
  } as const;
  await there.client.triggerOrder(order);
  await there.client.triggerOrder({ ...order, client_oid: 'person-1' });
  for (const name of ['watchdog.sqlite', 'journal.sqlite-wal', 'journal.sqlite-shm', 'KILL'])
    rmSync(there.path('runs', 'both-live', name), { force: true });
  writeFileSync(there.path('runs', 'both-live', 'journal.sqlite'), 'no database at all');
  // The heartbeat is old: it acts at once.
  const late = there.launch('watchdog');
  expect(await late.said('the takeover failed')).toMatchObject({ code: 'JOURNAL_DAMAGED' });
  await late.line(({ msg }) => msg.startsWith('the exchange lists no futures order of the bot any more'));
  expect((await there.client.futuresOrders({ symbol: 'cmt_btcusdt' })).filter(({ status }) => status === 'untriggered')).toMatchObject([
    { client_oid: 'person-1' },
  ]);
  late.child.kill('SIGTERM');
  expect(await late.exit).toBe(0);
});

test('a bot whose config has lost its strategy is not started, and a watchdog with that config closes all the same', async () => {
  const there = await world(temporaryFolder('renamed'));
  const bot = await tradingBot(there);
  bot.child.kill('SIGKILL');
  await bot.exit;
  const refused = await runCli(there.path(), ['live', there.config, '--set', 'strategies.0.id=other'], { code: 2, env: there.env });
  expect(refused.stderr).toContain('error START_REFUSED: not started');
  expect(refused.stderr).toMatch(
    /- BTC-USDT of strategy "one", which is not in the config: holds 0\.0099, open order both-one-\S+ \(buy limit 0\.02\)/,
  );
  expect(await there.standing()).toEqual(OPEN);
  const dog = there.launch('watchdog', 'strategies.0.id=other', 'live.watchdog.flatten=true');
  expect(await dog.said('all orders are canceled')).toMatchObject({ positions: {} });
  expect(await there.standing()).toEqual(NOTHING);
  expect(await there.held()).toEqual({ BTC: '1.00009', long: '0' });
  dog.child.kill('SIGTERM');
  expect(await dog.exit).toBe(0);
});

const shared = await world(temporaryFolder('refused'));
test.each([
  ['without keys', {}, [], 'KEYS_INVALID', 'no keys'],
  ['with keys that the exchange does not take', { TIDEGATE_API_SECRET: 'no' }, [], 'KEYS_INVALID', 'refused the keys'],
  ['that is to act after no time', {}, ['live.watchdog.afterMs=100'], 'CONFIG_INVALID', 'expected a whole number of at least 2000'],
])('a watchdog %s is refused with 2', async (_, env, set, code, text) => {
  const keys = 'TIDEGATE_API_SECRET' in env ? { TIDEGATE_API_KEY: shared.env.TIDEGATE_API_KEY!, TIDEGATE_API_PASSPHRASE: 'x', ...env } : {};
  const args = ['watchdog', shared.config, ...set.flatMap((one) => ['--set', one])];
  const { stderr } = await runCli(shared.path(), args, { code: 2, env: keys });
  expect(stderr).toContain(`error ${code}:`);
  expect(stderr).toContain(text);
});
