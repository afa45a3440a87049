import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import {
  type ExchangeSettings,
  exchangeClient,
  type LocalExchange,
  type StartOptions,
  startExchange,
  wireSymbol,
} from '../../../src/entries/exchange.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SETTINGS: ExchangeSettings = {
  time: { stepped: '2025-01-01T00:00:00Z' },
  instruments: { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.00001', takerFee: '0.001' } },
  accounts: [{ name: 'trader', balances: { spot: { USDT: '10000' } } }, { name: 'other' }],
};
const SYMBOL = wireSymbol('BTC-USDT');

const started: LocalExchange[] = [];
afterEach(() => Promise.all(started.splice(0).map((exchange) => exchange.close())));

async function start(settings: Partial<ExchangeSettings> = {}, options?: StartOptions): Promise<LocalExchange> {
  const exchange = await startExchange({ ...SETTINGS, ...settings }, options);
  started.push(exchange);
  return exchange;
}

test('an order fills at the price that a test has set, and the fee is taken from the coins', async () => {
  const exchange = await start();
  exchange.setPrice('BTC-USDT', '50000');
  const client = exchange.client('trader');
  const order = { clientOrderId: 'one', side: 'buy', orderType: 'limit', force: 'normal', price: '50001', quantity: '0.1' } as const;
  await client.batchOrders({ symbol: SYMBOL, orderList: [order] });
  const [info] = await client.orderInfo({ clientOrderId: 'one' });
  expect(info).toMatchObject({ status: 'full_fill', fillQuantity: '0.1' });
  const balances = Object.fromEntries((await client.accountAssets()).map(({ coinName, equity }) => [coinName, equity]));
  // 10,000 - 0.1 x 50,000, and 0.1 less 0.1 % of it.
  expect(balances).toEqual({ USDT: '5000', BTC: '0.0999' });
});

test('time moves by step alone, and the clients of the exchange follow it', async () => {
  const exchange = await start();
  const client = exchange.client();
  exchange.setPrice('BTC-USDT', '50000');
  expect(exchange.now()).toBe(Date.UTC(2025, 0, 1));
  expect(await client.accountAssets()).toHaveLength(1);
  await exchange.step(86_400_000);
  expect(exchange.now()).toBe(Date.UTC(2025, 0, 2));
  // Signed with the time of the day before, it would be refused as expired.
  expect(await client.cancelOrder({ symbol: SYMBOL, orderId: '123' })).toMatchObject({ result: false });
});

test('money from outside, frozen accounts and faults are set by calls', async () => {
  const exchange = await start();
  const client = exchange.client('other');
  expect(await client.accountAssets()).toEqual([]);
  exchange.deposit('other', 'spot', 'USDT', '12.5');
  expect(await client.accountAssets()).toMatchObject([{ coinName: 'USDT', available: '12.5' }]);
  exchange.freeze('other');
  await expect(client.accountAssets()).rejects.toMatchObject({ code: 'EXCHANGE_REFUSED', exchangeCode: '40013' });
  exchange.freeze('other', false);
  exchange.setFaults({ rules: [{ fault: 'unlisted', operations: ['accountAssets'], times: 3 }] });
  // A read is tried three times.
  await expect(client.accountAssets()).rejects.toMatchObject({ exchangeCode: '49999' });
  expect(await client.accountAssets()).toHaveLength(1);
});

test('two exchanges of one process do not disturb each other', async () => {
  const [one, two] = [await start(), await start()];
  one.setPrice('BTC-USDT', '100');
  two.setPrice('BTC-USDT', '200');
  const last = async (exchange: LocalExchange) => (await exchange.client().ticker({ symbol: SYMBOL })).close;
  expect([await last(one), await last(two)]).toEqual(['100', '200']);
  expect(one.spot).not.toBe(two.spot);
});

