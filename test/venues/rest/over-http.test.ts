import { afterEach, describe, expect, test } from '@jest/globals';
import { NEVER, Subject } from 'rxjs';
import { FeedSubscriber } from '../../../src/engine/inbox.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { Mark, Ticker } from '../../../src/model/market-events.ts';
import type { FeedItem } from '../../../src/ports/market-feed.ts';
import { LiveFeed } from '../../../src/venues/rest/live-feed.ts';
import { AccountRounds } from '../../../src/venues/rest/polling/account-rounds.ts';
import { MarketPoller } from '../../../src/venues/rest/polling/market-poller.ts';
import { TurnClock } from '../../../src/venues/rest/real-clock.ts';
import { T0 } from '../../builders.ts';
import { INSTRUMENTS, type Local, startLocal } from '../../local-exchange/local.ts';

const [SPOT, , CONTRACT] = INSTRUMENTS as [(typeof INSTRUMENTS)[0], (typeof INSTRUMENTS)[0], (typeof INSTRUMENTS)[0]];

let local: Local;
let close: () => Promise<void>;
afterEach(() => close());

/** Lets replies come in until there are so many lines. */
async function lines(seen: readonly string[], count: number): Promise<void> {
  for (let turns = 0; seen.length < count && turns < 5_000; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toHaveLength(count);
}

function text(item: FeedItem): string {
  if (item.kind === 'together') return item.events.map(text).join(' | ');
  if (item instanceof Ticker) return `${item.symbol} ${item.last} @${item.time - T0}`;
  return item instanceof Mark ? `${item.symbol} mark ${item.price} @${item.time - T0}` : item.kind;
}

/** A bot's feed on the clock of the exchange: each step of the time is a tick of both. */
async function start(budgetWeight = 500) {
  local = await startLocal();
  const { clock, exchange } = local;
  const budget = new WeightBudget(clock, { ipWeight: budgetWeight });
  const client = new ExchangeClient({
    clock,
    budget,
    random: () => 0,
    settings: { spotBaseUrl: exchange.spot, contractBaseUrl: exchange.futures, readAttempts: 1, clockSyncMs: 0 },
  });
  const seen: string[] = [];
  const told: string[] = [];
  const failed: string[] = [];
  const shared = { clock, staleMs: 10_000, random: () => 1, load: () => budget.load('market') };
  const market = new MarketPoller({ ...shared, client, instruments: [SPOT, CONTRACT], periodMs: 1_000 });
  const settled$ = new Subject<void>();
  const account = { hints$: NEVER, answers: 0, nextDue: Number.POSITIVE_INFINITY, round: async () => settled$.next() };
  const feed = new LiveFeed({
    clock,
    turns: new TurnClock(clock),
    market,
    rounds: new AccountRounds({ ...shared, account, periodMs: 1_000, fullMs: 30_000 }),
    settled$,
    accountFirstMs: 5_000,
    afterTurn: () => {},
    report: (event) => told.push(`${event.subject} ${event.symbol} ${event.condition}`),
    failed: (_, error) => failed.push(String(error)),
  });
  close = async () => {
    feed.stop();
    await client.close();
    await local.close();
  };
  local.price('BTC-USDT', '100.5');
  local.price('BTC-USDT-PERP', '101.5');
  feed.events$.subscribe(new FeedSubscriber<FeedItem>({ receive: (item) => seen.push(text(item)) }));
  return { seen, told, failed, market, step: local.step };
}

describe('the feed over HTTP', () => {
  test('shows the exchange’s prices as they change, at the exchange’s time, on one grid with it', async () => {
    const { seen, step } = await start();
    step(0);
    await lines(seen, 2);
    local.price('BTC-USDT-PERP', '102');
    step(1_000);
    await lines(seen, 4);
    step(1_000);
    await lines(seen, 5);
    expect(seen).toEqual([
      'settled',
      'BTC-USDT 100.5 @0 | BTC-USDT-PERP 101.5 @0 | BTC-USDT-PERP mark 101.5 @0',
      'settled',
      'BTC-USDT-PERP 102 @1000 | BTC-USDT-PERP mark 102 @1000',
      'settled',
    ]);
  });

  test('continues by itself once a failing exchange replies again', async () => {
    const { seen, failed, step } = await start();
    step(0);
    await lines(seen, 2);
    local.exchange.control.setFaults({ rules: [{ fault: 'failBefore' }] });
    step(1_000);
    await lines(failed, 2);
    local.exchange.control.setFaults({ rules: [] });
    local.price('BTC-USDT', '99');
    step(1_000);
    await lines(seen, 5);
    expect(failed).toEqual([expect.stringContaining('icker: '), expect.stringContaining('icker: ')]);
    expect(seen.at(-1)).toBe('BTC-USDT 99 @2000');
  });

  test('polls less often while the weight is nearly spent', async () => {
    const { market, seen, step } = await start(20);
    // 70 % of 20 is for market data: seven polls of 2 spend it.
    for (let second = 0; second < 7; second++) {
      local.price('BTC-USDT', String(100 + second));
      step(second === 0 ? 0 : 1_000);
      await lines(seen, 2 * (second + 1));
    }
    expect(market.periodMs).toBe(1_000);
    step(1_000);
    await lines(seen, 15);
    expect(market.periodMs).toBe(2_000);
  });
});
