import { Observable, type Subscriber } from 'rxjs';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import { type EngineItem, type FeedItem, type MarketFeed, SETTLED } from '../../ports/market-feed.ts';
import type { FeedDelay } from './feed-leg.ts';
import { QuoteRuns } from './quote-runs.ts';
import { QuoteSource, RunTerms } from './quote-source.ts';
import {
  type Breaks,
  type FeedOutlet,
  LOOK_EVERY,
  NEVER_WANTED,
  type Replay,
  type ReplayMonitor,
  replayWhole,
  runDue,
  runOut,
  SourceOrder,
} from './replay.ts';
import type { DataSource } from './row-source.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/**
 * Defines the order of events at one time T:
 *
 * 1. bar closes, quotes, trades, tickers and marks at T reach matching, by (nanoseconds, declared order);
 * 2. strategies receive them, and all consequences are settled;
 * 3. orders, cancels and replies that arrive at T take effect, one by one, each settled;
 * 4. timers at T;
 * 5. funding at T: all of it is charged, then strategies receive it, and all consequences are settled;
 * 6. liquidation of positions that lack margin;
 * 7. bars that open at T, and liquidation of positions that lack margin at these prices.
 *
 * With a feed leg, strategies receive in 2 and 5 the data delivered at T: earlier data, in its order.
 *
 * Times without data (arrivals, timers, deliveries) are separate instants. Marks and funding accompany prices: the replay begins with the
 * first price and ends with the last.
 */
export class Timeline implements Replay {
  marketEvents = 0;
  /** Epoch ms of the first and of the newest market event; `NaN` before the first. */
  firstTime = Number.NaN;
  lastTime = Number.NaN;
  /** The monitor stopped the replay before its end. */
  interrupted = false;
  #sequence = 0;
  readonly #order: SourceOrder;
  readonly #fundings: readonly DataSource[];
  /** The number of market events at which the monitor is called next. */
  #nextLook: number;
  readonly #wanted: Int32Array;
  readonly #runs: QuoteRuns;
  #out: FeedOutlet | undefined;

  constructor(
    private readonly clock: SimulatedClock,
    /** In the declared order of kinds, then of instruments: the tie-break at equal times. */
    private readonly sources: readonly DataSource[],
    private readonly matching: MatchingEngine,
    private readonly monitor: ReplayMonitor | undefined,
    /** The feed leg; without it, strategies receive data as it happens. */
    private readonly feedDelay?: FeedDelay,
  ) {
    this.#order = new SourceOrder(sources);
    this.#fundings = sources.filter(({ funds }) => funds);
    this.#nextLook = monitor === undefined ? Number.POSITIVE_INFINITY : LOOK_EVERY;
    this.#wanted = monitor?.wanted ?? NEVER_WANTED;
    this.#runs = new QuoteRuns(sources, matching, new RunTerms(clock, this.#wanted));
  }

  /** Time of the first price; `Infinity` when there is none. */
  get startTime(): number {
    return this.#order.startTime;
  }

  begin(): void {
    const { startTime } = this;
    for (const source of this.sources) if (source.follows) source.skipTo(startTime);
  }

