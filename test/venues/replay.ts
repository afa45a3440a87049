import type { MatchingEngine } from '../../src/matching/matching-engine.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Bar, MarketEvent, MarketEventKind } from '../../src/model/market-events.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { createSource } from '../../src/venues/simulated/create-source.ts';
import { SimulatedClock } from '../../src/venues/simulated/simulated-clock.ts';
import { type ReplayMonitor, Timeline } from '../../src/venues/simulated/timeline.ts';
import { at, instrument, type Row, type SeriesOptions, secondsOf, series } from '../builders.ts';

export const BTC = instrument({ symbol: 'BTC-USDT' }, 0);
export const ETH = instrument({ symbol: 'ETH-USDT' }, 1);

export interface SourceSpec extends SeriesOptions {
  readonly kind: MarketEventKind;
  readonly of?: Instrument;
  readonly rows: readonly Row[];
}

export interface Replay {
  /** What reached matching, what the engine was told, and what the test noted: in order, as short texts. */
  readonly log: string[];
  readonly events: MarketEvent[];
  readonly clock: SimulatedClock;
  readonly timeline: Timeline;
  note(text: string): void;
  /** Reacts to what the engine is told. */
  onItem(react: (item: FeedItem) => void): void;
  run(): Replay;
}

/** The real timeline, sources and clock between a matching and an engine that only write down what comes. */
export function replay(specs: readonly SourceSpec[], options: { from?: number; to?: number; monitor?: ReplayMonitor } = {}): Replay {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, monitor } = options;
  const log: string[] = [];
  const events: MarketEvent[] = [];
  const clock = new SimulatedClock();
  let react: (item: FeedItem) => void = () => {};
  const name = (of: Instrument) => of.base.toLowerCase();
  const reached = (event: MarketEvent) => log.push(`${secondsOf(event.time)} ${name(event.instrument)} ${event.kind} matched`);
  const matching = {
    openBar: (of: Instrument, time: number) => log.push(`${secondsOf(time)} ${name(of)} opens`),
    closeBar: (bar: Bar) => reached(bar),
    onQuote: reached,
    onTrade: reached,
    onTicker: reached,
    stand: () => log.push('stand'),
    expireAll: (time: number) => log.push(`${secondsOf(time)} expireAll`),
  } as unknown as MatchingEngine;
  const sources = specs.map(({ kind, of = BTC, rows, ...rest }) => createSource(kind, of, series(kind, rows, rest), from, to));
  const timeline = new Timeline(clock, sources, matching, monitor);
  const self: Replay = {
    log,
    events,
    clock,
    timeline,
    note: (text) => log.push(`${secondsOf(clock.now())} ${text}`),
    onItem(given) {
      react = given;
    },
    run() {
      timeline.run({
        next(item) {
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
