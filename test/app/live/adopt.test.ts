import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BotStatus } from '../../../src/app/live/process/bot-status.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { BTC, INSTRUMENTS, type Local, PERP, spotOrder, startLocal, trigger } from '../../local-exchange/local.ts';
import { ROOT, runCli } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { launch } from './bot-process.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal({
    clock: new SystemClock(),
    accounts: [{ name: 'bot', balances: { spot: { USDT: '1000' }, futures: { USDT: '1000' } } }],
  });
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
});
afterAll(() => local.close());

/** Others trade so many steps at this price, in ticks. */
const trade = (symbol: string, ticks: number, steps: number) =>
  local.exchange.exchange.perform(
    'price',
    ['trade', INSTRUMENTS.findIndex((one) => one.symbol === symbol), ticks, steps, 0],
    local.clock.now(),
  );

const IDLE = `import { type OrderEvent, Strategy } from 'tidegate';
export class Idle extends Strategy {
  static needs = { tickers: true };
  onOrder({ kind, clientOrderId }: OrderEvent) { this.log.info('told', { kind, clientOrderId }); }
}
`;

function writeBot(): string {
  const folder = temporaryFolder('adopt');
  const config = join(folder, 'bot.yaml');
  writeFileSync(join(folder, 'idle.ts'), IDLE);
  writeFileSync(
    config,
    `name: adopts
dataDir: ${join(ROOT, 'data')}
account: { kind: futures, balances: { USDT: "1000" }, spot: { USDT: "1000" }, margin: { leverage: "10" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.0001", makerFee: "0.001", takerFee: "0.001" }
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001", makerFee: "0.0002", takerFee: "0.0006" }
strategies:
  - { id: idle, file: ./idle.ts, symbols: [BTC-USDT, BTC-USDT-PERP] }
live:
  enabled: true
  spotBaseUrl: ${local.exchange.spot}
  contractBaseUrl: ${local.exchange.futures}
  dir: ./runs
  foreign: adopt
  visibilityLagMs: 500
  poll: { tickerMs: 200, accountMs: 200, lookupMs: 500 }
`,
  );
  return config;
}

test("manual orders become the bot's, over SIGKILL, down to the kill switch", async () => {
  const hand = local.client('bot');
  const { resultList } = await hand.batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '99', quantity: '1' })] });
  const spotId = `adopted-${resultList[0]!.orderId}`;
  const placed = await hand.triggerOrder(trigger({ symbol: PERP, match_type: '0', execute_price: '99', trigger_price: '100' }));
  const perpId = `adopted-${placed.order_id}`;
  local.price('BTC-USDT-PERP', '100');

  const config = writeBot();
  const { key, secret, passphrase } = local.account('bot');
  const env = { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
  const status = async () => JSON.parse((await runCli(ROOT, ['status', config, '--json'])).stdout) as BotStatus;
  const first = launch(['live', config], env);
  await first.said('ready');
  expect(await first.line(({ msg, clientOrderId }) => msg === 'orderAdopted' && clientOrderId === perpId)).toMatchObject({
    strategyId: 'idle',
    symbol: 'BTC-USDT-PERP',
    quantity: '1',
    filled: '0',
    price: '99',
  });
  await first.line(({ msg, kind, clientOrderId }) => msg === 'told' && kind === 'orderAdopted' && clientOrderId === perpId);
  // The first fill tells the bot of the spot order, and is nobody's.
  trade('BTC-USDT', 9_900, 4_000);
  expect(await first.line(({ msg, clientOrderId }) => msg === 'orderAdopted' && clientOrderId === spotId)).toMatchObject({ filled: '0.4' });
  expect(await status()).toMatchObject({ openOrders: { accepted: 1, partiallyFilled: 1 }, positions: {} });
  first.child.kill('SIGKILL');
  await first.exit;

  trade('BTC-USDT', 9_900, 2_000);
  trade('BTC-USDT-PERP', 990, 3_000);
  const second = launch(['live', config], env);
  expect(await second.said('ready')).toMatchObject({ resumed: true });
  for (const [id, quantity] of [
    [spotId, '0.2'],
    [perpId, '0.3'],
  ] as const) {
    expect(await second.line(({ msg, clientOrderId }) => msg === 'orderFilled' && clientOrderId === id)).toMatchObject({
      strategyId: 'idle',
      quantity,
      complete: false,
    });
  }
  // A fee of 0.1 % is taken from the 0.2 that were bought.
  expect((await status()).strategies).toMatchObject([{ positions: { 'BTC-USDT': '0.1998', 'BTC-USDT-PERP:long': '0.3' } }]);
  await runCli(ROOT, ['kill', config]);
  for (const id of [spotId, perpId]) {
    expect(await second.line(({ msg, clientOrderId }) => msg === 'orderCanceled' && clientOrderId === id)).toMatchObject({
      reason: 'killed',
    });
  }
  second.child.kill('SIGTERM');
  expect(await second.exit).toBe(0);
  expect(second.lines.filter(({ msg }) => msg === 'orderAdopted')).toEqual([]);
  const ends = local.exchange.exchange.accounts.all[0]!.orders.all.map(({ end }) => end?.how);
  expect(ends).toEqual(['canceled', 'canceled']);
});