  advance(engine: FeedOutlet): boolean {
    const wanted = this.#wanted;
    const out = this.#outFor(engine);
    for (let source = this.#order.earliest(); source !== undefined; source = this.#order.earliest()) {
      if (source.follows && !this.#order.pricesLeft) return false;
      if (this.#alone(source)) this.#runAlone(source, out);
      else this.#runInstant(source.time, out);
      if (wanted[0] !== 0 || this.marketEvents >= this.#nextLook) return this.#look();
    }
    return false;
  }

  end(engine: FeedOutlet): void {
    const out = this.#outFor(engine);
    // The data has ended: events on their way are still delivered, and strategies still answer them.
    while (this.#deliveryTime < Number.POSITIVE_INFINITY) this.#runInstant(Number.POSITIVE_INFINITY, out);
    this.#finish(out);
  }

  #outFor(engine: FeedOutlet): FeedOutlet {
    this.#out ??= this.feedDelay?.before(engine) ?? engine;
    return this.#out;
  }

  /** Time at which strategies next receive data that matching already has; `Infinity` without a feed leg. */
  get #deliveryTime(): number {
    return this.feedDelay === undefined ? Number.POSITIVE_INFINITY : this.feedDelay.nextTime;
  }

  /** Nothing else happens before this source's next event is done. */
  #alone({ time }: DataSource): boolean {
    const order = this.#order;
    if (this.feedDelay !== undefined) {
      // The earliest event on its way bounds the time in which a source is alone; with none, the bound is known only after this event.
      const { nextTime } = this.feedDelay;
      if (nextTime === Number.POSITIVE_INFINITY) return false;
      if (nextTime < order.bound) order.bound = nextTime;
    }
    return time < order.bound && time < this.clock.venue.nextTime && time < this.clock.timers.nextTime;
  }

  /**
   * The fast path of nearly every event: while one source comes before all others and before all scheduled callbacks, no events of the same
   * time need to be ordered.
   */
  #runAlone(source: DataSource, out: FeedOutlet): void {
    const quotes = this.feedDelay === undefined && source instanceof QuoteSource ? source : undefined;
    do if (quotes === undefined || !this.#runQuotes(quotes, out)) this.#runNext(source, out);
    while (this.#goesOn(source));
  }

  /** The next event of this source is the next event of all. */
  #goesOn({ time }: DataSource): boolean {
    const { venue, timers } = this.clock;
    if (this.#wanted[0] !== 0 || this.marketEvents >= this.#nextLook) return false;
    return time < this.#order.bound && time < venue.nextTime && time < timers.nextTime;
  }

  #runNext(source: DataSource, out: FeedOutlet): void {
    const { clock, matching } = this;
    const { time, opens } = source;
    clock.advanceTo(time);
    const event = source.deliver(matching, ++this.#sequence);
    if (opens) out.next(SETTLED);
    else if (source.time === time && !source.opens) this.#deliverTogether(time, event!, source, out);
    else {
      this.#count(time, 1);
      out.next(event!);
    }
    if (matching.marginDue) this.#liquidateAlone(time, out);
  }

  /**
   * The fastest path: the engine reads quotes that no order needs.
   * @returns false where there was none.
   */
  #runQuotes(source: QuoteSource, out: FeedOutlet): boolean {
    const { matching } = this;
    const { time } = source;
    const most = this.#nextLook - this.marketEvents;
    const run = this.#runs.begin(source, this.#order.bound, most, this.#sequence);
    if (run === undefined) return false;
    try {
      out.next(run);
    } finally {
      this.#sequence += run.delivered;
      if (run.delivered > 0) this.#count(time, run.delivered, this.clock.now());
    }
    matching.quotes.end();
    if (run.delivered === 0) return false;
    run.finish();
    if (matching.marginDue) this.#liquidateAlone(this.lastTime, out);
    return true;
  }

  /** Everything of one time, in order; earlier arrivals and timers are separate instants. */
  #runInstant(data: number, out: FeedOutlet): void {
    const { venue, timers } = this.clock;
    const time = Math.min(data, venue.nextTime, timers.nextTime, this.#deliveryTime);
    this.clock.advanceTo(time);
    if (data === time) this.#deliverData(time, out);
    this.feedDelay?.deliver(time);
    runDue(venue, time, out);
    runDue(timers, time, out);
    if (data === time && this.#fundings.length > 0) this.#fund(time, out);
    if (this.matching.marginDue) this.#liquidate(out);
    if (data === time) this.#openBars(time, out);
  }

  #count(time: number, events: number, lastTime = time): void {
    if (this.marketEvents === 0) this.firstTime = time;
    this.lastTime = lastTime;
    this.marketEvents += events;
  }

  #look(): boolean {
    this.#nextLook = this.marketEvents + LOOK_EVERY;
    this.interrupted = this.monitor?.look(this.marketEvents, this.clock.now()) === false;
    return !this.interrupted;
  }

