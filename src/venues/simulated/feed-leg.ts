import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import type { HeldExit, HeldLevels } from '../../ports/execution-venue.ts';
import type { FeedItem } from '../../ports/market-feed.ts';
import { hasFeedLeg, type Latency, type LegDelays, legDelays } from './latency.ts';
import type { FeedOutlet } from './replay.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** Room that is given back once so many items at the front are over. */
const SPENT = 4096;

/**
 * The feed leg: the engine receives prices later than matching, in the order in which they happened; what happened together
 * stays together. A price that would arrive before an earlier one arrives with it. Everything else passes at once.
 */
export class Hearing implements FeedOutlet {
  /** When the next is heard; `Infinity` where nothing is under way. */
  nextTime = Number.POSITIVE_INFINITY;
  #out: FeedOutlet = { next() {} };
  #items: FeedItem[] = [];
  #times: number[] = [];
  #first = 0;
  #last = Number.NEGATIVE_INFINITY;
  #pausedAt = Number.NaN;
  #pauseHeard = Number.NaN;
  readonly #delays: LegDelays;
  /** Prices inside bars come only where somebody asks for them: they draw beside the data, not among them. */
  readonly #pauseDelays: LegDelays;

  /** The hearing of a run; none where prices are heard as they happen. */
  static of(clock: SimulatedClock, latency: Latency): Hearing | undefined {
    return hasFeedLeg(latency) ? new Hearing(clock, latency) : undefined;
  }

  private constructor(
    private readonly clock: SimulatedClock,
    latency: Latency,
  ) {
    this.#delays = legDelays(latency, 'feed');
    this.#pauseDelays = legDelays(latency, 'feed', 'inside');
  }

  /** Stands before `out` from here on. */
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
    const due = item.kind === 'priceInstant' ? this.#heardInside(now) : now + this.#delays(now);
    this.#last = Math.max(this.#last, due);
    if (this.#first === this.#items.length) this.nextTime = this.#last;
    this.#items.push(item);
    this.#times.push(this.#last);
  }

  /** Lets everything be heard that is due by `time`, each a turn. */
  tell(time: number): void {
    while (this.nextTime <= time) {
      const item = this.#items[this.#first++]!;
      this.nextTime = this.#times[this.#first] ?? Number.POSITIVE_INFINITY;
      if (this.#first >= SPENT) this.#shrink();
      this.#out.next(item);
    }
  }

  /** The path of one bar is heard as one. */
  #heardInside(now: number): number {
    if (this.#pausedAt !== now) {
      this.#pausedAt = now;
      this.#pauseHeard = now + this.#pauseDelays(now);
    }
    return this.#pauseHeard;
  }

  #shrink(): void {
    this.#items = this.#items.slice(this.#first);
    this.#times = this.#times.slice(this.#first);
    this.#first = 0;
  }
}

/** Passes matching's questions on to the engine, which is built after its venue. */
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
 * With a feed leg the engine judges what it holds by prices that it hears later. So the path inside a bar pauses at
 * every turn of it, where something is held, and triggers trail when they hear of that, not now.
 */
export class HeardLevels extends HeldLevelsRelay {
  override follow(instrument: Instrument): boolean {
    return this.any(instrument);
  }
}
