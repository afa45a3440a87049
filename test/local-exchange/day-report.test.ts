import { afterEach, describe, expect, test } from '@jest/globals';
import { PolledTickers, type PolledTickersOptions } from '../../src/local-exchange/feeds.ts';
import { SteppedClock } from '../../src/local-exchange/stepped-clock.ts';
import { T0 } from '../builders.ts';
import { BTC, INSTRUMENTS, type Local, PERP, spotOrder, startLocal } from './local.ts';

type Client = PolledTickersOptions['client'];
type Ticker = Awaited<ReturnType<Client['ticker']>>;
type FuturesTicker = Awaited<ReturnType<Client['futuresTicker']>>;

const HOUR_MS = 3_600_000;
const SPOT: Ticker = {
  symbol: BTC,
  priceChange: '20',
  priceChangePercent: '0.25',
  trades: 5_000,
  size: '1234.5',
  value: '111105',
  high: '120',
  low: '70',
  open: '80',
  close: '100',
  highTime: T0 - HOUR_MS,
  lowTime: T0 - 2 * HOUR_MS,
  startTime: T0 - 24 * HOUR_MS,
  endTime: T0,
  lastPrice: '100',
  openInterest: '',
  ts: T0,
};
const FUTURES: FuturesTicker = {
  symbol: PERP,
  last: '100',
  best_ask: undefined,
  best_bid: undefined,
  high_24h: '130',
  low_24h: '60',
  volume_24h: '9000',
  timestamp: T0,
  priceChangePercent: '0.25',
  base_volume: '90',
  markPrice: undefined,
  indexPrice: undefined,
};

let local: Local;
afterEach(() => local.close());

/** A local exchange on polled tickers, asked every second; what they say may change. */
async function start(spot: Partial<Ticker> = {}, futures: Partial<FuturesTicker> = {}) {
  const says = { spot: { ...SPOT, ...spot }, futures: { ...FUTURES, ...futures } };
  const clock = new SteppedClock(T0);
  const funding = { fundingRate: async () => [], fundingHistory: async () => [] };
  const client: Client = { ticker: async () => says.spot, futuresTicker: async () => says.futures, ...funding, close: async () => {} };
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const feed = new PolledTickers({ client, instruments: [INSTRUMENTS[0]!, INSTRUMENTS[2]!], clock, everyMs: 1_000, log });
  local = await startLocal({ clock, feed });
  return says;
}
const ticker = () => local.client().ticker({ symbol: BTC });

describe("the ticker of an exchange whose prices are another exchange's tickers", () => {
  test('shows the 24 hours of the other one, plus the trades of its own accounts', async () => {
    await start();
    expect(await ticker()).toMatchObject({
      lastPrice: '100',
      open: '80',
      close: '100',
      priceChange: '20',
      priceChangePercent: '0.25',
      high: '120',
      highTime: T0 - HOUR_MS,
      low: '70',
      lowTime: T0 - 2 * HOUR_MS,
      trades: 5_000,
      size: '1234.5',
      value: '111105',
    });
    await local.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ orderType: 'market', quantity: '50' })] });
    expect(await ticker()).toMatchObject({ trades: 5_001, size: '1235', value: '111155' });
  });

  test('follows them while the price is constant, and shows own extremes beyond them', async () => {
    const says = await start();
    await ticker();
    says.spot = { ...says.spot, trades: 5_007, low: '60', lowTime: T0 };
    local.step(1_000);
    expect(await ticker()).toMatchObject({ trades: 5_007, low: '60', lowTime: T0 });
    local.price('BTC-USDT', '150');
    expect(await ticker()).toMatchObject({ high: '150', highTime: T0 + 1_000, priceChange: '70' });
  });

  test('shows its own figures if the other one has none', async () => {
    await start({ open: '', high: '0', low: '', size: '', value: '', trades: 0 });
    expect(await ticker()).toMatchObject({ open: '100', high: '100', low: '100', size: '0', value: '0', trades: 0 });
  });

  test('of a contract has its open computed from the change, and its volumes', async () => {
    await start();
    await ticker();
    expect(await local.client().futuresTicker({ symbol: PERP })).toMatchObject({
      high_24h: '130',
      low_24h: '60',
      base_volume: '90',
      volume_24h: '9000',
      priceChangePercent: '0.25',
    });
  });
});
