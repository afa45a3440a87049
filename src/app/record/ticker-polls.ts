import { WeightBudget } from '../../exchange/budget/weight-budget.ts';
import { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors/exchange-error.ts';
import { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type MarketPoll, MarketPoller } from '../../venues/rest/polling/market-poller.ts';
import { SteadyClock } from '../../venues/rest/steady-clock.ts';
import type { PricePlaces } from './price-places.ts';
import type { RecorderConfig } from './recorder-schema.ts';

export interface TickerPollOptions {
  readonly places: PricePlaces;
  readonly live: RecorderConfig['live'];
  readonly symbols: readonly string[];
  /** Times in ms: between two polls, and the longest that this may become where the exchange limits, twice over. */
  readonly everyMs: number;
  readonly silentMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly polled: (poll: MarketPoll) => void;
  /** Told of what is no trouble with the exchange; it goes on no further. */
  readonly failed: (error: unknown) => void;
}

/** Looks at the public tickers as a bot does, with no key. @returns ends it. */
export function pollTickers({
  places,
  live,
  symbols,
  everyMs,
  silentMs,
  clock,
  log,
  polled,
  failed,
}: TickerPollOptions): () => Promise<void> {
  const budget = new WeightBudget(new SteadyClock(), live?.budget);
  const settings = { ...live?.timeouts, ...places, readAttempts: 1 };
  const client = new ExchangeClient({ clock, budget, random: Math.random, settings });
  const poller = new MarketPoller({
    client,
    // Of an instrument only the symbol counts here: prices are kept as they come.
    instruments: symbols.map((symbol, index) => new Instrument(index, { symbol, tickSize: '1', stepSize: '1' })),
    clock,
    periodMs: everyMs,
    staleMs: silentMs,
    random: Math.random,
    load: () => budget.load('market'),
    polled,
  });
  const polls = poller.news().subscribe((news) => {
    if (news.kind !== 'failed') return;
    if (news.error instanceof ExchangeError) log.debug('a poll failed', { error: String(news.error), waitMs: news.waitMs });
    else failed(news.error);
  });
  return async () => {
    polls.unsubscribe();
    await client.close();
  };
}
