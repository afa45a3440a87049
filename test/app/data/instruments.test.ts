import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type DataInstrumentsOptions, dataInstruments } from '../../../src/app/data/instruments.ts';
import { type Stub, standard, startStub } from '../../exchange/stub-server.ts';
import { startLocal } from '../../local-exchange/local.ts';
import { HEADERS, refusal, Workshop } from '../../recording/builders.ts';
import { ExchangeStub } from './exchange-stub.ts';

const shop = new Workshop();
let stub: Stub;
beforeAll(async () => {
  stub = await startStub();
});
afterAll(async () => {
  await stub.close();
});
beforeEach(async () => {
  for (const symbol of ['BTC-USDT', 'BTC-USDT-PERP'])
    await shop.keep(`${HEADERS.ticker}\n0,1\n1,2\n`, { kind: 'ticker', symbol, replace: true });
  writeFileSync(file(), '[]');
  stub.answer = listing('0.01', '0.0010');
});

const NOW = Date.UTC(2025, 0, 1);
const file = () => join(shop.dataDir, 'r', 'instruments.json');
const written = () => JSON.parse(readFileSync(file(), 'utf8'));

function listing(tickSize: string, makerFeeRate: string) {
  const rest = {
    buyLimitPriceRatio: '',
    sellLimitPriceRatio: '',
    marketBuyLimitSize: '',
    marketSellLimitSize: '',
    marketFallbackPriceRatio: '',
  };
  const flags = {
    enableTrade: true,
    enableDisplay: true,
    displayDigitMerge: '',
    displayNew: false,
    displayHot: false,
    supportTracing: false,
  };
  const limits = { minTradeAmount: '0.0001', maxTradeAmount: '0' };
  const pair = { symbol: 'BTCUSDT_SPBL', baseCoin: 'BTC', quoteCoin: 'USDT', tickSize, stepSize: '0.00001', ...limits };
  return standard(JSON.stringify([{ ...pair, makerFeeRate, takerFeeRate: '0.002', ...rest, ...flags, supportPlanMarket: false }]));
}

async function run(options: Partial<DataInstrumentsOptions> = {}): Promise<string[]> {
  const lines: string[] = [];
  await dataInstruments(
    'r',
    { dataDir: shop.dataDir, ...options },
    () => NOW,
    (line) => lines.push(line),
  );
  return lines;
}

test('terms of now are written with their time, and contracts without an address are named', async () => {
  expect(await run({ fromExchange: stub.url })).toEqual([
    'received the terms of 1 instrument, 0 already known',
    expect.stringMatching(
      /^BTC-USDT-PERP: no address of the exchange's contracts: name a config with live.contractBaseUrl, or write its terms/,
    ),
    'symbol    from                  tickSize  stepSize  makerFee  takerFee  minQuantity  maxQuantity',
    'BTC-USDT  2025-01-01T00:00:00Z  0.01      0.00001   0.0010    0.002     0.0001',
  ]);
  const settings = { tickSize: '0.01', stepSize: '0.00001', makerFee: '0.0010', takerFee: '0.002', minQuantity: '0.0001' };
  expect(written()).toEqual([{ symbol: 'BTC-USDT', from: '2025-01-01T00:00:00Z', ...settings }]);
});

test('terms that hold already are not written again, changed ones are, and the list shows both', async () => {
  await run({ fromExchange: stub.url, from: '2024-06-01' });
  expect((await run({ fromExchange: stub.url }))[0]).toBe('received the terms of 1 instrument, all already known');
  stub.answer = listing('0.1', '0.0010');
  await run({ fromExchange: stub.url });
  expect(written().map(({ from, tickSize }: Record<string, string>) => `${from} ${tickSize}`)).toEqual([
    '2024-06-01T00:00:00Z 0.01',
    '2025-01-01T00:00:00Z 0.1',
  ]);
  expect(await run()).toHaveLength(3);
});

test('a config names the exchange, though it lacks the very terms', async () => {
  const config = shop.write(
    'c.yaml',
    `name: c
account: { kind: spot, balances: { USDT: "1" } }
strategies: [{ id: s, file: ./s.js, symbols: [BTC-USDT] }]
backtest: { data: [r] }
live: { spotBaseUrl: "${stub.url}" }
`,
  );
  expect((await run({ fromExchange: config }))[0]).toBe('received the terms of 1 instrument, 0 already known');
});

test('terms of contracts come from the list of contracts, and keep the margin tiers of the entry before', async () => {
  const contract = { liquidationFee: '0.002', maintenance: '0.004' };
  writeFileSync(
    file(),
    JSON.stringify([{ symbol: 'BTC-USDT-PERP', from: '2024-01-01T00:00:00Z', tickSize: '1', stepSize: '0.001', contract }]),
  );
  const local = await startLocal();
  try {
    const config = shop.write(
      'c.yaml',
      `name: c
account: { kind: futures, balances: { USDT: "1" } }
strategies: [{ id: s, file: ./s.js, symbols: [BTC-USDT-PERP] }]
backtest: { data: [r] }
live: { contractBaseUrl: "${local.exchange.futures}" }
`,
    );
    const asked = { fromExchange: config, symbol: ['BTC-USDT-PERP'] };
    expect((await run(asked))[0]).toBe('received the terms of 1 instrument, 0 already known');
    const fees = { makerFee: '0.0002', takerFee: '0.0006' };
    const grid = { tickSize: '0.1', stepSize: '0.0001', minQuantity: '0.0001' };
    expect(written()[1]).toEqual({
      ...{ symbol: 'BTC-USDT-PERP', from: '2025-01-01T00:00:00Z', ...grid, ...fees },
      contract: { ...contract, value: '0.000001' },
    });
    expect((await run(asked))[0]).toBe('received the terms of 1 instrument, all already known');
  } finally {
    await local.close();
  }
});

test('a symbol that the exchange does not list is refused, and nothing is written', async () => {
  await expect(run({ fromExchange: stub.url, symbol: ['ETH-USDT'] })).rejects.toMatchObject({
    code: 'DATA_NOT_FOUND',
    message: expect.stringMatching(/does not list ETH-USDT/),
  });
  expect(written()).toEqual([]);
});

test('for a recording without terms, the message names the place of the terms', async () => {
  expect(await run()).toEqual([expect.stringMatching(/^no terms: \S+instruments\.json does not exist, or is empty$/)]);
});

test('ccxt gives steps, limits and fees of spot pairs and perpetuals of its exchanges', async () => {
  const binance = new ExchangeStub();
  const url = await binance.start();
  try {
    await run({ fromCcxt: 'binance', url });
  } finally {
    await binance.stop();
  }
  // The stub's filters; fees are those that ccxt holds for Binance's lowest tier.
  const grid = { tickSize: '0.01', stepSize: '0.00001', minQuantity: '0.00001', maxQuantity: '9000' };
  expect(written()).toEqual([
    { symbol: 'BTC-USDT', from: '2025-01-01T00:00:00Z', ...grid, makerFee: '0.001', takerFee: '0.001' },
    { symbol: 'BTC-USDT-PERP', from: '2025-01-01T00:00:00Z', ...grid, makerFee: '0.0002', takerFee: '0.0005' },
  ]);
});

test('an exchange that ccxt does not have, and both sources at once, are refused', async () => {
  expect(await refusal(run({ fromCcxt: 'binanse' }))).toMatchObject({ code: 'USAGE', message: expect.stringContaining('did you mean') });
  expect(await refusal(run({ fromCcxt: 'binance', fromExchange: stub.url }))).toMatchObject({ code: 'USAGE' });
});
