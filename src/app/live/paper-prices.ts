import { Observable } from 'rxjs';
import type { PolledTickers, PriceFeed } from '../../local-exchange/feeds.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { FeedItem, MarketFeed } from '../../ports/market-feed.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import type { PublicTickersConfig } from '../config/schema/fields.ts';
import { publicTickers, recordedEvents } from '../local-exchange/price-feeds.ts';

/** What a paper bot's exchange takes its prices from, and the time that goes with them. */
export interface PaperPrices {
  /** Ms of the clock in one ms of the wall. */
  readonly speed: number;
  /** Epoch ms at which a new account begins. */
  readonly start: number;
  /** The one clock of bot and exchange. @param from epoch ms that it does not fall short of. */
  clock(from: number): Clock;
  /** Time that only passes, at the same pace. */
  steady(clock: Clock): Clock;
  /** @param after epoch ms: what is not younger has been played before. */
  feed(clock: Clock, log: Log, after: number): PriceFeed;
}

/** The real exchange's prices as they are now: the time is the wall's. */
export class PublicPrices implements PaperPrices {
  readonly speed = 1;
  readonly start: number;
  readonly #clock = new SystemClock();

  constructor(
    private readonly source: PublicTickersConfig,
    private readonly instruments: readonly Instrument[],
  ) {
    this.start = this.#clock.now();
  }

  clock(): Clock {
    return this.#clock;
  }

  steady(): Clock {
    return new SteadyClock();
  }

  feed(clock: Clock, log: Log): PolledTickers {
    return publicTickers(this.source, this.instruments, clock, log);
  }
}

/** A recording, at its own times and as fast as the config says. */
export class RecordedPrices implements PaperPrices {
  readonly speed: number;
  /** When every instrument has its first price. */
  readonly start: number;
  readonly #open: () => Iterator<MarketEvent>;
  readonly #loop: boolean;

  private constructor(speed: number, loop: boolean, open: () => Iterator<MarketEvent>, instruments: number) {
    this.speed = speed;
    this.#loop = loop;
    this.#open = open;
    this.start = pricedFrom(open, instruments);
  }

  /** @throws TidegateError DATA_NOT_FOUND where the recording has no tickers of an instrument. */
  static async open(
    { recording, speed, loop }: { readonly recording: string; readonly speed: number; readonly loop: boolean },
    dataDir: string,
    instruments: readonly Instrument[],
  ): Promise<RecordedPrices> {
    return new RecordedPrices(speed, loop, await recordedEvents(dataDir, recording, instruments, 'ticker'), instruments.length);
  }

  clock(from: number): Clock {
    return new PacedClock(from, this.speed, () => performance.now());
  }

  steady(clock: Clock): Clock {
    return clock;
  }

  feed(clock: Clock, _log: Log, after: number): RecordingFeed {
    return new RecordingFeed(this.#open, clock, after, this.#loop);
  }
}

/** Epoch ms from which every instrument has a price; the recording's first where that takes longer than a minute. */
export function pricedFrom(open: () => Iterator<MarketEvent>, instruments: number): number {
  const events = open();
  const priced = new Set<unknown>();
  let first = Number.NaN;
  try {
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const { instrument, time, kind } = next.value;
      if (Number.isNaN(first)) first = time;
      if (time > first + 60_000) break;
      if (kind === 'ticker') priced.add(instrument);
      if (priced.size === instruments) return time;
    }
  } finally {
    events.return?.();
  }
  return first;
}

/** Between the end of a recording and its next beginning, in ms. */
const LOOP_GAP_MS = 1_000;
/** Events taken in at once before others get their turn. */
const BURST = 1_000;

/**
 * Plays a recording at its own times, on a clock that began at one of them: what is due when it starts comes at once,
 * what was recorded at one time together. Completes at the end, unless it loops.
 */
export class RecordingFeed implements MarketFeed {
  readonly events$: Observable<FeedItem>;

  /** @param open the events from the start. @param after epoch ms: what is not younger has been played before. */
  constructor(open: () => Iterator<MarketEvent>, clock: Clock, after: number, loop: boolean) {
    this.events$ = new Observable((out) => {
      let events = open();
      let next: IteratorResult<MarketEvent> = events.next();
      const first = next.value?.time ?? 0;
      /** Of the present round: times of the recording plus this are times of the clock. */
      let offset = 0;
      let cancel = () => {};
      const advance = () => {
        const { time } = next.value as MarketEvent;
        next = events.next();
        if (next.done !== true || !loop) return;
        offset += time - first + LOOP_GAP_MS;
        events = open();
        next = events.next();
      };
      const isOver = () => next.done === true;
      const play = () => {
        while (next.done !== true && next.value.time + offset <= after) advance();
        for (let played = 0; next.done !== true && !out.closed; played++) {
          const { time } = next.value;
          const due = time + offset;
          if (due > clock.now() || played >= BURST) {
            cancel = clock.schedule(due, later);
            return;
          }
          const instant: MarketEvent[] = [];
          for (const round = offset; !isOver() && next.value.time === time && offset === round; advance())
            instant.push(next.value as MarketEvent);
          out.next(instant.length === 1 ? instant[0]! : { kind: 'together', events: instant });
        }
        if (isOver()) out.complete();
      };
      // A recording that cannot be read on ends the feed, not the process whose clock calls.
      const later = () => {
        try {
          play();
        } catch (error) {
          out.error(error);
        }
      };
      later();
      return () => {
        cancel();
        events.return?.();
      };
    });
  }
}

/** The longest that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;
/** The most that passes between two looks at the clock, in its ms, however long the process was kept from looking. */
const LONGEST_STEP_MS = 1_000;

/**
 * Wall time that begins at a moment of a recording and passes faster: bot and local exchange of a paper run share one,
 * so that every period and every timeout is in the recording's time. A process that is held up (a busy machine, one that
 * sleeps) does not fall behind: at high speeds some 20 ms would else count as an exchange that has been silent for long.
 */
class PacedClock implements Clock {
  #now: number;
  #seen: number;

  /**
   * @param start epoch ms at which it begins.
   * @param speed its ms in one ms of the wall, at most.
   * @param wall monotonic ms.
   */
  constructor(
    start: number,
    private readonly speed: number,
    private readonly wall: () => number,
  ) {
    this.#now = start;
    this.#seen = wall();
  }

  now(): number {
    const seen = this.wall();
    this.#now += Math.min((seen - this.#seen) * this.speed, LONGEST_STEP_MS);
    this.#seen = seen;
    return this.#now;
  }

  schedule(time: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const ms = Math.ceil(Math.min((time - this.now()) / this.speed, LONGEST_MS));
      timer = setTimeout(() => (this.now() < time ? arm() : callback()), Math.max(0, ms));
    };
    arm();
    return () => clearTimeout(timer);
  }
}
