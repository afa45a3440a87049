import { filter, Observable, race, type Subscriber, Subscription, take, timer } from 'rxjs';
import { ExchangeError } from '../../exchange/errors.ts';
import type { HealthChanged } from '../../model/account-events.ts';
import { invariant } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { type FeedItem, type MarketFeed, SETTLED } from '../../ports/market-feed.ts';
import type { AccountRounds, PolledAccount } from './polling/account-rounds.ts';
import type { MarketNews, MarketPoller } from './polling/market-poller.ts';
import type { PollEvent } from './polling/poll.ts';
import { ClockScheduler, type TurnClock } from './real-clock.ts';

export interface LiveFeedOptions {
  /** Real time, by which polls and waits are timed. */
  readonly clock: Clock;
  /** The engine's time: each item is one turn. The feed watches it, and closes it at the end. */
  readonly turns: TurnClock;
  readonly market: MarketPoller;
  readonly rounds: AccountRounds;
  readonly settled$: PolledAccount['settled$'];
  /** How long market data waits for the account's poll of the same tick, in ms; below `staleMs`. */
  readonly accountFirstMs: number;
  /** The same limit while requests wait for weight, which slows the account's poll. Equal to `accountFirstMs` by default. */
  readonly hurriedMs?: (() => number | undefined) | undefined;
  /** Called before the turn of an item. Events published here come before it. */
  readonly aheadOfTurn?: (() => void) | undefined;
  /** Called as a turn of an item begins, at its time. */
  readonly beforeTurn?: ((item: FeedItem) => void) | undefined;
  /** Called after every turn. An error that it throws ends the run. */
  readonly afterTurn: () => void;
  /** Adds the event to the engine's inbox. A turn follows. */
  readonly report: (event: HealthChanged) => void;
  /** A poll failed. For the log; polling goes on by itself. */
  readonly failed?: ((subject: 'market' | 'account', error: unknown, waitMs: number) => void) | undefined;
}

/**
 * The feed of a live run: prices, turns for account events, and commands, one after another, each in a turn
 * of its own.
 *
 * - On a tick of both grids the account is polled first, then market data. Market data waits for the account for a limited
 *   time; the account never waits for market data.
 * - An error of the exchange never ends the feed. An error of the engine, in whatever turn, and any other error
 *   end it with that error.
 */
export class LiveFeed implements MarketFeed {
  /** For one subscriber, once. */
  readonly events$: Observable<FeedItem>;
  readonly #options: LiveFeedOptions;
  readonly #queue: FeedItem[] = [];
  #out: Subscriber<FeedItem> | undefined;
  #giving = false;
  #stopping = false;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    this.events$ = new Observable((out) => this.#start(out));
  }

  /** Appends an item to the queue; after `stop` it is dropped. */
  command(item: FeedItem): void {
    this.#give(item);
  }

  /** Completes after the turns of all queued items. */
  stop(): void {
    this.#stopping = true;
    this.#drain();
  }

  /** Ends the run with this error. */
  fail(error: unknown): void {
    this.#queue.length = 0;
    this.#out?.error(error);
  }

  #start(out: Subscriber<FeedItem>): Subscription {
    invariant(this.#out === undefined, 'a live feed has one subscriber');
    const { turns, market, rounds, settled$ } = this.#options;
    this.#out = out;
    turns.watch({ ended: () => this.#afterTurn(), failed: (error) => this.fail(error) });
    const links = new Subscription();
    links.add(() => {
      this.#stopping = true;
      this.#queue.length = 0;
      rounds.stop();
      turns.close();
    });
    links.add(settled$.subscribe({ next: () => this.#settle(), error: (error: unknown) => this.fail(error) }));
    // The account's timer first: timers that are due together fire in the order in which they were set.
    rounds.start((event) => this.#onRound(event));
    links.add(market.news((tick) => this.#accountFirst(tick)).subscribe((news) => this.#onNews(news)));
    this.#drain();
    return links;
  }

  #onNews(news: MarketNews): void {
    if (news.kind === 'failed') this.#onFailure('market', news.error, news.waitMs);
    else if (news.kind === 'health') this.#onHealth('market', news.symbol, news);
    else this.#give(news.events.length === 1 ? news.events[0]! : { kind: 'together', events: news.events });
  }

  #onRound(event: PollEvent<void>): void {
    if (event.kind === 'failed') this.#onFailure('account', event.error, event.waitMs);
    else if (event.kind === 'health') this.#onHealth('account', '', event);
  }

  #onFailure(subject: 'market' | 'account', error: unknown, waitMs: number): void {
    if (error instanceof ExchangeError) this.#options.failed?.(subject, error, waitMs);
    else this.fail(error);
  }

  #onHealth(subject: 'market' | 'account', symbol: string, { condition, reason }: Pick<HealthChanged, 'condition' | 'reason'>): void {
    const { report, clock } = this.#options;
    report({ kind: 'healthChanged', time: clock.now(), subject, symbol, condition, reason });
    this.#settle();
  }

  /** Stays unresolved at the end of the run: no more requests are made. */
  #accountFirst(tick: number): Promise<void> {
    const { rounds, clock, hurriedMs } = this.#options;
    const accountFirstMs = hurriedMs?.() ?? this.#options.accountFirstMs;
    if (!rounds.owes(tick)) return Promise.resolve();
    const round$ = rounds.events$.pipe(filter(({ kind }) => kind !== 'health'));
    const first$ = race<unknown[]>(round$, timer(accountFirstMs, new ClockScheduler(clock))).pipe(take(1));
    return new Promise((resolve) => {
      this.#out?.add(first$.subscribe(() => resolve()));
    });
  }

  /** One turn handles all events reported before it, so a second one in a row is not needed. */
  #settle(): void {
    if (this.#queue.at(-1) !== SETTLED) this.#give(SETTLED);
  }

  #give(item: FeedItem): void {
    if (this.#stopping) return;
    this.#queue.push(item);
    this.#drain();
  }

  /** Turns never nest: an item that arrives during a turn waits. */
  #drain(): void {
    const { turns } = this.#options;
    if (this.#out === undefined || this.#giving || turns.turning) return;
    this.#giving = true;
    try {
      for (let item = this.#queue.shift(); item !== undefined; item = this.#queue.shift()) this.#turn(item, this.#out);
      if (this.#stopping) this.#out.complete();
    } finally {
      this.#giving = false;
    }
  }

  /** Calls the subscriber without an operator between, so that an error of the engine is caught here. */
  #turn(item: FeedItem, out: Subscriber<FeedItem>): void {
    const { turns, aheadOfTurn, beforeTurn, afterTurn, rounds } = this.#options;
    try {
      aheadOfTurn?.();
      turns.take(() => {
        beforeTurn?.(item);
        out.next(item);
      });
      afterTurn();
      rounds.arm();
    } catch (error) {
      this.fail(error);
    }
  }

  /** For a turn that a timer started. */
  #afterTurn(): void {
    const { afterTurn, rounds } = this.#options;
    try {
      afterTurn();
      rounds.arm();
    } catch (error) {
      this.fail(error);
    }
    this.#drain();
  }
}
