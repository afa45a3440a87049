import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Machine, thisMachine } from '../../../src/app/doctor/check.ts';
import { CHECKS, examine, type Finding } from '../../../src/app/doctor/run-doctor.ts';
import { openControlSocket } from '../../../src/app/live/process/control-socket.ts';
import { BotJournal } from '../../../src/journal/bot-journal.ts';
import { FileLock } from '../../../src/journal/journal-lock.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { INSTRUMENTS } from '../../local-exchange/local.ts';
import { submitted } from '../../state/builders.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { faultProxy } from '../live/fault-proxy.ts';
import { NEEDED, NOT_FOUND, OTHER_SHAPE } from '../live/lacking.ts';
import { type WallExchange, wallExchange } from '../live/wall-exchange.ts';

const CONFIG = `name: patient
dataDir: ${join(ROOT, 'data')}
account: { kind: futures, currency: USDT, balances: { USDT: "100" }, spot: { USDT: "100" }, margin: { mode: shared, leverage: "10" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.0001", minQuantity: "0.0001", makerFee: "0.001", takerFee: "0.001" }
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006", contract: { maintenance: "0.005" } }
strategies:
  - { id: one, file: ./one.ts, symbols: [BTC-USDT] }
risk: { account: { maxDrawdown: "0.2" } }
backtest: { data: [sample] }
paper: { prices: { recording: sample }, dir: ./runs }
`;
const STRATEGY = `import { Strategy } from 'tidegate';
export class One extends Strategy { static needs = { tickers: true }; }
`;
const BARS = `import { Strategy } from 'tidegate';
export class Bars extends Strategy { static needs = { bars: '1m', history: 50 }; }
`;

let exchange: WallExchange;
let ahead: WallExchange;
let rich: WallExchange;
let readOnly: Server;
beforeAll(async () => {
  exchange = await wallExchange();
  for (const [symbol, price] of [
    ['BTC-USDT', '100'],
    ['BTC-USDT-PERP', '100'],
  ] as const)
    exchange.price(symbol, price);
  ahead = await wallExchange({
    clock: new (class extends SystemClock {
      override now() {
        return super.now() + 5_000;
      }
    })() as never,
  });
  rich = await wallExchange({ accounts: [{ name: 'bot', balances: { spot: { USDT: '100', BTC: '2' }, futures: { USDT: '100' } } }] });
  readOnly = await withoutTrading(exchange.exchange.spot);
});
afterAll(() => {
  readOnly.close();
});

