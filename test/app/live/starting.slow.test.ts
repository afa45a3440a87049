import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { type BotWorkspace, botWorkspace, INSTRUMENTS, type Line, launch, type Running } from './bot-process.ts';

let exchange: Running;
let listing: Line;
let accounts = 0;

beforeAll(async () => {
  const folder = temporaryFolder('exchange');
  const config = join(folder, 'exchange.yaml');
  const account = (name: string) => `  - { name: ${name}, balances: { spot: { USDT: "100000" } } }\n`;
  writeFileSync(
    config,
    `name: local
dataDir: ${join(ROOT, 'data')}
prices: { recording: sample, use: ticker, speed: 1 }
ports: { control: 0 }
${INSTRUMENTS}accounts:
${['a', 'b', 'c', 'd', 'e', 'f'].map(account).join('')}fills: { limit: touch }
`,
  );
  exchange = launch(['exchange', config, '--json']);
  listing = await exchange.line(() => true);
});

interface Bot extends BotWorkspace {
  start(...set: string[]): Running;
  heartbeat(): { readonly phase: string };
}

/** A bot with an account of its own. */
function botOf(more = ''): Bot {
  const work = botWorkspace(
    `live: { enabled: true, spotBaseUrl: "${listing.spot}", dir: ./runs, poll: { tickerMs: 200, accountMs: 200 }${more} }`,
  );
  const { key, secret, passphrase } = listing.accounts[accounts++];
  const env = { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
  return {
    ...work,
    start: (...set) => work.launch('live', env, ...set),
    heartbeat: () => JSON.parse(readFileSync(work.path('runs', 'once-live', 'heartbeat.json'), 'utf8')),
  };
}

async function faults(rules: readonly object[]): Promise<void> {
  const request = { method: 'POST', body: JSON.stringify({ rules }), headers: { 'content-type': 'application/json' } };
  const reply = await fetch(`${listing.control}/control/faults`, request);
  if (!reply.ok) throw new Error(await reply.text());
}

/** Trades, leaves a bid far below, and is gone. */
async function dead(work: Bot): Promise<void> {
  const bot = work.start();
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  bot.child.kill('SIGKILL');
  await bot.exit;
}

const ASKS = 'a request of the start failed: trying again';
const UNLAID = 'stopped before journal and exchange were reconciled: ';

test.each([
  [
    'cancels what is open leaves it open, says so, and does not pass for stopped',
    '',
    'open orders are NOT canceled; the next start queries them',
    'running',
  ],
  ['keeps what is open has done all there is to do', ', onStop: keep', 'there was nothing to cancel', 'stopped'],
])('a stop before the first reply of the exchange, for a bot that %s', async (_, more, text, phase) => {
  const work = botOf(more);
  await dead(work);
  await faults([{ fault: 'failBefore', operations: ['fills'] }]);
  try {
    const bot = work.start();
    await bot.said(ASKS);
    expect(await work.status()).toMatchObject({ phase: 'starting', openOrders: { accepted: expect.any(Number) } });
    await work.run(['stop', work.config]);
    expect(await bot.exit).toBe(0);
    expect(bot.lines.find(({ msg }) => msg === `${UNLAID}${text}`)).toMatchObject({ openOrders: { accepted: expect.any(Number) } });
    expect(work.heartbeat().phase).toBe(phase);
  } finally {
    await faults([]);
  }
});

const KILL: RegExp = /^killed: all orders are canceled/;

test.each<[by: string, kill: (work: Bot, bot: Running) => unknown, reason: string]>([
  ['signal', (_, bot) => bot.child.kill('SIGUSR2'), 'SIGUSR2'],
  ['file', (work) => writeFileSync(work.path('runs', 'once-live', 'KILL'), ''), 'the file '],
  ['command', (work) => work.run(['kill', work.config, '--reason', 'enough']), 'enough'],
])(
  'a kill by %s while the exchange does not answer is latched at once, stopped or not, and carried out once it does',
  async (_, kill, reason) => {
    const work = botOf(', onStop: keep');
    await dead(work);
    exchange.child.kill('SIGSTOP');
    try {
      const bot = work.start();
      await bot.said('about to trade');
      await until(
        () =>
          work.run(['status', work.config]).then(
            () => true,
            () => false,
          ),
        (answers) => answers,
      );
      await kill(work, bot);
      await bot.line(({ msg }) => KILL.test(msg));
      const { phase, latches } = await work.status();
      expect([phase, latches]).toEqual(['starting', [expect.objectContaining({ rule: 'kill', reason: expect.stringContaining(reason) })]]);
      bot.child.kill('SIGINT');
      expect(await bot.exit).toBe(0);
    } finally {
      exchange.child.kill('SIGCONT');
    }
    rmSync(work.path('runs', 'once-live', 'KILL'), { force: true });
    const again = work.start();
    await again.line(({ msg, rule }) => msg.startsWith('LATCHED in an earlier run') && rule === 'kill');
    expect(await again.line(({ msg }) => msg === 'orderCanceled')).toMatchObject({ reason: 'killed' });
    expect((await work.status()).latches).toMatchObject([{ rule: 'kill' }]);
    again.child.kill('SIGINT');
    expect(await again.exit).toBe(0);
  },
);
