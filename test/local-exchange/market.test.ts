import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Trade } from '../../src/model/market-events.ts';
import { T0 } from '../builders.ts';
import { BTC, failure, INSTRUMENTS, type Local, PERP, spotOrder, startLocal } from './local.ts';

let local: Local;
beforeEach(async () => {
  local = await startLocal({
    listings: new Map([['ETH-USDT', { buyLimitPriceRatio: '0.1', displayHot: true }]]),
    coins: [
      { id: 2, name: 'USDT', transfer: true, chains: [{ chain: 'TRC20', withdraw: true, withdrawFee: '1', depositConfirmations: 20 }] },
    ],
  });
});
afterEach(() => local.close());

test('operation 1 shows the coins of the config, and gives those that instruments name an id', async () => {
  const coins = await local.client().currencies();
  expect(coins.map(({ coinId, coinName }) => [coinId, coinName])).toEqual([
    ['2', 'USDT'],
    ['1', 'BTC'],
    ['3', 'ETH'],
  ]);
  expect(coins[0]!.chains[0]).toMatchObject({
    chain: 'TRC20',
    withdrawAble: true,
    rechargeAble: false,
    withdrawFee: '1',
    depositConfirm: '20',
  });
});

describe('operation 2', () => {
  test('shows one pair, several, or all spot pairs, and takes both parameters together', async () => {
    const names = async (request?: object) => (await local.client().exchangeInfo(request)).map(({ symbol }) => symbol);
    expect(await names({ symbol: 'ETHUSDT_SPBL' })).toEqual(['ETHUSDT_SPBL']);
    expect(await names({ symbols: 'ETHUSDT_SPBL,BTCUSDT_SPBL' })).toEqual(['ETHUSDT_SPBL', BTC]);
    expect(await names()).toEqual([BTC, 'ETHUSDT_SPBL']);
    expect(await names({ symbol: BTC, symbols: 'ETHUSDT_SPBL' })).toEqual([BTC, 'ETHUSDT_SPBL']);
  });

  test('shows the limits and the rules of the listing', async () => {
    const [info] = await local.client().exchangeInfo({ symbol: 'ETHUSDT_SPBL' });
    expect(info).toMatchObject({
      baseCoin: 'ETH',
      quoteCoin: 'USDT',
      tickSize: '0.01',
      stepSize: '0.0001',
      minTradeAmount: '0.01',
      maxTradeAmount: '100',
      takerFeeRate: '0.001',
      buyLimitPriceRatio: '0.1',
      sellLimitPriceRatio: '',
      enableTrade: true,
      displayHot: true,
    });
  });

  test('refuses a pair that is not listed with 40102, and a futures name', async () => {
    expect(await failure(local.client().exchangeInfo({ symbol: 'XUSDT_SPBL' }))).toMatchObject({ exchangeCode: '40102' });
    expect(await failure(local.client().exchangeInfo({ symbols: `${BTC},${PERP}` }))).toMatchObject({ exchangeCode: '40102' });
  });
});

describe('the ticker', () => {
  test('counts the last 24 hours: open, extremes with their times, change, and drops older ones', async () => {
    local.price('BTC-USDT', '100');
    local.step(3_600_000);
    local.price('BTC-USDT', '120');
    local.step(3_600_000);
    local.price('BTC-USDT', '90');
    local.step(3_600_000);
    local.price('BTC-USDT', '105');
    const now = T0 + 3 * 3_600_000;
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({
      symbol: BTC,
      open: '100',
      close: '105',
      lastPrice: '105',
      high: '120',
      low: '90',
      highTime: T0 + 3_600_000,
      lowTime: T0 + 7_200_000,
      priceChange: '5',
      priceChangePercent: '0.05',
      endTime: now,
      ts: now,
    });
    // 25 hours after the first price and 24 after the second: 120 has just left the window, and stood when it began.
    local.step(22 * 3_600_000 + 60_000);
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({ open: '120', high: '120', low: '90', priceChange: '-15' });
    local.step(2 * 3_600_000);
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({ open: '105', high: '105', low: '105', close: '105' });
  });

  test('sees every extreme inside a minute', async () => {
    for (const price of ['100', '130', '70', '100']) {
      local.price('BTC-USDT', price);
      local.step(1_000);
    }
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({
      high: '130',
      highTime: T0 + 1_000,
      low: '70',
      lowTime: T0 + 2_000,
    });
  });

  test('counts public trades and own fills', async () => {
    const { exchange } = local;
    const trade = new Trade(INSTRUMENTS[0]!, 0, 1, 10_000, 20_000, 'buy');
    expect(trade.quantity).toBe(2);
    exchange.exchange.perform('price', ['trade', 0, 10_000, 20_000, 1], exchange.now());
    await local.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ price: '101', quantity: '0.5' })] });
    // 2 at 100 by others and 0.5 at 100 by the guest.
    expect(await local.client().ticker({ symbol: BTC })).toMatchObject({ trades: 2, size: '2.5', value: '250' });
  });

  test('is refused before the first price, left out of all tickers, and unknown for an unlisted pair', async () => {
    expect(await failure(local.client().ticker({ symbol: BTC }))).toMatchObject({ exchangeCode: '40725' });
    expect(await failure(local.client().ticker({ symbol: PERP }))).toMatchObject({ exchangeCode: '40102' });
    local.price('ETH-USDT', '10');
    expect((await local.client().tickers()).map(({ symbol }) => symbol)).toEqual(['ETHUSDT_SPBL']);
  });

  test('of a contract shows its mark, bid and ask', async () => {
    local.price('BTC-USDT-PERP', '100');
    local.exchange.exchange.perform('price', ['mark', 2, 100_123, 3], local.exchange.now());
    const ticker = await local.client().futuresTicker({ symbol: PERP });
    expect(ticker).toMatchObject({ symbol: PERP, last: '100', best_ask: '100', best_bid: '100', markPrice: '100.123', timestamp: T0 });
    const { json } = await local.send({ host: 'futures', target: `/capi/v2/market/ticker?symbol=${PERP}` });
    expect(Object.entries(json).filter(([, value]) => typeof value !== 'string')).toEqual([]);
    expect(json.timestamp).toBe(String(T0));
    local.step(60_001);
    local.price('BTC-USDT-PERP', '101');
    expect((await local.client().futuresTicker({ symbol: PERP })).markPrice).toBe('101');
  });
});

test('both hosts show the time', async () => {
  local.step(1_234);
  expect(await local.client().spotTime()).toBe(T0 + 1_234);
  expect(await local.client().futuresTime()).toEqual({ epoch: '1700006401.234', iso: '2023-11-15T00:00:01.234Z', timestamp: T0 + 1_234 });
});
