import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import { type FeedItem, SETTLED } from '../../ports/market-feed.ts';
import type { DataSource } from './data-source.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** Looks in on a replay now and then. */
export interface ReplayMonitor {
  /** Called every so many events and at the end. @returns false to stop the replay here. */
  look(marketEvents: number, time: number): boolean;
}

const LOOK_EVERY = 4096;

/**
 * Owns the order of things at one time T:
 *
 * 1. bar closes, quotes, trades and tickers at T reach matching, by (nanoseconds, declared order);
 * 2. strategies see them, and what they cause settles;
 * 3. orders, cancels and replies that arrive at T take effect, one by one, each settled;
 * 4. timers at T;
 * 5. bars that open at T.
 *
 * Times without data (arrivals, timers) are instants of their own.
 */
export class Timeline {
  marketEvents = 0;
  /** Epoch ms of the first and of the newest market event; `NaN` before the first. */
  firstTime = Number.NaN;
  lastTime = Number.NaN;
  /** The monitor stopped the replay before its end. */
  interrupted = false;
  #sequence = 0;
  #batch: MarketEvent[] = [];

  constructor(
    private readonly clock: SimulatedClock,
    /** In the declared order of kinds, then of instruments: the tie-break at equal times. */
    private readonly sources: readonly DataSource[],
    private readonly matching: MatchingEngine,
    private readonly monitor: ReplayMonitor | undefined,
  ) {}

  /** When the first datum comes; `Infinity` when there is none. */
  get startTime(): number {
    return this.#nextDataTime();
  }

  /** Replays everything into `emit`, which returns when the engine has taken its turn. */
  run(emit: (item: FeedItem) => void): void {
    const { clock } = this;
    let nextLook = LOOK_EVERY;
    for (;;) {
      const data = this.#nextDataTime();
      if (data === Number.POSITIVE_INFINITY) break;
      const time = Math.min(data, clock.venue.nextTime, clock.timers.nextTime);
      clock.advanceTo(time);
      if (data === time) this.#deliverData(time, emit);
      this.#runDue(clock.venue, time, emit);
      this.#runDue(clock.timers, time, emit);
      if (data === time) this.#openBars(time, emit);
      if (this.marketEvents < nextLook) continue;
      nextLook = this.marketEvents + LOOK_EVERY;
      if (this.monitor?.look(this.marketEvents, time) !== false) continue;
      this.interrupted = true;
      break;
    }
    this.#finish(emit);
  }

  #nextDataTime(): number {
    let time = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.sources.length; i++) {
      const next = this.sources[i]!.time;
      if (next < time) time = next;
    }
    return time;
  }

  #deliverData(time: number, emit: (item: FeedItem) => void): void {
    const batch = this.#batch;
    let size = 0;
    for (let source = this.#nextAt(time); source !== undefined; source = this.#nextAt(time)) {
      const event = source.deliver(this.matching, ++this.#sequence);
      if (event !== undefined) batch[size++] = event;
    }
    if (size === 0) return;
    if (this.marketEvents === 0) this.firstTime = time;
    this.lastTime = time;
    this.marketEvents += size;
    for (let i = 0; i < size; i++) emit(batch[i]!);
    emit(SETTLED);
  }

  /** The source whose datum at `time` comes first; opens come later. */
  #nextAt(time: number): DataSource | undefined {
    let found: DataSource | undefined;
    for (let i = 0; i < this.sources.length; i++) {
      const source = this.sources[i]!;
      if (source.time !== time || source.opens) continue;
      if (found === undefined || source.nanos < found.nanos) found = source;
    }
    return found;
  }

  #openBars(time: number, emit: (item: FeedItem) => void): void {
    let opened = false;
    for (let i = 0; i < this.sources.length; i++) {
      const source = this.sources[i]!;
      if (source.time !== time || !source.opens) continue;
      source.deliver(this.matching, ++this.#sequence);
      opened = true;
    }
    if (opened) emit(SETTLED);
  }

  #runDue(schedule: SimulatedClock['timers'], time: number, emit: (item: FeedItem) => void): void {
    while (schedule.nextTime <= time) {
      schedule.runNext();
      emit(SETTLED);
    }
  }

  /** The data is over: strategies stop, what is under way still arrives, what is open then ends. */
  #finish(emit: (item: FeedItem) => void): void {
    for (const source of this.sources) source.close();
    this.matching.stand();
    emit({ kind: 'ending' });
    this.#drainVenue(emit);
    this.matching.expireAll(this.clock.now());
    this.#drainVenue(emit);
    emit(SETTLED);
    this.monitor?.look(this.marketEvents, this.clock.now());
  }

  #drainVenue(emit: (item: FeedItem) => void): void {
    const { clock } = this;
    while (clock.venue.nextTime < Number.POSITIVE_INFINITY) {
      clock.advanceTo(clock.venue.nextTime);
      this.#runDue(clock.venue, clock.now(), emit);
    }
  }
}
