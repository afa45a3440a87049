import { describe, expect, test } from '@jest/globals';
import { pause } from '../../../src/exchange/client/caller.ts';
import { markEvent } from '../../../src/exchange/mapping.ts';
import type { Instrument } from '../../../src/model/instrument.ts';
import type { Funding, Mark, MarketEvent, Ticker } from '../../../src/model/market-events.ts';
import type { FundingSource } from '../../../src/venues/rest/polling/funding-reads.ts';
import { type MarketNews, MarketPoller, type MarketPollerOptions } from '../../../src/venues/rest/polling/market-poller.ts';
import { instrument, perpetual, T0 } from '../../builders.ts';
import { ManualClock } from '../../exchange/manual-clock.ts';
import { exchangeError, StubTickers } from './stub-tickers.ts';

const BTC = instrument();
const ETH = instrument({ symbol: 'ETH-USDT' }, 1);
const PERP = perpetual({}, 2);
const [BTC_WIRE, ETH_WIRE, PERP_WIRE] = ['BTCUSDT_SPBL', 'ETHUSDT_SPBL', 'cmt_btcusdt'];

function told(event: MarketEvent): string {
  const value = event.kind === 'funding' ? (event as Funding).rate : event.kind === 'mark' ? (event as Mark).price : (event as Ticker).last;
  return `${event.sequence} ${event.symbol} ${event.kind} ${value} @${event.time - T0}`;
}

/** What came out, each item with its time; `|` stands between the events of one item. */
function start(instruments: readonly Instrument[], options: Partial<MarketPollerOptions> = {}) {
  const clock = new ManualClock(T0);
  const stub = new StubTickers(() => clock.now());
  stub.set(BTC_WIRE, { last: '100' });
  stub.set(ETH_WIRE, { last: '10' });
  stub.set(PERP_WIRE, { last: '101', mark: '100.50' });
  const seen: string[] = [];
  const poller = new MarketPoller({
    client: stub.client,
    instruments,
    clock,
    periodMs: 1_000,
    staleMs: 5_000,
    random: () => 1,
    ...options,
  });
  const text = (news: MarketNews) => {
    if (news.kind === 'prices') return news.events.map(told).join(' | ');
    return news.kind === 'health' ? `${news.condition} ${news.symbol || 'all'}: ${news.reason}` : `failed ${news.waitMs}`;
  };
  const links = poller.news().subscribe((news) => seen.push(`${clock.now() - T0}: ${text(news)}`));
  return { clock, stub, seen, poller, stop: () => links.unsubscribe() };
}

const health = (seen: readonly string[]) => seen.filter((line) => /stale|fresh/.test(line));

