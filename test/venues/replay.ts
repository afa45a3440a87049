import type { QuotesUnderWay } from '../../src/matching/book-matching.ts';
import type { MatchingEngine } from '../../src/matching/matching-engine.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Bar, MarketEvent, MarketEventKind } from '../../src/model/market-events.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { FeedDelay } from '../../src/venues/simulated/feed-leg.ts';
import type { Latency } from '../../src/venues/simulated/latency.ts';
import { type ReplayMonitor, replayWhole } from '../../src/venues/simulated/replay.ts';
import type { DataSource } from '../../src/venues/simulated/row-source.ts';
import { SimulatedClock } from '../../src/venues/simulated/simulated-clock.ts';
import { createSource } from '../../src/venues/simulated/sources.ts';
import { Timeline } from '../../src/venues/simulated/timeline.ts';
import { at, instrument, perpetual, type Row, type SeriesOptions, secondsOf, series } from '../builders.ts';

export const BTC = instrument({ symbol: 'BTC-USDT' }, 0);
export const ETH = instrument({ symbol: 'ETH-USDT' }, 1);
export const PERP = perpetual({ symbol: 'PERP-USDT-PERP' }, 2);

export interface SourceSpec extends SeriesOptions {
  readonly kind: MarketEventKind;
  readonly of?: Instrument;
  readonly rows: readonly Row[];
}

/** What the timeline asks of matching beyond prices. */
export interface MarginRoom {
  /** A position may lack margin. */
  marginDue: boolean;
}

export interface ReplayOptions {
  readonly from?: number;
  readonly to?: number;
  readonly monitor?: ReplayMonitor;
  /** How late strategies hear; by default at once. */
  readonly latency?: Partial<Latency>;
  /** Sources beside the series, after them in the declared order. */
  readonly more?: readonly DataSource[];
  /** Whether quotes may come as runs; by default each is told to matching. */
  readonly runs?: boolean;
  /** Of which instruments they may; by default of all. */
  readonly follows?: (of: Instrument) => boolean;
}

export interface Replay {
  /** What reached matching, what the engine was told, and what the test noted: in order, as short texts. */
  readonly log: string[];
  readonly events: MarketEvent[];
  readonly clock: SimulatedClock;
  readonly timeline: Timeline;
  readonly matching: MarginRoom;
  note(text: string): void;
  /** Reacts to what the engine is told. */
  onItem(react: (item: FeedItem) => void): void;
  /** Reacts inside matching to what reaches it, an open included: `60 btc bar`, `60 btc opens`. */
  onReached(react: (text: string) => void): void;
  /** What matching does where an order arrives in a turn of a run of quotes. */
  stopRun(): void;
  run(): Replay;
}

/** The real timeline, sources and clock between a matching and an engine that only write down what comes. */
export function replay(specs: readonly SourceSpec[], options: ReplayOptions = {}): Replay {
  const {
    from = Number.NEGATIVE_INFINITY,
    to = Number.POSITIVE_INFINITY,
    monitor,
    more = [],
    latency,
    runs = false,
    follows = () => true,
  } = options;
  const log: string[] = [];
  const events: MarketEvent[] = [];
  const clock = new SimulatedClock();
  let react: (item: FeedItem) => void = () => {};
  let reactInside: (text: string) => void = () => {};
  const name = (of: Instrument) => of.base.toLowerCase();
  const reached = (event: MarketEvent) => {
    log.push(`${secondsOf(event.time)} ${name(event.instrument)} ${event.kind} matched`);
    reactInside(`${secondsOf(event.time)} ${name(event.instrument)} ${event.kind}`);
  };
  let under: QuotesUnderWay | undefined;
  const matching = {
    marginDue: false,
    quotes: {
      follows: (of: Instrument) => runs && follows(of),
      begin: (run: QuotesUnderWay) => {
        under = run;
      },
      end: () => {},
    },
    openBar: (of: Instrument, time: number) => {
      log.push(`${secondsOf(time)} ${name(of)} opens`);
      reactInside(`${secondsOf(time)} ${name(of)} opens`);
    },
    closeBar: (bar: Bar) => reached(bar),
    onQuote: reached,
    onTrade: reached,
    onTicker: reached,
    onMark: reached,
    onFunding: reached,
    liquidate: (time: number) => {
      matching.marginDue = false;
      log.push(`${secondsOf(time)} liquidates`);
    },
    useLastPrice: () => log.push('useLastPrice'),
    expireAll: (time: number) => log.push(`${secondsOf(time)} expireAll`),
  };
  const sources = specs.map(({ kind, of = BTC, rows, ...rest }) => createSource(kind, of, series(kind, rows, rest), from, to));
  const feedDelay = FeedDelay.of(clock, { entryMs: 0, cancelMs: 0, responseMs: 0, ...latency });
  const timeline = new Timeline(clock, [...sources, ...more], matching as unknown as MatchingEngine, monitor, feedDelay);
  const self: Replay = {
    log,
    events,
    clock,
    timeline,
    matching,
    note: (text) => log.push(`${secondsOf(clock.now())} ${text}`),
    onItem(given) {
      react = given;
    },
    onReached(given) {
      reactInside = given;
    },
    stopRun: () => {
      under?.stop();
      const newest: string[] = [];
      under?.takeNewest((quote) => newest.push(`${secondsOf(quote.time)} ${name(quote.instrument)}`));
      log.push(`newest ${newest.join(', ')}`);
    },
    run() {
      replayWhole(timeline, {
        next(item) {
          if (item.kind === 'quotes' || item.kind === 'mergedRun') {
            log.push(item.kind === 'mergedRun' ? 'mergedRun' : 'run');
            for (let quote = item.nextQuote(); quote !== undefined; quote = item.nextQuote()) this.next(quote);
            return;
          }
          const seen = item.kind === 'together' ? item.events : 'sequence' in item && item.kind !== 'priceInstant' ? [item] : [];
          events.push(...seen);
          if (seen.length > 0)
            log.push(`${secondsOf(clock.now())} sees ${seen.map((event) => `${name(event.instrument)} ${event.kind}`).join(' + ')}`);
          else log.push(item.kind);
          react(item);
        },
      });
      return self;
    },
  };
  return self;
}

export { at };
