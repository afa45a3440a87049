import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { FeedSubscriber } from '../../../src/engine/inbox.ts';
import { pause } from '../../../src/exchange/client/caller.ts';
import type { HealthChanged } from '../../../src/model/account-events.ts';
import { type FeedItem, SETTLED } from '../../../src/ports/market-feed.ts';
import { LiveFeed } from '../../../src/venues/rest/live-feed.ts';
import { AccountRounds } from '../../../src/venues/rest/polling/account-rounds.ts';
import { MarketPoller } from '../../../src/venues/rest/polling/market-poller.ts';
import { TurnClock } from '../../../src/venues/rest/real-clock.ts';
import { instrument, T0 } from '../../builders.ts';
import { ManualClock } from '../../exchange/manual-clock.ts';
import { exchangeError, StubTickers } from './stub-tickers.ts';

const WIRE = 'BTCUSDT_SPBL';

/** A feed of one spot pair whose price changes at every poll, and an account whose rounds the test makes. */
function start({ accountMs = 1_000, subscribe = true } = {}) {
  const clock = new ManualClock(T0);
  const turns = new TurnClock(clock);
  const stub = new StubTickers(() => clock.now());
  let price = 100;
  const latency = { market: 0, account: 0 };
  stub.latency = async () => {
    seen.push(`${clock.now() - T0}: asks market`);
    stub.set(WIRE, { last: String(price++) });
    await pause(clock, latency.market);
  };
  const seen: string[] = [];
  const rounds: string[] = [];
  let [underWay, most] = [0, 0];
  const account = {
    hints$: new Subject<void>(),
    settled$: new Subject<void>(),
    answers: 0,
    nextDue: Number.POSITIVE_INFINITY,
    during: () => {},
    async round(full: boolean) {
      most = Math.max(most, ++underWay);
      rounds.push(`${clock.now() - T0}${full ? ' full' : ''}`);
      seen.push(`${clock.now() - T0}: round`);
      try {
        if (latency.account > 0) await pause(clock, latency.account);
        account.during();
        account.settled$.next();
      } finally {
        underWay--;
      }
    },
  };
  const told: HealthChanged[] = [];
  const shared = { clock, staleMs: 10_000, random: () => 1 };
  const hooks = { onTurn: (_: FeedItem) => {}, afterTurn: () => {} };
  const feed = new LiveFeed({
    clock,
    turns,
    market: new MarketPoller({ ...shared, client: stub.client, instruments: [instrument()], periodMs: 1_000 }),
    rounds: new AccountRounds({ ...shared, account, periodMs: accountMs, fullMs: 30_000 }),
    settled$: account.settled$,
    accountFirstMs: 5_000,
    afterTurn: () => hooks.afterTurn(),
    report: (event) => told.push(event),
    failed: (subject, _, waitMs) => seen.push(`${clock.now() - T0}: ${subject} failed, waits ${waitMs}`),
  });
  const intake = new FeedSubscriber<FeedItem>({
    receive: (item) => {
      seen.push(`${turns.now() - T0}: ${item.kind === 'settled' ? 'account' : item.kind} turn`);
      hooks.onTurn(item);
    },
  });
  if (subscribe) feed.events$.subscribe(intake);
  return { clock, turns, feed, stub, account, seen, rounds, told, latency, hooks, intake, mostRounds: () => most };
}

describe('on a tick', () => {
  test('the account has its turn before market data is requested', async () => {
    const { clock, seen, latency } = start();
    latency.account = 200;
    latency.market = 100;
    await clock.advance(1_300);
    expect(seen).toEqual([
      '0: round',
      '200: account turn',
      '200: asks market',
      '300: ticker turn',
      '1000: round',
      '1200: account turn',
      '1200: asks market',
      '1300: ticker turn',
    ]);
  });

  test('the account waits for no market data', async () => {
    const { clock, rounds, latency } = start();
    latency.market = 2_500;
    await clock.advance(3_000);
    expect(rounds).toEqual(['0 full', '1000', '2000', '3000']);
  });

  test('market data does not wait for an account that has its own, wider grid, or fails', async () => {
    const { clock, seen, account } = start({ accountMs: 3_000 });
    account.during = () => {
      throw exchangeError('timedOut');
    };
    await clock.advance(2_000);
    expect(seen.filter((line) => !/turn/.test(line))).toEqual([
      '0: round',
      '0: account failed, waits 3000',
      '0: asks market',
      '1000: asks market',
      '2000: asks market',
    ]);
  });

  test('market data waits for a round that takes too long only so long', async () => {
    const { clock, seen, latency } = start();
    latency.account = 60_000;
    await clock.advance(5_000);
    expect(seen).toEqual(['0: round', '5000: asks market', '5000: ticker turn']);
  });
});