  #deliverData(time: number, out: FeedOutlet): void {
    const first = this.#order.nextAt(time);
    if (first === undefined) return;
    const event = first.deliver(this.matching, ++this.#sequence);
    const second = this.#order.nextAt(time);
    if (second !== undefined) {
      this.#deliverTogether(time, event!, second, out);
      return;
    }
    this.#count(time, 1);
    out.next(event!);
  }

  #deliverTogether(time: number, first: MarketEvent, second: DataSource, out: FeedOutlet): void {
    const events = [first];
    for (let source: DataSource | undefined = second; source !== undefined; source = this.#order.nextAt(time)) {
      events.push(source.deliver(this.matching, ++this.#sequence)!);
    }
    this.#count(time, events.length);
    out.next({ kind: 'together', events });
  }

  #fund(time: number, out: FeedOutlet): void {
    const events: MarketEvent[] = [];
    for (const source of this.#fundings) {
      while (source.time === time) events.push(source.deliver(this.matching, ++this.#sequence)!);
    }
    if (events.length === 0) return;
    this.#count(time, events.length);
    out.next(events.length === 1 ? events[0]! : { kind: 'together', events });
    this.feedDelay?.deliver(time);
    runDue(this.clock.venue, time, out);
    runDue(this.clock.timers, time, out);
  }

  #liquidate(out: FeedOutlet): void {
    this.matching.liquidate(this.clock.now());
    out.next(SETTLED);
  }

  /** Arrivals and timers that the event scheduled for its own time come before: their instant checks again. */
  #liquidateAlone(time: number, out: FeedOutlet): void {
    const { venue, timers } = this.clock;
    if (venue.nextTime > time && timers.nextTime > time) this.#liquidate(out);
  }

  #openBars(time: number, out: FeedOutlet): void {
    let opened = false;
    for (let i = 0; i < this.sources.length; i++) {
      const source = this.sources[i]!;
      if (source.time !== time || !source.opens) continue;
      source.deliver(this.matching, ++this.#sequence);
      opened = true;
    }
    if (!opened) return;
    out.next(SETTLED);
    if (this.matching.marginDue) this.#liquidate(out);
  }

  #finish(out: FeedOutlet): void {
    for (const source of this.sources) source.close();
    runOut(this.clock, this.matching, out);
    this.monitor?.look(this.marketEvents, this.clock.now());
  }
}

/** A recording as a market feed: cold; the whole replay happens inside `subscribe`, up to its first pause if it has any. */
export class RecordedFeed implements MarketFeed<EngineItem> {
  readonly events$: Observable<EngineItem>;

  /**
   * @param emitters receives the function that emits an item into the stream, for pauses inside bars.
   * @param breaks see `ReplayMonitor`.
   */
  constructor(replay: Replay, emitters: { emit: (item: FeedItem) => void }, breaks?: Breaks) {
    this.events$ = new Observable((subscriber) => {
      emitters.emit = (item: FeedItem) => subscriber.next(item);
      if (breaks === undefined) {
        replayWhole(replay, subscriber);
        subscriber.complete();
        return;
      }
      breaks.begin();
      replay.begin(subscriber);
      goOn(replay, subscriber, breaks);
    });
  }
}

/** Replays until the end, or until a pause, after which it goes on. */
function goOn(replay: Replay, subscriber: Subscriber<EngineItem>, breaks: Breaks): void {
  while (replay.advance(subscriber)) {
    if (!breaks.isDue()) continue;
    breaks
      .pause()
      .then(() => goOn(replay, subscriber, breaks))
      .catch((error: unknown) => subscriber.error(error));
    return;
  }
  replay.end(subscriber);
  subscriber.complete();
}
