import { Observable, Subscription } from 'rxjs';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import { FundingReads, type FundingSource, type Payment } from './funding-reads.ts';
import { Poll, type PollEvent, StaleWatch } from './poll.ts';
import { type Answers, type Price, PriceBoard, priceSources, type TickerClient } from './price-source.ts';

/** Times in ms. */
export interface MarketPollerOptions {
  /** Should try each request once: the poller retries by itself, and waits for its slowest request. */
  readonly client: TickerClient;
  readonly instruments: readonly Instrument[];
  readonly clock: Clock;
  readonly periodMs: number;
  readonly staleMs: number;
  readonly random: () => number;
  /** See `PollOptions`. */
  readonly load?: (() => number) | undefined;
  readonly maxBackoffMs?: number | undefined;
  /** Sequence of the last market event before this run; 0 by default. */
  readonly sequence?: number | undefined;
  /** Publishes the funding payments of contracts too. */
  readonly funding?: FundingSource | undefined;
  /** Called with the result of every poll before its news are published, for recorders. It must not throw. */
  readonly polled?: ((poll: MarketPoll) => void) | undefined;
}

/** The result of one poll, whether anything has changed or not. */
export interface MarketPoll extends Answers {
  /** Epoch ms at which all answers had arrived. */
  readonly time: number;
}

export type MarketNews =
  /** The changes that one poll found, by instrument; never empty. */
  | { readonly kind: 'prices'; readonly events: readonly MarketEvent[] }
  /** An empty symbol means all instruments together. */
  | { readonly kind: 'health'; readonly symbol: string; readonly condition: 'fresh' | 'stale'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: unknown; readonly waitMs: number };

/** Answers that wait for the other host's answer of the same tick. */
interface Found {
  readonly prices: Price[];
  readonly missing: Answers['missing'][number][];
  readonly payments: Payment[];
}

/** From one read of the funding payments to the next, in ms. */
const FUNDING_WAIT_MS = 60_000;

/**
 * The exchange's tickers as market events: `Ticker` for last prices, `Mark` for the mark prices of contracts, each when
 * it has changed; and `Funding` for their payments, once each.
 *
 * - The two hosts are polled separately on one grid. Their answers for one tick are published together; the quicker one
 *   waits for the other half a period at most.
 * - An instrument is stale when the exchange has sent no valid price for `staleMs`: it fails, leaves the pair out, or
 *   sends an older price. A price or a time stamp that stays the same is not stale: the stamp
 *   may be that of the last trade, and quiet pairs trade seldom.
 * - Prices never wait for funding. Payments that arrive with the prices are published after them, others half a period later at most.
 */
export class MarketPoller {
  readonly #options: MarketPollerOptions;
  readonly #board: PriceBoard;
  #polls: readonly Poll<Answers>[] = [];

  constructor(options: MarketPollerOptions) {
    this.#options = options;
    this.#board = new PriceBoard(options.sequence ?? 0);
  }

  /** The present period, in ms: the longer one of the two hosts. */
  get periodMs(): number {
    return Math.max(this.#options.periodMs, ...this.#polls.map((poll) => poll.periodMs));
  }

  /** Sequence of the newest event. */
  get sequence(): number {
    return this.#board.lastSequence;
  }

  /** Polls while there is a subscriber. @param before awaited before each request. */
  news(before: (tick: number) => Promise<void> = () => Promise.resolve()): Observable<MarketNews> {
    return new Observable((out) => {
      const { client, instruments, clock, staleMs, periodMs, random, funding, maxBackoffMs = 30_000 } = this.#options;
      const backOff = { firstMs: periodMs, mostMs: maxBackoffMs, random };
      const watch = new StaleWatch({
        clock,
        staleMs,
        symbols: instruments.map(({ symbol }) => symbol),
        report: (symbol, condition, reason) => out.next({ kind: 'health', symbol, condition, reason }),
      });
      const found: Found = { prices: [], missing: [], payments: [] };
      let cancelFlush: (() => void) | undefined;
      const flushSoon = () => {
        cancelFlush ??= clock.schedule(clock.now() + periodMs / 2, flush);
      };
      const contracts = instruments.filter(({ kind }) => kind === 'futures');
      const reads = funding === undefined ? undefined : new FundingReads(funding, contracts);
      const readFunding = () => {
        for (const read of reads?.start(clock.now()) ?? []) {
          read.then(
            (payments) => {
              if (out.closed || payments.length === 0) return;
              found.payments.push(...payments);
              flushSoon();
            },
            (error: unknown) => out.next({ kind: 'failed', error, waitMs: FUNDING_WAIT_MS }),
          );
        }
      };
      const sources = priceSources(client, instruments, clock, backOff);
      const fetchFrom = (source: (typeof sources)[number]) => async (tick: number) => {
        await before(tick);
        readFunding();
        return source.request();
      };
      this.#polls = sources.map((source) => new Poll({ ...this.#options, fetch: fetchFrom(source) }));
      const flush = () => {
        cancelFlush?.();
        cancelFlush = undefined;
        const events = this.#publish(found, watch);
        if (events.length > 0) out.next({ kind: 'prices', events });
        watch.review();
      };
      watch.start();
      const collect = (event: PollEvent<Answers>, instruments: readonly Instrument[]) => {
        if (event.kind === 'health') return;
        if (event.kind === 'answered') {
          found.prices.push(...event.value.prices);
          found.missing.push(...event.value.missing);
        } else {
          found.missing.push(...instruments.map((instrument) => ({ instrument, reason: String(event.error) })));
          out.next({ kind: 'failed', error: event.error, waitMs: event.waitMs });
        }
        if (!this.#polls.some((poll) => poll.owes(event.tick))) flush();
        else flushSoon();
      };
      const polls = new Subscription();
      this.#polls.forEach((poll, index) => {
        polls.add(poll.events$.subscribe((event) => collect(event, sources[index]!.instruments)));
      });
      return () => {
        polls.unsubscribe();
        cancelFlush?.();
        watch.stop();
      };
    });
  }

  /** Numbers events in the order of the instruments, whichever host replied first. */
  #publish(found: Found, watch: StaleWatch): readonly MarketEvent[] {
    const now = this.#options.clock.now();
    const prices = found.prices.splice(0).sort((a, b) => a.instrument.index - b.instrument.index);
    const missing = found.missing.splice(0);
    this.#options.polled?.({ time: now, prices, missing });
    for (const { instrument, reason } of missing) watch.missed(instrument.symbol, reason);
    const changes = prices.flatMap((price) => {
      const { symbol } = price.instrument;
      const events = this.#board.take(price, now);
      if (events === undefined) watch.missed(symbol, `its ticker (${price.last} at ${price.stamp}) is none, or older than the one before`);
      else watch.received(symbol);
      return events ?? [];
    });
    const payments = found.payments.splice(0).sort((a, b) => a.instrument.index - b.instrument.index || a.time - b.time);
    return [...changes, ...payments.map((payment) => this.#board.pay(payment))];
  }
}
