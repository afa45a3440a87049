// .ci/pm2: a live bot under pm2 as ecosystem.config.cjs has it, against a local exchange in a process of its own. pm2 comes by npx
// and lives in a temporary folder: it is no dependency. Ends with 0 and a line where npx cannot fetch it.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './tools.mjs';

const PM2 = 'pm2@7.0.4';
const FETCH_MS = 45_000;
/** Below the listen_timeout after which pm2 takes a bot for ready that never said so. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 200;
const BIN = join(root, 'bin/tidegate.mjs');

const folder = mkdtempSync(join(tmpdir(), 'tidegate-pm2-'));
const at = (name) => join(folder, name);
const env = { ...process.env, PM2_HOME: at('pm2'), TIDEGATE_KEYS_FILE: at('keys.json') };
const fetched = spawnSync('npx', ['--yes', '--package', PM2, '--', 'which', 'pm2'], { encoding: 'utf8', timeout: FETCH_MS });
const program = fetched.stdout?.trim().split('\n').at(-1);
if (fetched.status !== 0 || !program) {
  console.log(
    `pm2 is skipped: npx cannot fetch ${PM2} (${fetched.error?.message ?? fetched.stderr?.split('\n').find((one) => one.includes('error'))})`,
  );
  rmSync(folder, { recursive: true });
  process.exit(0);
}

const pm2 = (...args) =>
  execFileSync(process.execPath, [program, ...args], { env, cwd: root, encoding: 'utf8', stdio: 'pipe', timeout: PATIENCE_MS });
const tidegate = (...args) =>
  JSON.parse(execFileSync(process.execPath, [BIN, ...args], { env, cwd: folder, encoding: 'utf8', stdio: 'pipe' }));
const app = (name) => {
  const found = JSON.parse(pm2('jlist')).find((one) => one.name === name);
  const { status, restart_time: restarts, exit_code: exit } = found?.pm2_env ?? {};
  return { pid: found?.pid, status, restarts, exit };
};
const logged = (message) => {
  const lines = readFileSync(at('bots/pm2-live/log.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
};
const balance = (coinName) => tidegate('api', 'accountAssets', '--config', at('bot.yaml')).find((one) => one.coinName === coinName);

async function until(what, look) {
  const end = Date.now() + PATIENCE_MS;
  for (let last; ; ) {
    try {
      last = look();
      if (last) break;
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s (${last})`);
    await pause(LOOK_MS);
  }
  console.log(`- ${what}`);
}

function expect(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
}

const openBid = () => tidegate('status', at('bot.yaml'), '--json').openOrders.accepted === 1;
const isOnline = (name, not) => {
  const { status, pid } = app(name);
  return status === 'online' && pid !== not;
};

function write(spotBaseUrl, account) {
  const { key, secret, passphrase } = account;
  writeFileSync(at('keys.json'), JSON.stringify({ key, secret, passphrase }), { mode: 0o600 });
  writeFileSync(
    at('bidder.ts'),
    `import { type Intents, place, Strategy, type Ticker } from 'tidegate';
export class Bidder extends Strategy {
  static needs = { tickers: true };
  onTicker({ symbol, last }: Ticker): Intents {
    if (this.orders(symbol).length > 0) return undefined;
    return place({ symbol, side: 'buy', type: 'limit', quantity: '0.01', price: (last * 0.5).toFixed(2) });
  }
}
`,
  );
  const config = {
    name: 'pm2',
    account: { kind: 'spot', balances: { USDT: '100000' } },
    instruments: INSTRUMENTS,
    strategies: [{ id: 'bidder', file: './bidder.ts', symbols: ['BTC-USDT'] }],
    backtest: { data: ['none'] },
    live: { enabled: true, spotBaseUrl, dir: './bots', poll: { tickerMs: 200, accountMs: 200 } },
  };
  writeFileSync(at('bot.yaml'), JSON.stringify(config));
  writeFileSync(at('wrong.yaml'), JSON.stringify({ ...config, nmae: 'wrong' }));
  // The repository's own entry for live bots, with nothing changed but its config.
  const entry = `require(${JSON.stringify(join(root, 'ecosystem.config.cjs'))}).apps.find(({ name }) => name === 'tidegate-live')`;
  const apps = `[['bot', 'bot.yaml'], ['wrong', 'wrong.yaml']].map(([name, file]) => ({ ...live, name, args: ['live', \`\${__dirname}/\${file}\`] }))`;
  writeFileSync(at('ecosystem.config.cjs'), `const live = ${entry};\nmodule.exports = { apps: ${apps} };\n`);
}

const INSTRUMENTS = { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.0001', makerFee: '0.001', takerFee: '0.001' } };
const began = Date.now();
writeFileSync(
  at('exchange.yaml'),
  JSON.stringify({
    name: 'pm2',
    prices: { synthetic: { start: { 'BTC-USDT': '60000' } } },
    instruments: INSTRUMENTS,
    accounts: [{ name: 'bot', balances: { spot: { USDT: '100000' } } }],
    limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 },
  }),
);
const exchange = spawn(process.execPath, [BIN, 'exchange', at('exchange.yaml'), '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
process.once('exit', () => {
  try {
    pm2('kill');
  } catch {
    // There was none to end.
  }
  exchange.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
try {
  const line = await new Promise((resolve, reject) => {
    createInterface(exchange.stdout).once('line', resolve);
    exchange.once('exit', (code) => reject(new Error(`the exchange ended with ${code}`)));
  });
  const { spot, accounts } = JSON.parse(line);
  write(spot, accounts[0]);

  pm2('start', at('ecosystem.config.cjs'), '--only', 'bot');
  await until('pm2 has seen the ready signal', () => isOnline('bot') && logged('ready').length === 1);
  await until('the bot has an order at the exchange', openBid);
  const first = app('bot').pid;

  pm2('reload', 'bot');
  await until('reload: the bot stopped in order and another one is ready', () => isOnline('bot', first) && logged('ready').length === 2);
  expect('stops in order', logged('stopped').length, 1);
  expect('orders canceled by the stop', logged('orderCanceled').length, 1);
  await until('and has an order again', openBid);

  const second = app('bot').pid;
  process.kill(second, 'SIGKILL');
  await until('kill -9: pm2 started it again', () => isOnline('bot', second) && logged('ready').length === 3);
  expect('the last start goes on from the journal', logged('ready')[2].resumed, true);
  await until('and it knows the order that it had', openBid);
  expect('orders submitted', logged('orderSubmitted').length, 2);

  pm2('stop', 'bot');
  await until('stop: graceful', () => app('bot').status === 'stopped');
  expect('exit code', app('bot').exit, 0);
  expect('stops in order', logged('stopped').length, 2);
  expect('USDT frozen at the exchange', Number(balance('USDT').frozen), 0);

  try {
    pm2('start', at('ecosystem.config.cjs'), '--only', 'wrong');
  } catch {
    // It ends before it is ready, of which pm2 complains.
  }
  await until('a wrong config ends with its exit code', () => app('wrong').exit === 2);
  // Longer than the first restart of a crash takes. pm2 calls it "waiting restart", and does not.
  await pause(2_500);
  expect('restarts of what a restart cannot mend', app('wrong').restarts, 0);
  expect('its process', app('wrong').pid, 0);
  console.log(`pm2: all as it should be, in ${Math.round((Date.now() - began) / 1000)} s`);
} catch (error) {
  console.log(`pm2: ${error.message}`);
  for (const name of ['pm2/pm2.log', 'bots/pm2-live/log.jsonl']) {
    try {
      console.log(`${name}:\n${readFileSync(at(name), 'utf8').split('\n').slice(-30).join('\n')}`);
    } catch {
      // It never came to be.
    }
  }
  process.exitCode = 1;
}
process.exit();
