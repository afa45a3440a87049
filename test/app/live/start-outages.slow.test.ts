import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { type Local, startLocal } from '../../local-exchange/local.ts';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { launch, type Running } from './bot-process.ts';
import { type Answer, type FaultProxy, faultProxy, serve } from './fault-proxy.ts';

let local: Local;
let spot: FaultProxy;
let futures: FaultProxy;
/** Where redirects lead, and what came there. */
let elsewhere: string;
const strayed: string[] = [];

beforeAll(async () => {
  local = await startLocal({
    clock: new SystemClock() as never,
    accounts: [{ name: 'bot', balances: { spot: { USDT: '1000' }, futures: { USDT: '1000' } } }],
  });
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
  spot = await faultProxy(local.exchange.spot);
  futures = await faultProxy(local.exchange.futures);
  elsewhere = await serve(({ url = '' }, response) => {
    strayed.push(url);
    response.end('{}');
  });
});
afterAll(() => local.close());

const IDLE = `import { Strategy } from 'tidegate';
export class Idle extends Strategy { static needs = { tickers: true }; }
`;

function startBot(): Running {
  const folder = temporaryFolder('outage');
  const config = join(folder, 'bot.yaml');
  writeFileSync(join(folder, 'idle.ts'), IDLE);
  writeFileSync(
    config,
    `name: outage
dataDir: ${join(ROOT, 'data')}
account: { kind: futures, balances: { USDT: "1000" }, spot: { USDT: "1000" }, margin: { leverage: "10" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.001" }
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006" }
strategies:
  - { id: idle, file: ./idle.ts, symbols: [BTC-USDT, BTC-USDT-PERP] }
live: { enabled: true, spotBaseUrl: "${spot.url}", contractBaseUrl: "${futures.url}", dir: ./runs, poll: { tickerMs: 200, accountMs: 200 } }
`,
  );
  const { key, secret, passphrase } = local.account('bot');
  return launch(['live', config], { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase });
}

/** A read is tried three times before the start counts it as failed. */
const TRIES = 3;
/** Questions about the account are asked twice. */
const QUESTIONS = /^(account|trade|order)\//;

const redirect =
  (status: number, here = false): Answer =>
  (response, own) =>
    response.writeHead(status, { location: `${here ? own : elsewhere}/api/v2/market/ticker?token=s3cret` }).end();
const page =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<!doctype html><title>Just a moment...</title>');
const refusal =
  (code: string, status: number): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(`{"code":"${code}","msg":"no","requestTime":1,"data":null}`);
const oversized: Answer = (response) => {
  response.on('error', () => {});
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 17 * 1024 * 1024 });
  response.write('[');
};
const tornBody: Answer = (response) => {
  response.writeHead(200, { 'content-length': 1_000 });
  response.write('{"code":"00000",', () => response.destroy());
};
const shortLength: Answer = (response) =>
  void response.socket?.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"code":"00000"}');