/** The same exchange for a key that may read and not trade: 40022 with 403, as spec/exchange-facts.md has it. */
function withoutTrading(spot: string): Promise<Server> {
  const server = createServer((asked, reply) => {
    if (asked.url?.includes('cancel')) {
      reply
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"code":"40022","msg":"no permission","requestTime":1,"data":null}');
      return;
    }
    const { method, headers } = asked;
    asked.pipe(
      request(`${spot}${asked.url}`, { method: method!, headers: { ...headers, host: new URL(spot).host } }, (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(reply);
      }),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

interface Place {
  readonly config: string;
  path(...parts: string[]): string;
  /** Of a check alone, and what it needs. */
  look(only: string, mode?: 'live' | 'paper' | 'backtest', set?: readonly string[], machine?: Partial<Machine>): Promise<Finding>;
}

function place(text = CONFIG): Place {
  const folder = temporaryFolder('doctor');
  const path = (...parts: string[]) => join(folder, ...parts);
  const config = path('bot.yaml');
  writeFileSync(path('one.ts'), STRATEGY);
  writeFileSync(path('bars.ts'), BARS);
  writeFileSync(config, text + exchange.section(', warmup: require'));
  return {
    config,
    path,
    async look(only, mode = 'live', set = [], machine = {}) {
      const findings = await examine({
        path: config,
        mode,
        set,
        only: [only],
        machine: { ...thisMachine(), environment: { ...exchange.env }, cwd: folder, ...machine },
      });
      return findings.find(({ id }) => id === only)!;
    },
  };
}

test('without problems nothing fails, and checks that could not run are listed', async () => {
  const there = place();
  const { stdout } = await runCli(there.path(), ['doctor', there.config, '--json', '--set', 'live.poll={}'], { env: exchange.env });
  const report = JSON.parse(stdout) as { mode: string; failed: number; checks: Finding[] };
  expect(report).toMatchObject({ mode: 'live', failed: 0 });
  expect(report.checks.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
  const of = (id: string) => report.checks.find((one) => one.id === id)!;
  expect(of('permissions').found).toContain('the API does not show whether it may withdraw, which it should not');
  expect(report.checks.filter(({ status }) => status === 'skipped').map(({ id }) => id)).toEqual([
    'recordings',
    'journal',
    'refusable',
    'requests',
    'answers',
    'manager',
    'account',
    'standing',
  ]);
  expect(report.checks.filter(({ status }) => status === 'warning').map(({ id }) => id)).toEqual(['watchdog']);
  for (const secret of Object.values(exchange.env)) expect(stdout).not.toContain(secret);
});

test('a backtest is checked without keys or exchange; a failure ends with 8 and its remedy', async () => {
  const there = place();
  const args = ['doctor', there.config, '--mode', 'backtest', '--set', 'instruments.BTC-USDT.tickSize=x'];
  const { stdout } = await runCli(there.path(), args, { code: 8 });
  expect(stdout).toContain('FAILED   the config is valid\n         --set:1:31: instruments.BTC-USDT.tickSize: expected a positive decimal');
  expect(stdout).toContain('fix: fix these places');
  expect(stdout).toContain('skipped  the strategies load, and their data is available\n         without "config" this cannot be checked');
  expect(stdout).toContain('\nbacktest: 1 failed, 0 warnings, 1 ok, 4 skipped\n');
  const unknown = await runCli(there.path(), ['doctor', there.config, '--only', 'luck'], { code: 2 });
  expect(unknown.stderr).toContain('error USAGE: there is no check "luck"; expected one of node, config,');
});

const BASE = { bot: 'patient', now: () => 1, instruments: INSTRUMENTS.filter(({ symbol }) => symbol !== 'ETH-USDT') };
const bots = (there: Place) => there.path('runs', 'patient-live');
const made = (there: Place) => {
  mkdirSync(bots(there), { recursive: true });
  return join(bots(there), 'journal.sqlite');
};

test('a journal that a full disk keeps from being read is not called damaged', () => {
  const there = place();
  BotJournal.open(made(there), BASE).close();
  // Without the trap the system would end the process.
  const script = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`;
  const args = [join(ROOT, 'bin/tidegate.mjs'), 'doctor', there.config, '--only', 'journal'];
  const { status, stdout } = spawnSync('sh', ['-c', script, process.execPath, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...exchange.env },
  });
  expect(status).not.toBe(0);
  expect(stdout).toMatch(/journal .* cannot be opened \(disk I\/O error\): the disk refused: check its room/);
  expect(stdout).toContain('leave the journal where it is');
  expect(stdout).not.toContain('put the journal aside');
});

/** Checks that never fail. */
const WARNS: ReadonlySet<string> = new Set(['answers', 'enabled', 'losses', 'plausible', 'refusable', 'requests', 'standing', 'watchdog']);

// Each check where it fails, with a word of what it says.
test.each<[id: string, says: string, look: (there: Place) => Promise<Finding>]>([
  ['node', 'Node 18.20.0; 20.19 or newer is needed', (there) => there.look('node', 'live', [], { nodeVersion: '18.20.0' })],
  ['config', 'unknown key', (there) => there.look('config', 'live', ['risks.account=1'])],
  ['strategies', 'two.ts', (there) => there.look('strategies', 'live', ['strategies.0.file=./two.ts'])],
  [
    'recordings',
    'which is outside backtest.from and backtest.to',
    (there) => there.look('recordings', 'backtest', ['backtest.from=2031-01-01']),
  ],
  ['recordings', 'no recording', (there) => there.look('recordings', 'paper', ['paper.prices.recording=lost'])],
  ['history', 'BTC-USDT', (there) => there.look('history', 'live', [`strategies.0.file=${there.path('bars.ts')}`])],
  ['disk', '99 MB are free', (there) => there.look('disk', 'live', [], { freeBytes: () => 99_999_999 })],
  [
    'folder',
    'this user has no right to write there',
    (there) => {
      writeFileSync(there.path('runs'), '');
      return there.look('folder');
    },
  ],
  [
    'journal',
    'is damaged',
    (there) => {
      writeFileSync(made(there), 'no database at all');
      return there.look('journal');
    },
  ],
  [
    'journal',
    'belongs to bot another',
    (there) => {
      BotJournal.open(made(there), { ...BASE, bot: 'another' }).close();
      return there.look('journal');
    },
  ],
  [
    'journal',
    'counts BTC-USDT in ticks of 0.01, steps of 0.0001',
    (there) => {
      const journal = BotJournal.open(made(there), BASE);
      journal.append('note', 1);
      journal.commit();
      journal.close();
      return there.look('journal', 'live', ['instruments.BTC-USDT.tickSize=0.1']);
    },
  ],
  [
    'refusable',
    'BTC-USDT, one: buy 2 limit at 100 (far): notionalAboveMaximum (notional 200, maximum 150): it stays at the exchange',
    (there) => {
      const journal = BotJournal.open(made(there), BASE);
      const instrument = BASE.instruments[0]!;
      journal.event(0, submitted({ clientOrderId: 'far', strategyId: 'one', instrument, priceTicks: 10_000, steps: 20_000 }));
      journal.event(0, { kind: 'orderAccepted', time: 1, clientOrderId: 'far', orderId: '1', held: false });
      journal.commit();
      journal.close();
      return there.look('refusable', 'live', ['risk.orders.maxNotional=150']);
    },
  ],
  [
    'running',
    'a process holds the journal, and its newest heartbeat is 60 s old',
    async (there) => {
      const lock = FileLock.take(`${made(there)}.lock`)!;
      const beat = { pid: 1, mode: 'live', phase: 'running', time: Date.now() - 60_000 };
      writeFileSync(join(bots(there), 'heartbeat.json'), JSON.stringify(beat));
      return there.look('running').finally(() => lock.release());
    },
  ],
  [
    'latches',
    'the kill file',
    (there) => {
      made(there);
      writeFileSync(join(bots(there), 'KILL'), '');
      return there.look('latches');
    },
  ],
  [
    'latches',
    'latched: reduce of one (by command)',
    (there) => {
      const journal = BotJournal.open(made(there), BASE);
      const latched = { kind: 'riskLatched', time: 1, drawdown: 0, limit: 0 } as const;
      journal.event(0, { ...latched, rule: 'reduce', strategyId: 'one', reason: 'by command' });
      journal.event(0, { ...latched, rule: 'kill', reason: 'over' });
      journal.event(0, { kind: 'latchReset', time: 2, rule: 'kill', strategyId: undefined });
      journal.commit();
      journal.close();
      return there.look('latches').then((finding) => ({ ...finding, found: finding.found.replace(/.*over.*/, 'kill was reset') }));
    },
  ],
  [
    'requests',
    'more is asked for than allowed',
    async (there) => {
      const health = [{ subject: 'requests', reason: 'more is asked for than allowed' }];
      made(there);
      const answer = () => ({ health, requests: { queued: 3, oldestWaitMs: 1_000, free: 0 } });
      const socket = await openControlSocket(join(there.path('runs/patient-live'), 'control.json'), answer);
      return there.look('requests').finally(() => socket.close());
    },
  ],
  [
    'answers',
    'ticker: records of another symbol, 3 times, the last at 1970-01-01T02:46:40Z (the records are those of ETHUSDT)',
    async (there) => {
      made(there);
      const said = 'the records are those of ETHUSDT';
      const seen = { operation: 'ticker', reason: 'records of another symbol', count: 3, last: 10_000_000, said };
      const old = { operation: 'fills', reason: 'too long', count: 9, last: 1, said: 'long ago' };
      const answer = () => ({ time: 10_000_500, refused: [old, seen] });
      const socket = await openControlSocket(join(there.path('runs/patient-live'), 'control.json'), answer);
      const finding = await there.look('answers').finally(() => socket.close());
      expect(finding.found).not.toContain('long ago');
      return finding;
    },
  ],
  [
    'latches',
    'halted: BTC-USDT since 1970-01-01T00:00:00.003Z (odd)',
    (there) => {
      const journal = BotJournal.open(made(there), BASE);
      const told = { kind: 'healthChanged', subject: 'instrument', symbol: 'BTC-USDT', reason: 'odd' } as const;
      journal.event(0, { ...told, time: 1, condition: 'halted' });
      journal.event(0, { ...told, time: 2, condition: 'fresh' });
      journal.event(0, { ...told, time: 3, condition: 'halted' });
      journal.commit();
      journal.close();
      return there.look('latches');
    },
  ],
  [
    'manager',
    'pm2 kills the process after 15000 ms, but the bot may need 15000 ms to stop',
    (there) => {
      const app = { name: 'mine', args: ['live', 'bot.yaml'], kill_timeout: 15_000, wait_ready: true };
      writeFileSync(there.path('ecosystem.config.cjs'), `module.exports = ${JSON.stringify({ apps: [app] })};`);
      return there.look('manager');
    },
  ],
  // 2 tickers every 1 ms: 2 x 10,000 in 10 s, and the account beside.
  ['limits', 'of 500 weight in 10 s', (there) => there.look('limits', 'live', ['live.poll.tickerMs=1'])],
  ['losses', 'no limit stops the losses of ', (there) => there.look('losses', 'live', ['risk=null'])],
  ['enabled', 'live.enabled is not true', (there) => there.look('enabled', 'live', ['live.enabled=false'])],
  ['keys', 'no keys', (there) => there.look('keys', 'live', [], { environment: {} })],
  ['spot', 'no reply', (there) => there.look('spot', 'live', ['live.spotBaseUrl=http://127.0.0.1:1'])],
  ['futures', 'no reply', (there) => there.look('futures', 'live', ['live.contractBaseUrl=http://127.0.0.1:1'])],
  ['clock', 'ms behind the exchange', (there) => there.look('clock', 'live', [`live.spotBaseUrl=${ahead.exchange.spot}`])],
  ['accepted', '40', (there) => there.look('accepted', 'live', [], { environment: { ...exchange.env, TIDEGATE_API_SECRET: 'no' } })],
  [
    'account',
    'the futures account of the keys is ',
    (there) => {
      const journal = BotJournal.open(made(there), BASE);
      journal.remember('account', { salt: 's', key: 'k', ids: [['futures', 'another']] });
      journal.commit();
      journal.close();
      return there.look('account');
    },
  ],
  [
    'permissions',
    'it may not trade spot: cancelOrder:',
    (there) => there.look('permissions', 'live', [`live.spotBaseUrl=http://127.0.0.1:${(readOnly.address() as AddressInfo).port}`]),
  ],
  [
    'pairs',
    'instruments.BTC-USDT.tickSize: 0.1 in the config, 0.01 at the exchange',
    (there) => there.look('pairs', 'live', ['instruments.BTC-USDT.tickSize=0.1']),
  ],
  [
    'contracts',
    'instruments.BTC-USDT-PERP.stepSize: 0.00001 in the config, 0.0001 at the exchange',
    (there) => there.look('contracts', 'live', ['instruments.BTC-USDT-PERP.stepSize=0.00001']),
  ],
  [
    'contracts',
    'the config expects long leverage 5, the exchange has 10',
    (there) => there.look('contracts', 'live', ['account.margin.leverage=5']),
  ],
  [
    'standing',
    'BTC-USDT: 2 held, risk.positions allows 0.5',
    (there) => {
      const urls = [`live.spotBaseUrl=${rich.exchange.spot}`, `live.contractBaseUrl=${rich.exchange.futures}`];
      const limits = ['risk.positions.BTC-USDT=0.5', 'risk.positions.BTC-USDT-PERP=1'];
      return there.look('standing', 'live', [...urls, ...limits], { environment: { ...rich.env } });
    },
  ],
  [
    'plausible',
    'instruments.BTC-USDT.takerFee: 0.05 is 5 % of each fill',
    (there) => there.look('plausible', 'backtest', ['instruments.BTC-USDT.takerFee=0.05']),
  ],
  ['watchdog', 'no watchdog runs', (there) => there.look('watchdog')],
])('%s fails: %s', async (id, says, look) => {
  const finding = await look(place());
  expect(finding).toMatchObject({ id, status: WARNS.has(id) ? 'warning' : 'failed' });
  expect(finding.found).toContain(says);
  expect(finding.mend?.length).toBeGreaterThan(10);
  looked.add(id);
});

const looked = new Set<string>();
test('there is a failure of every check above', () => {
  expect([...looked].sort()).toEqual(CHECKS.map(({ id }) => id).sort());
});

test.each([
  ['6.0.14', 'warning'],
  ['7.0.0', 'ok'],
  [undefined, 'ok'],
] as const)('a pm2 of version %s, which may show a bot that ended before it was ready as online, is %s', async (version, status) => {
  const there = place();
  const app = { name: 'mine', args: ['live', 'bot.yaml'], kill_timeout: 60_000, wait_ready: true };
  writeFileSync(there.path('ecosystem.config.cjs'), `module.exports = ${JSON.stringify({ apps: [app] })};`);
  expect((await there.look('manager', 'live', [], { pm2Version: () => version })).status).toBe(status);
});

test.each(NEEDED.flatMap((path) => [NOT_FOUND, OTHER_SHAPE].map((reply) => ({ path, ...reply }))))(
  'names $path, which futures need and the exchange lacks ($what)',
  async ({ path, answer }) => {
    const proxy = await faultProxy(exchange.exchange.futures);
    proxy.strike(path, 10, answer);
    const found = await place().look('contracts', 'live', [`live.contractBaseUrl=${proxy.url}`]);
    expect(found).toMatchObject({ status: 'failed', mend: expect.stringContaining('live.contractBaseUrl') });
    expect(found.found).toMatch(new RegExp(`^the exchange lacks (GET|POST) /capi/v2/${path}, which futures need`));
  },
);

test('a short passphrase is a warning: it is not searched for in texts', async () => {
  const found = await place().look('keys', 'live', [], { environment: { ...exchange.env, TIDEGATE_API_PASSPHRASE: 'USDT' } });
  expect(found).toMatchObject({ status: 'warning', found: expect.stringContaining('passphrase shorter than 8 characters') });
});

test('names the lines of the config that are not on the grid of the exchange', async () => {
  const { config, look } = place(
    CONFIG.replace('stepSize: "0.0001", minQuantity: "0.0001"', 'stepSize: "0.00001", minQuantity: "0.00001"'),
  );
  expect(await look('pairs')).toMatchObject({
    status: 'failed',
    found:
      "instruments.BTC-USDT.stepSize: 0.00001 in the config, 0.0001 at the exchange; instruments.BTC-USDT.minQuantity: the exchange's minimum is 0.0001, but the config allows 0.00001",
    mend: `write \`stepSize: "0.0001"\` for BTC-USDT (${config}:5), \`minQuantity: "0.0001"\` for BTC-USDT (${config}:5); a bot with a journal keeps its units until it is flat, then starts with a new journal`,
  });
});
