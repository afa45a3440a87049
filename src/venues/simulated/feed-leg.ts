import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import type { HeldExit, HeldLevels } from '../../ports/execution-venue.ts';
import type { FeedItem } from '../../ports/market-feed.ts';
import { hasFeedLeg, type Latency, type LegDelays, legDelays } from './latency.ts';
import type { FeedOutlet } from './replay.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** Array space is released once this many items at the front are used. */
const SPENT = 4096;

/**
 * The feed leg: the engine receives prices later than matching, in their order; events of the same time stay together. A price that would
 * arrive before an earlier one arrives with it. Everything else passes at once.
 */
export class FeedDelay implements FeedOutlet {
  /** Time of the next delivery; `Infinity` where nothing is on its way. */
  nextTime = Number.POSITIVE_INFINITY;
  #out: FeedOutlet = { next() {} };
  #items: FeedItem[] = [];
  #times: number[] = [];
  #first = 0;
  #last = Number.NEGATIVE_INFINITY;
  #pausedAt = Number.NaN;
  #pauseDue = Number.NaN;
  readonly #delays: LegDelays;
  /** Prices inside bars are delivered only when requested, so they have their own random stream. */
  readonly #pauseDelays: LegDelays;

  /** The feed leg of a run; `undefined` where prices are delivered as they happen. */
  static of(clock: SimulatedClock, latency: Latency): FeedDelay | undefined {
    return hasFeedLeg(latency) ? new FeedDelay(clock, latency) : undefined;
  }

  private constructor(
    private readonly clock: SimulatedClock,
    latency: Latency,
  ) {
    this.#delays = legDelays(latency, 'feed');
    this.#pauseDelays = legDelays(latency, 'feed', 'inside');
  }

  /** Puts the feed leg in front of `out`. */
  before(out: FeedOutlet): FeedOutlet {
    this.#out = out;
    return this;
  }

  next(item: FeedItem): void {
    if (item.kind === 'settled' || item.kind === 'ending') {
      this.#out.next(item);
      return;
    }
    const now = this.clock.now();
    const due = item.kind === 'priceInstant' ? this.#insideDue(now) : now + this.#delays(now);
    this.#last = Math.max(this.#last, due);
    if (this.#first === this.#items.length) this.nextTime = this.#last;
    this.#items.push(item);
    this.#times.push(this.#last);
  }

  /** Delivers everything that is due by `time`, each in its own turn. */
  deliver(time: number): void {
    while (this.nextTime <= time) {
      const item = this.#items[this.#first++]!;
      this.nextTime = this.#times[this.#first] ?? Number.POSITIVE_INFINITY;
      if (this.#first >= SPENT) this.#shrink();
      this.#out.next(item);
    }
  }

  /** The path of one bar is delivered as a whole. */
  #insideDue(now: number): number {
    if (this.#pausedAt !== now) {
      this.#pausedAt = now;
      this.#pauseDue = now + this.#pauseDelays(now);
    }
    return this.#pauseDue;
  }

  #shrink(): void {
    this.#items = this.#items.slice(this.#first);
    this.#times = this.#times.slice(this.#first);
    this.#first = 0;
  }
}

/** Forwards matching's questions to the engine, which is built after its venue. */
export class HeldLevelsRelay implements HeldLevels {
  target: HeldLevels | undefined;

  opens(instrument: Instrument, time: number, priceTicks: number): boolean {
    return this.target?.opens(instrument, time, priceTicks) ?? false;
  }

  any(instrument: Instrument): boolean {
    return this.target?.any(instrument) ?? false;
  }

  next(instrument: Instrument, from: number, to: number): number | undefined {
    return this.target?.next(instrument, from, to);
  }

  follow(instrument: Instrument, priceTicks: number): boolean {
    return this.target?.follow(instrument, priceTicks) ?? false;
  }

  passedAsleep(instrument: Instrument): boolean {
    return this.target?.passedAsleep(instrument) ?? false;
  }

  moves(instrument: Instrument): boolean {
    return this.target?.moves(instrument) ?? false;
  }

  exits(instrument: Instrument): readonly HeldExit[] {
    return this.target?.exits(instrument) ?? [];
  }

  trails(instrument: Instrument, highTicks: number, lowTicks: number): boolean {
    return this.target?.trails(instrument, highTicks, lowTicks) ?? false;
  }

  hasEntry(instrument: Instrument, side: Side): boolean {
    return this.target?.hasEntry(instrument, side) ?? false;
  }
}

/**
 * With a feed leg, the engine compares its held orders with prices that it receives later. So the path inside a bar pauses at each of its
 * turning points while an order is held, and trailing triggers move when the price is delivered, not when it happens.
 */
export class DelayedHeldLevels extends HeldLevelsRelay {
  override follow(instrument: Instrument): boolean {
    return this.any(instrument);
  }
}
