import { Observable } from 'rxjs';
import type { PolledTickers, PriceFeed } from '../../local-exchange/feeds.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { FeedItem, MarketFeed } from '../../ports/market-feed.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import type { PublicTickersConfig } from '../config/schema/fields.ts';
import { publicTickers, recordedEvents } from '../local-exchange/price-feeds.ts';
import { walkedBars } from './walked-bars.ts';

/** The source of prices of a paper bot's exchange, with its clock. */
export interface PaperPrices {
  /** How many ms of its clock pass in one ms of the wall clock. */
  readonly speed: number;
  /** Epoch ms at which a new account begins. */
  readonly start: number;
  /** The clock that bot and exchange share. @param from epoch ms at which it starts, at least. */
  clock(from: number): Clock;
  /** A clock that never goes back, with the same speed. */
  steady(clock: Clock): Clock;
  /** @param after epoch ms: events at or before it have been replayed already. */
  feed(clock: Clock, log: Log, after: number): PriceFeed;
}

/** The real exchange's present prices, with the wall clock. */
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

/** The settings of a replay. */
interface Replay {
  readonly recording: string;
  /** The kind of recorded prices. */
  readonly use: 'ticker' | 'bar';
  readonly speed: number;
  readonly loop: boolean;
}

/** A recording, replayed at its own times with the config's speed. */
export class RecordedPrices implements PaperPrices {
  readonly speed: number;
  /** The time at which every instrument has a price. */
  readonly start: number;
  readonly #open: () => Iterator<MarketEvent>;
  readonly #loop: boolean;

  private constructor(speed: number, loop: boolean, open: () => Iterator<MarketEvent>, instruments: number) {
    this.speed = speed;
    this.#loop = loop;
    this.#open = open;
    this.start = pricedFrom(open, instruments);
  }

  /** Opens the recording. @throws TidegateError DATA_NOT_FOUND if it has no tickers (with `use: bar`: no bars) of an instrument. */
  static async open({ recording, use, speed, loop }: Replay, dataDir: string, instruments: readonly Instrument[]): Promise<RecordedPrices> {
    const events = (some: readonly Instrument[]) => recordedEvents(dataDir, recording, some, use);
    try {
      const open = use === 'bar' ? walkedBars(await Promise.all(instruments.map((one) => events([one])))) : await events(instruments);
      return new RecordedPrices(speed, loop, open, instruments.length);
    } catch (error) {
      if (use === 'bar' || !(error instanceof TidegateError) || error.code !== 'DATA_NOT_FOUND') throw error;
      if (!(await hasBars(dataDir, recording, instruments))) throw error;
      const hint = 'set paper.prices.use to bar to replay its bars, each as four prices';
      throw new TidegateError('DATA_NOT_FOUND', `${error.message} (${hint})`, { cause: error });
    }
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

async function hasBars(dataDir: string, recording: string, instruments: readonly Instrument[]): Promise<boolean> {
  try {
    await recordedEvents(dataDir, recording, instruments, 'bar');
    return true;
  } catch {
    return false;
  }
}

/** Epoch ms from which every instrument has a price; if that takes longer than a minute, the recording's first time. */
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

/** The time between the end of a recording and its next round, in ms. */
const LOOP_GAP_MS = 1_000;
/** The largest number of events that are emitted before other work gets its turn. */
const BURST = 1_000;

/**
 * Replays a recording at its own times, on a clock that starts at one of them. Events that are due at the start are emitted at once, and
 * events of the same time together. Completes at the end, unless it loops.
 */
export class RecordingFeed implements MarketFeed {
  readonly events$: Observable<FeedItem>;

  /** @param open the events from the start. @param after epoch ms: events at or before it have been replayed already. */
  constructor(open: () => Iterator<MarketEvent>, clock: Clock, after: number, loop: boolean) {
    this.events$ = new Observable((out) => {
      let events = open();
      let next: IteratorResult<MarketEvent> = events.next();
      const first = next.value?.time ?? 0;
      /** The offset of the present round: time of the recording + offset = time of the clock. */
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
      // A read error ends the feed, and not the process, whose clock calls this.
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

/** The longest delay of a timer in Node, in ms. */
const LONGEST_MS = 2 ** 31 - 1;
/** The largest step of the clock between two readings, in its ms, also after the process was suspended. */
const LONGEST_STEP_MS = 1_000;

/**
 * A clock that starts at a moment of a recording and runs faster than the wall clock. Bot and local exchange of a paper run share one, so
 * every period and time-out is in the recording's time. A delay of the process (a busy machine, or one that sleeps) stops the clock:
 * otherwise, at high speeds, a delay of 20 ms would look like an exchange that has not replied for a long time.
 */
class PacedClock implements Clock {
  #now: number;
  #seen: number;

  /**
   * @param start epoch ms at which it begins.
   * @param speed the most ms that pass in one ms of the wall clock.
   * @param wall a monotonic clock in ms.
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
