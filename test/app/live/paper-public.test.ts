import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { botWorkspace, INSTRUMENTS, launch } from './bot-process.ts';

const paper = (prices: string) => `paper: { prices: ${prices}, dir: ./runs, poll: { tickerMs: 200, accountMs: 200, staleMs: 60000 } }`;

/** An exchange with no accounts: somebody else's, whose tickers anybody may read. */
async function somebodysExchange(): Promise<string> {
  const config = join(temporaryFolder('public'), 'exchange.yaml');
  const head = `name: public\ndataDir: ${join(ROOT, 'data')}\nprices: { recording: sample, use: ticker, speed: 20 }\n`;
  writeFileSync(config, `${head}${INSTRUMENTS}accounts: [{ name: nobody, balances: {} }]\n`);
  const exchange = launch(['exchange', config, '--json']);
  const { spot } = await exchange.line(() => true);
  return spot;
}

test("with another exchange's public prices a paper bot trades in real time on its own exchange, and continues after SIGKILL", async () => {
  const url = await somebodysExchange();
  const work = botWorkspace(paper(`{ exchange: { spotBaseUrl: "${url}", everyMs: 200 } }`));
  const before = Date.now();
  const bot = work.launch('paper');
  const terms = await bot.said('about to trade');
  expect(terms).toMatchObject({ mode: 'paper', prices: { exchange: { spotBaseUrl: url } } });
  expect(terms.spot).not.toBe(url);
  const filled = await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  expect(filled.at).toBeGreaterThanOrEqual(before);
  expect(filled.at).toBeLessThanOrEqual(Date.now());
  const price = await fetch(`${url}/api/v2/market/ticker?symbol=BTCUSDT_SPBL`).then(
    (reply) => reply.json() as Promise<{ data: { lastPrice: string } }>,
  );
  expect(Number(filled.price) / Number(price.data.lastPrice)).toBeCloseTo(1, 2);
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));

  bot.child.kill('SIGKILL');
  await bot.exit;
  const again = work.launch('paper');
  expect(await again.said('ready')).toMatchObject({ resumed: true });
  expect(await work.status()).toMatchObject({ positions: { 'BTC-USDT': '0.00999' }, openOrders: { accepted: 1 } });
  again.child.kill('SIGTERM');
  expect([await again.exit, again.stderr()]).toEqual([0, '']);
});

test.each([
  ['neither of them', '{}', 'paper.prices: expected one of recording and exchange'],
  ['both', '{ recording: sample, exchange: { spotBaseUrl: "http://127.0.0.1:9" } }', 'expected one of recording and exchange'],
  ['a speed of what is now', '{ exchange: { spotBaseUrl: "http://127.0.0.1:9" }, speed: 2 }', 'speed and loop are of a recording'],
  [
    'spot prices from nowhere',
    '{ exchange: { contractBaseUrl: "http://127.0.0.1:9" } }',
    'paper.prices.exchange.spotBaseUrl: missing: the price of BTC-USDT is requested there',
  ],
])('%s as its prices are refused with 2', async (_, prices, message) => {
  const work = botWorkspace(paper(prices));
  const { stderr } = await work.run(['paper', work.config], { code: 2 });
  expect(stderr).toContain('error CONFIG_INVALID:');
  expect(stderr).toContain(message);
});