describe('prices', () => {
  test('of one poll are published together, numbered by instrument; a mark has its own decimals', async () => {
    const { clock, seen, poller } = start([BTC, ETH, PERP]);
    await clock.advance(0);
    expect(seen).toEqual([
      '0: 1 BTC-USDT ticker 100 @0 | 2 ETH-USDT ticker 10 @0 | 3 BTC-USDT-PERP ticker 101 @0 | 4 BTC-USDT-PERP mark 100.5 @0',
    ]);
    expect(poller.sequence).toBe(4);
  });

  test('flow on when they have changed, and only then', async () => {
    const { clock, seen, stub } = start([BTC, ETH, PERP], { sequence: 40 });
    await clock.advance(2_500);
    expect(seen).toHaveLength(1);
    stub.set(ETH_WIRE, { last: '11' });
    await clock.advance(1_000);
    stub.set(PERP_WIRE, { last: '101.0', mark: '100.6' });
    await clock.advance(1_000);
    expect(seen.slice(1)).toEqual(['3000: 45 ETH-USDT ticker 11 @3000', '4000: 46 BTC-USDT-PERP mark 100.6 @4000']);
  });

  test.each([
    ['is the exchange’s stamp', -300, -300],
    ['is the clock’s where the stamp is ahead of it', 500, 0],
    ['is the clock’s where the stamp is far behind it', -61_000, 0],
    ['is the clock’s where the stamp is in seconds', T0 / 1_000 - T0, 0],
  ])('have a time that %s', async (_, stamp, time) => {
    const { clock, seen, stub } = start([BTC]);
    stub.set(BTC_WIRE, { last: '100', stamp: T0 + stamp });
    await clock.advance(0);
    expect(seen).toEqual([`0: 1 BTC-USDT ticker 100 @${time}`]);
  });

  test('never go back in time, and an older picture is no answer', async () => {
    const { clock, seen, stub } = start([BTC]);
    stub.set(BTC_WIRE, { last: '100', stamp: T0 + 700 });
    await clock.advance(0); // Ahead of the clock: taken at 0.
    await clock.advance(1_000);
    stub.set(BTC_WIRE, { last: '101', stamp: T0 - 5_000 });
    await clock.advance(6_000);
    stub.set(BTC_WIRE, { last: '102', stamp: T0 - 90_000 });
    await clock.advance(1_000);
    stub.set(BTC_WIRE, { last: '103', stamp: T0 + 7_500 });
    await clock.advance(1_000);
    expect(seen).toEqual([
      '0: 1 BTC-USDT ticker 100 @0',
      `6000: stale all: no answer for 5000 ms: its ticker (101 at ${T0 - 5_000}) is none, or older than the one before`,
      '8000: 2 BTC-USDT ticker 102 @8000',
      '8000: fresh all: answered again',
      '9000: 3 BTC-USDT ticker 103 @8000',
    ]);
  });

  test.each([
    ['one by one', 20, ['ticker', 20]],
    ['all at once where that weighs less', 21, ['all', 1]],
  ])('of spot pairs are requested %s', async (_, pairs, [how, requests]) => {
    const many = Array.from({ length: pairs }, (_, index) => instrument({ symbol: `C${index}-USDT` }, index));
    const { clock, stub, seen } = start(many);
    for (const { base } of many) stub.set(`${base}USDT_SPBL`, { last: '7' });
    await clock.advance(0);
    expect([stub.asked[0] === 'all' ? 'all' : 'ticker', stub.asked.length]).toEqual([how, requests]);
    expect(seen[0]!.split('|')).toHaveLength(pairs);
  });

  test('of the faster host wait for the other half a period at most', async () => {
    const { clock, seen, stub } = start([BTC, PERP]);
    stub.latency = (what) => pause(clock, what === PERP_WIRE ? 300 : 0);
    await clock.advance(900);
    expect(seen).toEqual(['300: 1 BTC-USDT ticker 100 @0 | 2 BTC-USDT-PERP ticker 101 @300 | 3 BTC-USDT-PERP mark 100.5 @300']);
    stub.set(BTC_WIRE, { last: '105' });
    stub.latency = (what) => pause(clock, what === PERP_WIRE ? 30_000 : 0);
    await clock.advance(2_000);
    stub.set(BTC_WIRE, { last: '106' });
    await clock.advance(1_000);
    // From then on nothing is awaited: the other host's request belongs to an older tick.
    expect(seen.slice(1)).toEqual(['1500: 4 BTC-USDT ticker 105 @1000', '3000: 5 BTC-USDT ticker 106 @3000']);
  });
});

describe('health', () => {
  test('of a pair that the tickers leave out is stale separately, and recovers', async () => {
    const many = Array.from({ length: 21 }, (_, index) => instrument({ symbol: `C${index}-USDT` }, index));
    const { clock, stub, seen } = start(many);
    for (const { base } of many) stub.set(`${base}USDT_SPBL`, { last: '7' });
    await clock.advance(1_000);
    stub.table.delete('C4USDT_SPBL');
    await clock.advance(8_000);
    stub.set('C4USDT_SPBL', { last: '7' });
    await clock.advance(2_000);
    expect(health(seen)).toEqual([
      '6000: stale C4-USDT: no answer for 5000 ms: it is not among the tickers',
      '10000: fresh C4-USDT: answered again',
    ]);
  });

  test('is not lost by a price and a stamp that stay the same', async () => {
    const { clock, stub, seen } = start([BTC]);
    stub.set(BTC_WIRE, { last: '100', stamp: T0 - 1_000 });
    await clock.advance(3_600_000);
    expect(seen).toEqual(['0: 1 BTC-USDT ticker 100 @-1000']);
  });

  test('of a pair whose ticker alone is refused is stale separately, and that pair is polled less and less', async () => {
    const { clock, stub, seen } = start([BTC, ETH], { maxBackoffMs: 4_000 });
    await clock.advance(500);
    stub.set(ETH_WIRE, exchangeError('parameter', 'unknown trading pair'));
    stub.asked.length = 0;
    await clock.advance(20_000);
    expect(health(seen)).toEqual([expect.stringMatching(/^5000: stale ETH-USDT: .*unknown trading pair$/)]);
    expect(stub.asked.filter((one) => one === BTC_WIRE)).toHaveLength(20);
    expect(stub.asked.filter((one) => one === ETH_WIRE)).toHaveLength(5);
  });

  test('of one host does not affect the other; of all it is reported once', async () => {
    const { clock, stub, seen } = start([BTC, ETH, PERP], { maxBackoffMs: 1_000 });
    await clock.advance(500);
    stub.set(PERP_WIRE, exchangeError('timedOut'));
    await clock.advance(6_000);
    for (const wire of [BTC_WIRE, ETH_WIRE]) stub.set(wire!, exchangeError('timedOut'));
    await clock.advance(6_000);
    for (const wire of [BTC_WIRE, ETH_WIRE]) stub.set(wire!, { last: '1' });
    await clock.advance(1_000);
    expect(health(seen).map((line) => line.replace(/: no answer.*|: answered.*/, ''))).toEqual([
      '5000: stale BTC-USDT-PERP',
      '11000: stale all',
      '11000: fresh BTC-USDT-PERP',
      '13000: stale BTC-USDT-PERP',
      '13000: fresh all',
    ]);
  });

  test('is reported as stale also if no reply comes at all', async () => {
    const { clock, stub, seen, stop } = start([BTC]);
    stub.latency = () => new Promise(() => {});
    await clock.advance(60_000);
    expect(seen).toEqual(['5000: stale all: no answer for 5000 ms']);
    stop();
    expect(clock.pending).toBe(0);
  });
});