describe('rounds of the account', () => {
  test('follow hints at once, one at a time, and are full at first and then seldom', async () => {
    const { clock, account, rounds, latency, mostRounds } = start();
    latency.account = 100;
    await clock.advance(300);
    account.hints$.next();
    account.hints$.next();
    await clock.advance(50);
    account.hints$.next();
    await clock.advance(29_650);
    expect(rounds.slice(0, 4)).toEqual(['0 full', '300', '400', '1000']);
    expect(rounds.slice(-2)).toEqual(['29000', '30000 full']);
    expect(mostRounds()).toBe(1);
  });

  test('are made when a look is due, and again at once while one is, but not for unchanged data', async () => {
    const { clock, account, rounds } = start();
    const due = [T0 + 400, T0 + 399, T0 + 1_700];
    account.during = () => {
      account.nextDue = due.shift() ?? account.nextDue;
    };
    await clock.advance(3_000);
    // At 400 the next look is already past; from 1700 on it stays where it is.
    expect(rounds).toEqual(['0 full', '400', '400', '1000', '1700', '2000', '3000']);
  });

  test('that a turn requests begin after it', async () => {
    const { clock, account, hooks, rounds, seen } = start();
    hooks.onTurn = (item) => {
      if (item.kind !== 'ticker') return;
      hooks.onTurn = () => {};
      account.hints$.next();
      expect(rounds).toHaveLength(1);
    };
    await clock.advance(10);
    expect(seen).toEqual(['0: round', '0: account turn', '0: asks market', '0: ticker turn', '0: round', '0: account turn']);
  });

  test('are full again after a failure, and reported as stale and fresh', async () => {
    const { clock, account, rounds, told } = start();
    await clock.advance(500);
    account.during = () => {
      throw exchangeError('timedOut');
    };
    await clock.advance(14_000);
    account.during = () => {};
    await clock.advance(4_000);
    expect(rounds).toEqual(['0 full', '1000', '2000 full', '4000 full', '8000 full', '16000 full', '17000', '18000']);
    expect(told).toEqual([
      expect.objectContaining({ time: T0 + 10_000, subject: 'account', symbol: '', condition: 'stale' }),
      expect.objectContaining({ time: T0 + 16_000, subject: 'account', symbol: '', condition: 'fresh' }),
    ]);
  });

  test('wait no longer after each failure where some of their questions are answered', async () => {
    const { clock, account, rounds, seen } = start();
    await clock.advance(500);
    let hasAnswers = true;
    account.during = () => {
      if (hasAnswers) account.answers++;
      throw exchangeError('timedOut');
    };
    await clock.advance(3_500);
    hasAnswers = false;
    await clock.advance(10_000);
    expect(rounds).toEqual(['0 full', '1000', '2000 full', '3000 full', '4000 full', '5000 full', '7000 full', '11000 full']);
    expect(seen.filter((line) => line.includes('account failed')).map((line) => Number(line.split(' ').at(-1)))).toEqual([
      // Those of the failed rounds at 1000 to 11000.
      1_000, 1_000, 1_000, 1_000, 2_000, 4_000, 8_000,
    ]);
  });

  test('never overlap, and leave no hint unheard', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ afterMs: fc.integer({ min: 0, max: 700 }), latencyMs: fc.integer({ min: 0, max: 900 }), fails: fc.boolean() }),
        ),
        async (steps) => {
          const { clock, account, latency, rounds, mostRounds } = start();
          for (const { afterMs, latencyMs, fails } of steps) {
            latency.account = latencyMs;
            account.during = () => {
              if (fails) throw exchangeError('timedOut');
            };
            account.hints$.next();
            await clock.advance(afterMs);
          }
          account.during = () => {};
          latency.account = 0;
          await clock.advance(60_000);
          await clock.advance(500 - ((clock.now() - T0) % 1_000) + 1_000);
          const before = rounds.length;
          account.hints$.next();
          await clock.advance(1);
          expect(rounds).toHaveLength(before + 1);
          expect(mostRounds()).toBe(1);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('turns', () => {
  test('are followed by the callback, timers’ too, and never nest', async () => {
    const { clock, hooks, seen, feed, turns, account } = start();
    hooks.afterTurn = () => seen.push('after');
    hooks.onTurn = (item) => {
      if (item.kind !== 'ticker') return;
      hooks.onTurn = () => {};
      account.settled$.next();
      feed.command({ kind: 'ending' });
      seen.push('ticker over');
    };
    turns.schedule(T0 + 500, () => {
      account.settled$.next();
      seen.push('timer over');
    });
    await clock.advance(600);
    expect(seen).toEqual([
      '0: round',
      '0: account turn',
      'after',
      '0: asks market',
      '0: ticker turn',
      'ticker over',
      'after',
      '0: account turn',
      'after',
      '0: ending turn',
      'after',
      'timer over',
      'after',
      '500: account turn',
      'after',
    ]);
  });

  test('that throw end the run with their error', async () => {
    const { clock, hooks, intake, seen } = start();
    hooks.onTurn = () => {
      throw new Error('a strategy broke');
    };
    await clock.advance(5_000);
    await intake.finished;
    expect(intake.failure).toEqual({ error: new Error('a strategy broke') });
    expect(seen).toEqual(['0: round', '0: account turn']);
    expect(clock.pending).toBe(0);
  });

  test.each(['a timer', 'the callback after a turn', 'the account’s round'])('end the run where %s throws', async (what) => {
    const { clock, hooks, intake, turns, account } = start();
    const slip = () => {
      throw new Error('a slip');
    };
    if (what === 'a timer') turns.schedule(T0 + 100, slip);
    else if (what === 'the account’s round') account.during = slip;
    else hooks.afterTurn = slip;
    await clock.advance(200);
    expect(intake.failure).toEqual({ error: new Error('a slip') });
    expect(clock.pending).toBe(0);
  });

  test('follow a health report', async () => {
    const { clock, stub, told, hooks } = start();
    await clock.advance(500);
    stub.latency = () => Promise.reject(exchangeError('timedOut'));
    const seen: string[] = [];
    hooks.onTurn = (item) => item === SETTLED && told.length > 0 && seen.push(`${told.length}`);
    await clock.advance(9_500);
    expect(told).toEqual([expect.objectContaining({ time: T0 + 10_000, subject: 'market', symbol: '', condition: 'stale' })]);
    expect(seen[0]).toBe('1');
  });
});

describe('the end', () => {
  test('comes after waiting events have had their turn, and leaves nothing behind', async () => {
    const { clock, feed, seen, hooks, intake, latency, turns } = start();
    latency.account = 50;
    hooks.onTurn = (item) => {
      if (item.kind !== 'ticker') return;
      feed.command({ kind: 'ending' });
      feed.stop();
      feed.command(SETTLED);
      turns.schedule(T0 + 900, () => seen.push('a timer after the end'));
    };
    await clock.advance(10_000);
    await intake.finished;
    expect(seen.slice(-2)).toEqual(['50: ticker turn', '50: ending turn']);
    expect([intake.failure, clock.pending]).toEqual([undefined, 0]);
  });

  test('while market data waits for the account sends no more requests', async () => {
    const { clock, feed, seen, latency } = start();
    latency.account = 100;
    await clock.advance(50);
    feed.stop();
    await clock.advance(20_000);
    expect([seen, clock.pending]).toEqual([['0: round'], 0]);
  });

  test('keeps commands for the subscriber, and accepts no second one', async () => {
    const { clock, feed, seen, intake } = start({ subscribe: false });
    feed.command({ kind: 'ending' });
    await clock.advance(5_000);
    expect(seen).toEqual([]);
    feed.events$.subscribe(intake);
    expect(seen).toEqual(['5000: ending turn']);
    const other = new FeedSubscriber({ receive: () => {} });
    feed.events$.subscribe(other);
    expect(other.failure?.error).toEqual(expect.objectContaining({ message: expect.stringContaining('one subscriber') }));
  });
});
