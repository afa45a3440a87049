import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { botWorkspace, INSTRUMENTS, type Line, launch, type Running } from './bot-process.ts';

let exchange: Running;
let listing: Line;
let env: Record<string, string>;

beforeAll(async () => {
  const folder = temporaryFolder('exchange');
  const config = join(folder, 'exchange.yaml');
  writeFileSync(
    config,
    `name: local
dataDir: ${join(ROOT, 'data')}
prices: { recording: sample, use: ticker, speed: 1 }
${INSTRUMENTS}accounts:
  - { name: bot, balances: { spot: { USDT: "100000" } } }
  - { name: other, balances: { spot: { USDT: "100000" } } }
fills: { limit: touch }
`,
  );
  exchange = launch(['exchange', config, '--json']);
  listing = await exchange.line(() => true);
  env = keysOf(0);
});

function keysOf(account: number): Record<string, string> {
  const { key, secret, passphrase } = listing.accounts[account];
  return { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
}

const section = () => `live: { enabled: true, spotBaseUrl: "${listing.spot}", dir: ./runs, poll: { tickerMs: 200, accountMs: 200 } }`;

test('a live bot logs its account without keys, trades, and cancels resting orders when it is stopped', async () => {
  const work = botWorkspace(section());
  const bot = work.launch('live', env);
  const terms = await bot.said('about to trade');
  expect(terms).toMatchObject({ mode: 'live', spot: listing.spot, strategies: ['one on BTC-USDT'] });
  expect(terms.account).toMatch(/^spot, REAL MONEY, id [0-9a-f]{12}$/);
  await bot.said('ready');
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  expect(await work.status()).toMatchObject({ mode: 'live', phase: 'running', positions: { 'BTC-USDT': '0.00999' }, latches: [] });
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
  expect(bot.lines.filter(({ msg }) => msg === 'orderCanceled')).toMatchObject([{ reason: 'stopping' }]);
  const said = JSON.stringify(bot.lines) + bot.stderr();
  for (const secret of Object.values(env)) expect(said).not.toContain(secret);
});

test('a second signal ends it at once, and the next start queries the outcome of its orders', async () => {
  const work = botWorkspace(section());
  const keys = keysOf(1);
  const bot = work.launch('live', keys);
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  exchange.child.kill('SIGSTOP');
  try {
    bot.child.kill('SIGTERM');
    await bot.said('stopping');
    const { phase, trading, health } = await work.status();
    expect({ phase, trading }).toEqual({ phase: 'stopping', trading: 'no' });
    expect(health).toContainEqual({
      ...{ subject: 'stop', symbol: '', condition: 'waiting', since: expect.any(Number) },
      reason: expect.stringMatching(/^waits for the end of \d open orders?; it ends at 2.*Z at the latest$/),
    });
    const { stdout } = await work.run(['status', work.config]);
    expect(stdout).toMatch(/^trading +NO: stop waiting since 2.*Z \(waits for the end of \d open orders?; /m);
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(130);
  } finally {
    exchange.child.kill('SIGCONT');
  }
  const again = work.launch('live', keys);
  expect(await again.said('ready')).toMatchObject({ resumed: true });
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});

test.each<[what: string, code: string, text: string, set: string[], keys: Record<string, string> | undefined]>([
  ['that is not enabled', 'CONFIG_INVALID', 'live.enabled: expected true', ['live.enabled=false'], undefined],
  ['without keys', 'KEYS_INVALID', 'no keys', [], {}],
  ['with a wrong secret', 'KEYS_INVALID', 'the exchange refused the keys', [], { TIDEGATE_API_SECRET: 'no' }],
  [
    'whose tick is not that of the exchange',
    'START_REFUSED',
    'instruments.BTC-USDT.tickSize: 0.1 in the config, 0.01',
    ['instruments.BTC-USDT.tickSize=0.1'],
    undefined,
  ],
  ['that asks for quotes', 'VENUE_CANNOT', 'strategy "one" needs quotes', ['strategies.0.file=./quotes.ts'], undefined],
])('a live bot %s is refused with 2', async (_, code, text, set, keys) => {
  const work = botWorkspace(section());
  const quotes = "import { Strategy } from 'tidegate';\nexport class Q extends Strategy { static needs = { quotes: true }; }\n";
  const given = keys === undefined ? env : Object.keys(keys).length === 0 ? {} : { ...env, ...keys };
  const args = ['live', work.config, ...set.flatMap((one) => ['--set', one])];
  const result = await work.run(args, { code: 2, env: given, files: { 'quotes.ts': quotes } });
  expect(result.stderr).toContain(`error ${code}:`);
  expect(result.stderr).toContain(text);
});