test('an error in the program is reported as a failure of the poll', async () => {
  const { clock, stub, seen } = start([BTC, ETH]);
  stub.set(ETH_WIRE, new TypeError('a slip'));
  await clock.advance(0);
  expect(seen).toEqual(['0: failed 1000']);
});

describe('a mark', () => {
  test.each([
    ['85596.50', 855965, 1],
    ['100', 100, 0],
    ['0.00000001', 1, 8],
    ['85596.12345678901234', 8559612345678901, 11],
  ])('with %s is exact', (price, units, decimals) => {
    expect(markEvent(PERP, price, 0, 1)).toMatchObject({ units, decimals });
  });

  test.each(['0', '-1', 'NaN'])('with %s is none', (price) => {
    expect(markEvent(PERP, price, 0, 1)).toBeUndefined();
  });
});

describe('funding', () => {
  const HOUR_MS = 3_600_000;

  /** A poller of the perpetual whose exchange lists these payments. */
  function paying(listed: { fundingTime: number; fundingRate: string }[], known?: number) {
    const asked: number[] = [];
    const fundingHistory = async ({ symbol }: { symbol: string }) => {
      asked.push(stubbed.clock.now() - T0);
      if (listed.length === 0 && known !== undefined) throw exchangeError('unconnected');
      return listed.map((payment) => ({ symbol, ...payment }));
    };
    const client = { fundingHistory } as unknown as FundingSource['client'];
    const stubbed = start([BTC, PERP], { funding: { client, since: () => known } });
    const paid = () => stubbed.seen.filter((line) => /funding|failed/.test(line));
    return { ...stubbed, asked, paid };
  }

  test('is published when a read finds a payment, at the time of its settlement; the newest one from the start', async () => {
    const listed = [
      { fundingTime: T0 - HOUR_MS, fundingRate: '0.0003' },
      { fundingTime: T0 - 9 * HOUR_MS, fundingRate: '0.0009' },
    ];
    const { clock, asked, seen, paid } = paying(listed);
    await clock.advance(0);
    expect(seen).toEqual([
      `0: 1 BTC-USDT ticker 100 @0 | 2 BTC-USDT-PERP ticker 101 @0 | 3 BTC-USDT-PERP mark 100.5 @0 | 4 BTC-USDT-PERP funding 0.0003 @-${HOUR_MS}`,
    ]);
    await clock.advance(60_000);
    listed.push({ fundingTime: T0 + 60_000, fundingRate: '-0.0001' });
    await clock.advance(10_000);
    expect(asked).toEqual([0, 5_000, 65_000]);
    expect(paid().slice(1)).toEqual(['65000: 5 BTC-USDT-PERP funding -0.0001 @60000']);
  });

  test('of a time to come is none: it would take the clock of the run along', async () => {
    const listed = [
      { fundingTime: T0 - HOUR_MS, fundingRate: '0.0003' },
      { fundingTime: T0 * 1_000, fundingRate: '0.0009' },
    ];
    const { clock, paid } = paying(listed);
    await clock.advance(0);
    expect(paid()).toEqual([expect.stringContaining(`funding 0.0003 @-${HOUR_MS}`)]);
  });

  test('that the strategies have received before a restart is not published again', async () => {
    const { clock, paid } = paying([{ fundingTime: T0 - HOUR_MS, fundingRate: '0.0003' }], T0 - HOUR_MS);
    await clock.advance(70_000);
    expect(paid()).toEqual([]);
  });

  test('that cannot be read is reported, read again a minute later, and holds up no price', async () => {
    const { clock, asked, seen, paid } = paying([], 0);
    await clock.advance(6_000);
    expect(asked).toEqual([0, 5_000]);
    expect(paid()).toEqual(['0: failed 60000', '5000: failed 60000']);
    expect(seen).toContain('0: 1 BTC-USDT ticker 100 @0 | 2 BTC-USDT-PERP ticker 101 @0 | 3 BTC-USDT-PERP mark 100.5 @0');
    expect(health(seen)).toEqual([]);
  });

  test('is not read where no contract is polled', async () => {
    const client = { fundingHistory: () => Promise.reject(new Error('none')) } as unknown as FundingSource['client'];
    const { clock, seen } = start([BTC], { funding: { client, since: () => undefined } });
    await clock.advance(0);
    expect(seen).toEqual(['0: 1 BTC-USDT ticker 100 @0']);
  });
});