test.each<[string, unknown, string]>([
  ['a missing list', { accounts: undefined }, 'accounts: missing, expected a list of accounts'],
  ['an unknown key', { tickSize: '1' }, 'tickSize: unknown key'],
  ['a wrong symbol', { instruments: { BTCUSDT: SETTINGS.instruments['BTC-USDT'] } }, 'instruments.BTCUSDT: '],
  ['a wrong tick', { instruments: { 'BTC-USDT': { tickSize: '-1', stepSize: '1' } } }, 'instruments.BTC-USDT.tickSize: '],
  ['a wrong balance', { accounts: [{ name: 'a', balances: { spot: { USDT: 'much' } } }] }, 'accounts[0].balances.spot.USDT: '],
])('settings with %s are refused with the key and the expected value', async (_, wrong, text) => {
  const settings = { ...SETTINGS, ...(wrong as object) };
  await expect(startExchange(settings)).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(text) });
});

test('calls that cannot be made are refused with their reason', async () => {
  const exchange = await start({ time: 'wall' });
  const refused = (message: string) => expect.objectContaining({ code: 'REQUEST_INVALID', message: expect.stringContaining(message) });
  expect(() => exchange.client('nobody')).toThrow(refused('the exchange has no account "nobody": expected one of trader, other'));
  expect(() => exchange.setPrice('ETH-USDT', '1')).toThrow(refused('setPrice: unknown instrument ETH-USDT'));
  expect(() => exchange.setPrice('BTC-USDT', '0')).toThrow(refused('setPrice: expected a price above 0 as decimal text, not "0"'));
  expect(() => exchange.setPrice('BTC-USDT', 'abc')).toThrow(refused('setPrice: expected a price above 0 as decimal text, not "abc"'));
  expect(() => exchange.deposit('trader', 'spot', 'USDT', '-1')).toThrow(refused('expected an amount above 0 as decimal text, not "-1"'));
  expect(() => exchange.setFaults({ rules: [{ fault: 'fire' as 'drop' }] })).toThrow(refused('setFaults: rules[0].fault: '));
  await expect(exchange.step(1)).rejects.toEqual(refused('the clock of this exchange runs by itself'));
  await exchange.close();
  expect(() => exchange.setPrice('BTC-USDT', '1')).toThrow(refused('setPrice: the exchange is closed'));
});

test('a client needs all three keys or none, and a safe URL', async () => {
  expect(() => exchangeClient({ spot: 'http://127.0.0.1:1', key: 'k', secret: 's' })).toThrow('expected key, secret and passphrase');
  expect(() => exchangeClient({ spot: 'http://example.com' })).toThrow('https');
  const exchange = await start();
  exchange.setPrice('BTC-USDT', '7');
  const open = exchangeClient({ spot: exchange.spot });
  expect((await open.ticker({ symbol: SYMBOL })).close).toBe('7');
  await expect(open.accountAssets()).rejects.toMatchObject({ code: 'KEYS_INVALID' });
  await open.close();
});

test('a state file keeps the exchange over a restart, and without one nothing is written', async () => {
  const stateFile = join(temporaryFolder('exchange'), 'exchange.state');
  const first = await start({}, { stateFile });
  first.deposit('trader', 'spot', 'USDT', '1');
  await first.close();
  expect(existsSync(stateFile)).toBe(true);
  const second = await start({}, { stateFile });
  expect(await second.client('trader').accountAssets()).toMatchObject([{ coinName: 'USDT', equity: '10001' }]);
});

test('close ends servers and clients, leaves no listener behind, and frees the port', async () => {
  const names = ['SIGINT', 'SIGTERM', 'exit', 'uncaughtException', 'unhandledRejection', 'warning'] as const;
  const listeners = () => names.map((name) => process.listenerCount(name));
  const before = listeners();
  const exchange = await start({ time: 'wall', prices: { synthetic: { start: { 'BTC-USDT': '50000' } } } });
  await exchange.client('trader').accountAssets();
  const port = Number(new URL(exchange.spot).port);
  await Promise.all([exchange.close(), exchange.close()]);
  expect(listeners()).toEqual(before);
  await expect(exchangeClient({ spot: exchange.spot, readAttempts: 1 }).ticker({ symbol: SYMBOL })).rejects.toMatchObject({
    code: 'EXCHANGE_UNREACHABLE',
  });
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
});