test.each<[what: string, host: 'spot' | 'futures', path: string, answer: Answer, said: RegExp]>([
  [
    'a redirect to another host',
    'spot',
    'public/exchangeInfo',
    redirect(302),
    /exchangeInfo: HTTP 302, a redirect to http:\/\/127\.0\.0\.1:\d+, which is not followed$/,
  ],
  ['a redirect of a signed read', 'spot', 'account/assets', redirect(307), /accountAssets: HTTP 307, a redirect to /],
  ['a redirect on the same host', 'futures', 'account/account', redirect(308, true), /futuresAccount: HTTP 308, a redirect to /],
  ['a redirect of the futures ticker', 'futures', 'market/ticker', redirect(301), /futuresTicker: HTTP 301, a redirect to /],
  ['a page with 200', 'spot', 'trade/fills', page(200), /fills: HTTP 200, but the body is a web page$/],
  ['a page with 200 for the futures ticker', 'futures', 'market/ticker', page(200), /futuresTicker: HTTP 200, but the body is a web page$/],
  ['a page with 403', 'spot', 'account/assets', page(403), /accountAssets: HTTP 403/],
  ['a page with 521', 'spot', 'account/assets', page(521), /accountAssets: HTTP 521/],
  ['a body without end', 'spot', 'public/exchangeInfo', oversized, /exchangeInfo: the body is longer than 2097152 bytes$/],
  ['a code that nobody lists', 'spot', 'account/assets', refusal('49999', 400), /accountAssets: HTTP 400, code 49999: no$/],
  ['such a code with 200', 'futures', 'market/ticker', refusal('49999', 200), /futuresTicker: HTTP 200, code 49999: no$/],
  ['such a code with 403', 'futures', 'order/current', refusal('1010', 403), /futuresOrders: HTTP 403, code 1010: no$/],
  ['a frozen account', 'spot', 'account/assets', refusal('40013', 400), /accountAssets: HTTP 400, code 40013 \(account frozen\)/],
  [
    'an address that is not let in',
    'futures',
    'account/account',
    refusal('40018', 521),
    /futuresAccount: HTTP 521, code 40018 \(IP not allowed\)/,
  ],
  ['a body that breaks off', 'spot', 'public/exchangeInfo', tornBody, /exchangeInfo: no reply \(/],
  ['a Content-Length that is wrong', 'spot', 'trade/fills', shortLength, /fills: /],
])(
  '%s at the start of a live bot is an outage: it is logged, retried, and no redirect is followed',
  async (_, host, path, answer, said) => {
    const proxy = host === 'spot' ? spot : futures;
    const before = proxy.struck.length;
    const tries = QUESTIONS.test(path) ? 2 * TRIES : TRIES;
    proxy.strike(path, tries, answer);
    const bot = startBot();
    try {
      const { error } = await bot.said('a request of the start failed: trying again');
      expect(error).toMatch(said);
      await bot.said('ready');
      expect(proxy.struck.length - before).toBe(tries);
      expect(strayed).toEqual([]);
      expect(JSON.stringify(bot.lines)).not.toContain('s3cret');
      bot.child.kill('SIGTERM');
      expect(await bot.exit).toBe(0);
    } finally {
      bot.child.kill('SIGKILL');
    }
  },
);

/** The exchange's own answer, changed. */
const changed =
  (target: string, change: (body: string) => string): Answer =>
  async (response) => {
    const body = await (await fetch(`${local.exchange.spot}${target}`)).text();
    response.writeHead(200, { 'content-type': 'application/json' }).end(change(body));
  };
const INFO = '/api/v2/public/exchangeInfo';

test.each<[what: string, path: string, times: number, answer: Answer, said: RegExp]>([
  [
    'a pair whose trading is suspended',
    'public/exchangeInfo',
    1,
    changed(INFO, (body) => body.replaceAll('"enableTrade":true', '"enableTrade":false')),
    /^instruments\.BTC-USDT: the exchange has suspended its trading$/,
  ],
  [
    'an empty list of pairs',
    'public/exchangeInfo',
    1,
    changed(INFO, (body) => body.replace(/"data":\[.*\]/, '"data":[]')),
    /^the exchange lists no pair at all$/,
  ],
  [
    'a clock that is not set yet',
    'public/time',
    TRIES,
    (response) => response.end(`{"code":"00000","msg":"success","requestTime":1,"data":${Date.now() + 5_000}}`),
    /^this machine's clock is \d+ ms behind the exchange's/,
  ],
])('%s keeps a live bot waiting, and is named', async (_, path, times, answer, said) => {
  spot.strike(path, times, answer);
  const bot = startBot();
  try {
    expect((await bot.said('the bot cannot start yet: trying again')).error).toMatch(said);
    await bot.said('ready');
    bot.child.kill('SIGTERM');
    expect(await bot.exit).toBe(0);
  } finally {
    bot.child.kill('SIGKILL');
  }
});

test.each<[what: string, host: 'spot' | 'futures', path: string, answer: Answer, code: string, text: string]>([
  ['keys that the exchange does not know', 'spot', 'account/assets', refusal('40006', 401), 'KEYS_INVALID', 'code 40006'],
  ['a key that may not read', 'spot', 'account/assets', refusal('40014', 403), 'KEYS_INVALID', 'code 40014'],
  [
    'a pair that is not listed',
    'spot',
    'public/exchangeInfo',
    changed(INFO, (body) => body.replaceAll('BTCUSDT', 'DOGEUSDT')),
    'START_REFUSED',
    'does not list it',
  ],
  [
    'a contract that the exchange does not know',
    'futures',
    'market/ticker',
    refusal('40102', 400),
    'START_REFUSED',
    'has no futures ticker for it',
  ],
])('%s ends the start of a live bot with 2', async (_, host, path, answer, code, text) => {
  (host === 'spot' ? spot : futures).strike(path, TRIES, answer);
  const bot = startBot();
  expect(await bot.exit).toBe(2);
  expect(bot.stderr()).toContain(`error ${code}:`);
  expect(bot.stderr()).toContain(text);
  spot.strike('', 0, () => {});
  futures.strike('', 0, () => {});
});
