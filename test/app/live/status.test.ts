import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { until } from '../../support/until.ts';
import { botWorkspace } from './bot-process.ts';
import { wallExchange } from './wall-exchange.ts';

/** Asks for the same at every price. */
const STUBBORN = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';
export class Stubborn extends Strategy {
  static needs = { tickers: true };
  onTicker({ symbol }: Ticker): Intents {
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.001' });
  }
}
`;

function workspace(section: string) {
  const work = botWorkspace(section);
  writeFileSync(work.config, readFileSync(work.config, 'utf8').replace('0.00001', '0.0001'));
  return work;
}

test('an account beyond a limit is a warning at the start, and only denied intents are an error, also in status', async () => {
  const local = await wallExchange({ accounts: [{ name: 'bot', balances: { spot: { USDT: '100000', BTC: '2' } } }] });
  local.price('BTC-USDT', '60000');
  const work = workspace(`risk: { positions: { BTC-USDT: "0.5" } }\n${local.section()}`);
  writeFileSync(work.path('once.ts'), STUBBORN);
  const bot = work.launch('live', local.env);
  expect(await bot.said('OVER A LIMIT: only reducing orders pass for this scope')).toMatchObject({
    limit: 'risk.positions.BTC-USDT',
    symbol: 'BTC-USDT',
    value: '2',
    most: '0.5',
  });
  // The bot polls at its own pace: prices go on until it has denied enough.
  const DENIED = 'all of the last 10 intents were DENIED: the bot trades nothing';
  let price = 60_000;
  const next = () => local.price('BTC-USDT', String(++price));
  await until(next, () => bot.lines.some(({ msg }) => msg === DENIED));
  expect(await bot.said(DENIED)).toMatchObject({ level: 50, positionAboveLimit: 10 });
  const status = await work.status();
  expect(status).toMatchObject({ lastOrder: null, lastFills: [], profit: { today: '0', total: '0' } });
  expect(status.denied.positionAboveLimit).toBeGreaterThanOrEqual(10);
  const { stdout } = await work.run(['status', work.config]);
  expect(stdout).toMatch(/^health .*intents all denied: all of the last \d+ intents were denied: positionAboveLimit \d+/m);
  expect(stdout).toMatch(/account BTC-USDT beyond its limit: 2, but risk\.positions\.BTC-USDT allows 0\.5: only reducing orders pass/);
  expect(stdout).toMatch(/^denied +positionAboveLimit \d+ in the last hour$/m);
  bot.child.kill('SIGTERM');
  expect(await bot.exit).toBe(0);
});

test('status shows the last order and fills, and the profit of today and in all, over a restart', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = workspace(local.section(', onStop: keep'));
  const bot = work.launch('live', local.env);
  await bot.line(({ msg, complete }) => msg === 'orderFilled' && complete === true);
  local.price('BTC-USDT', '60100');
  await bot.line(({ msg, clientOrderId }) => msg === 'orderAccepted' && clientOrderId.endsWith('-2'));
  const shown = {
    lastOrder: { strategy: 'one', symbol: 'BTC-USDT', side: 'buy', type: 'limit', quantity: '0.02', price: '54000' },
    lastFills: [{ side: 'buy', quantity: '0.01', symbol: 'BTC-USDT' }],
    denied: {},
  };
  // Both the fill and the price after it are in the figures.
  const first = await until(work.status, ({ profit }) => Number(profit.total) > 0);
  expect(first).toMatchObject(shown);
  // Each open order, with what a person needs to find it at the exchange.
  expect(first.orders).toMatchObject([
    { strategy: 'one', symbol: 'BTC-USDT', side: 'buy', type: 'limit', state: 'accepted', quantity: '0.02', price: '54000', tag: 'far' },
  ]);
  expect((await work.run(['status', work.config])).stdout).toMatch(/buy 0\.02 BTC-USDT limit at 54000, accepted \(one, once-one-\S+-2\)/);
  // 0.01 bought at the last price, less the fee of 0.1 % in base, and 100 more on each: (0.01 - 0.00001) x 60100 - 600.
  const [fill] = first.lastFills;
  const gained = String((0.00999 * 60_100 - 0.01 * Number(fill!.price)).toFixed(6)).replace(/0+$/, '');
  expect(first.profit).toEqual({ today: gained, total: gained });
  bot.child.kill('SIGKILL');
  await bot.exit;
  const again = work.launch('live', local.env);
  await again.said('ready');
  expect(await work.status()).toMatchObject({ ...shown, profit: first.profit });
  again.child.kill('SIGTERM');
  expect(await again.exit).toBe(0);
});
