import { BarBuilder } from '../model/bar-builder.ts';
import { type BarInterval, longestBarMs } from '../model/bar-interval.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent } from '../model/market-events.ts';
import type { Clock } from '../ports/clock.ts';

/** The bars that the engine builds, and their source; recorded bars of the same interval are never built again. */
export interface BarPlan {
  readonly from: 'ticker' | 'trade' | 'bar';
  /** Intervals to build, by instrument index. */
  readonly intervals: readonly (readonly BarInterval[])[];
  /**
   * A bar is closed this many ms after its end if no later price comes. The first price of a bar built from tickers or trades
   * may be at most this late after its start.
   */
  readonly graceMs: number;
  /** If the prices of an earlier run ended at most this many ms before the first price of this one, its bars continue. 0 by default. */
  readonly awayMs?: number | undefined;
  /** Prices from before the run, by instrument index; left out if there are none. */
  readonly before?: readonly (PricesBefore | undefined)[] | undefined;
  /** Epoch ms at which the period of the run ends; without it, only the data ends it. */
  readonly to?: number | undefined;
  /** Recorded bars arrive later than they end: longer bars wait for them, for `graceMs`. */
  readonly delayed?: boolean | undefined;
  /** Bars that are open at the start, with all their prices so far: they are complete, even if the run saw none of these. */
  readonly open?: readonly Bar[] | undefined;
}

/** Prices of one instrument from before a run. */
export interface PricesBefore {
  /** Epoch ms of the first of them (for bars: the open). */
  readonly firstTime: number;
  /** The unfinished bars at the start of the run. */
  readonly begun: readonly Bar[];
  /** The newest bars that an earlier run published, at most one for each interval: they are not published again. */
  readonly published?: readonly Bar[];
  /** Epoch ms of the last of them, if more may have come before the start of the run. */
  readonly lastTime?: number;
}

/** Receives what happens to bars outside any market event. */
interface BarReceiver {
  /** A bar that the grace period closed. */
  late(bar: Bar): void;
  /** An incomplete bar has ended, which is not published. */
  passed(): void;
}

/**
 * Builds the bars that strategies need from prices, the same way in every mode. A bar that began before the first known
 * price is incomplete, and is not published.
 */
export class BarMaker {
  /** True when there is nothing to build in this run. */
  readonly idle: boolean;
  readonly #builders: readonly (readonly BarBuilder[])[];
  /** Bars that begin earlier are incomplete, by instrument index, in epoch ms; `NaN` before the first price. */
  readonly #wholeFrom: Float64Array;
  /** Prices of earlier runs, by instrument index. They count if prices continue in time. */
  readonly #earlier: (PricesBefore | undefined)[] = [];
  /** Builders of bars that were open at the start and are complete. */
  readonly #complete = new Set<BarBuilder>();
  /** The most shorter bars that a longer bar of the run has had. */
  readonly #fullest = new Map<BarBuilder, number>();

  constructor(
    instruments: readonly Instrument[],
    private readonly plan: BarPlan,
    private readonly clock: Clock,
    private readonly receiver: BarReceiver,
  ) {
    this.idle = plan.intervals.every((intervals) => intervals.length === 0);
    this.#builders = instruments.map((instrument) =>
      [...(plan.intervals[instrument.index] ?? [])]
        .sort((a, b) => longestBarMs(a) - longestBarMs(b))
        .map((interval) => new BarBuilder(instrument, interval)),
    );
    this.#wholeFrom = new Float64Array(instruments.length).fill(Number.NaN);
    plan.before?.forEach((before, index) => {
      if (before !== undefined) this.#goOn(index, before);
    });
    for (const bar of plan.open ?? []) this.#complement(bar);
  }

  /** The run begins: sets the end of the unfinished bars. */
  start(): void {
    for (const builder of this.#builders.flat()) if (builder.endTime < Number.POSITIVE_INFINITY) this.#closeLate(builder);
  }

  /**
   * The recording is over. A longer bar whose end no shorter bar has reached is complete if the period of the run reaches its end, or if it
   * has as many shorter bars as the fullest one of the run: five trading days are a week.
   */
  end(complete: (bar: Bar) => void): void {
    const { from, to = Number.NEGATIVE_INFINITY } = this.plan;
    if (from !== 'bar') return;
    for (const builder of this.#builders.flat()) {
      const isFull = builder.parts > 1 && builder.parts === this.#fullest.get(builder);
      if (builder.endTime < Number.POSITIVE_INFINITY && (builder.endTime <= to || isFull)) this.#close(builder, complete);
    }
  }

  /** Whether a bar of these intervals that ends at `time` is still open. Recorded bars of one time arrive together: none is. */
  isOpen(symbol: string, intervals: readonly BarInterval[], time: number): boolean {
    if (this.plan.from === 'bar') return false;
    const own = this.#builders.find(([first]) => first?.instrument.symbol === symbol) ?? [];
    return own.some(({ endTime, interval }) => endTime === time && intervals.includes(interval));
  }

  /** Bars that this event completes, shorter ones first. */
  take(event: MarketEvent, complete: (bar: Bar) => void): void {
    const { index } = event.instrument;
    const builders = this.#builders[index]!;
    if (builders.length === 0 || event.kind !== this.plan.from) return;
    if (Number.isNaN(this.#wholeFrom[index])) this.#knowFrom(index, event.kind === 'bar' ? event.openTime : event.time);
    for (const builder of builders) {
      if (event.kind === 'bar') this.#addBar(builder, event, complete);
      else if (event.kind === 'ticker') this.#addPrice(builder, event, event.lastTicks, 0, complete);
      else if (event.kind === 'trade') this.#addPrice(builder, event, event.priceTicks, event.quantity, complete);
    }
  }

  #knowFrom(index: number, time: number): void {
    this.#wholeFrom[index] = this.#wholeSince(index, time);
  }

  /** @param time epoch ms at which prices begin or continue. */
  #wholeSince(index: number, time: number): number {
    const { from, graceMs, awayMs = 0 } = this.plan;
    const { firstTime = time, lastTime = time } = this.#earlier[index] ?? {};
    const first = time <= lastTime + awayMs ? firstTime : time;
    return from === 'bar' ? first : first - graceMs;
  }

  /** Continues the bars that were unfinished at the start. */
  #goOn(index: number, before: PricesBefore): void {
    const { firstTime, begun, published = [], lastTime } = before;
    if (lastTime === undefined) this.#knowFrom(index, firstTime);
    else this.#earlier[index] = before;
    for (const bar of published) this.#builderOf(bar)?.wasClosed(bar.time);
    for (const bar of begun) addWhole(this.#builderOf(bar)!, bar);
  }

  /**
   * Takes the prices of a bar since its beginning instead of those that earlier runs saw. An earlier bar that did not end goes first, if
   * prices continue in time.
   */
  #complement(bar: Bar): void {
    const builder = this.#builderOf(bar)!;
    const { lastTime = Number.NEGATIVE_INFINITY } = this.#earlier[bar.instrument.index] ?? {};
    if (builder.endTime < bar.time && this.clock.now() <= lastTime + (this.plan.awayMs ?? 0)) return;
    builder.drop();
    addWhole(builder, bar);
    this.#complete.add(builder);
  }

  #builderOf({ instrument, intervalKey }: Bar): BarBuilder | undefined {
    return this.#builders[instrument.index]!.find(({ interval }) => interval === intervalKey);
  }

  /**
   * A longer bar ends with the shorter bar that closes at its end. Without such a bar, it ends by the clock, after all events of that time
   * and before the next open. A bar that a delay of the feed delivers later is in none.
   */
  #addBar(builder: BarBuilder, bar: Bar, complete: (bar: Bar) => void): void {
    if (bar.openTime < builder.closedTime) return;
    if (bar.openTime >= builder.endTime) this.#close(builder, complete);
    const starts = builder.endTime === Number.POSITIVE_INFINITY;
    addWhole(builder, bar);
    if (bar.time >= builder.endTime) this.#close(builder, complete);
    else if (starts) this.#closeLate(builder);
  }

  /**
   * A price at or after the end closes the bar and starts the next one; without a price the grace period closes it. A later price is in no
   * bar.
   */
  #addPrice(builder: BarBuilder, { time, sequence }: MarketEvent, ticks: number, volume: number, complete: (bar: Bar) => void): void {
    if (time < builder.closedTime) return;
    if (time >= builder.endTime) this.#close(builder, complete);
    const starts = builder.endTime === Number.POSITIVE_INFINITY;
    builder.add(time, ticks, volume, sequence);
    if (starts) this.#closeLate(builder);
  }

  #closeLate(builder: BarBuilder): void {
    const { endTime } = builder;
    const graceMs = this.plan.from === 'bar' && this.plan.delayed !== true ? 0 : this.plan.graceMs;
    this.clock.schedule(endTime + graceMs, () => {
      if (builder.endTime === endTime) this.#close(builder, (bar) => this.receiver.late(bar));
    });
  }

  #close(builder: BarBuilder, publish: (bar: Bar) => void): void {
    this.#fullest.set(builder, Math.max(builder.parts, this.#fullest.get(builder) ?? 0));
    const bar = builder.closeBar();
    const { index } = builder.instrument;
    const known = this.#wholeFrom[index]!;
    // Its grace period may have ended before the first price of the run.
    const isWhole =
      this.#complete.delete(builder) || bar.openTime >= (Number.isNaN(known) ? this.#wholeSince(index, this.clock.now()) : known);
    if (isWhole) publish(bar);
    else this.receiver.passed();
  }
}

/** Adds a shorter bar, or the prices of an unfinished one. */
function addWhole(builder: BarBuilder, { openTime, openTicks, highTicks, lowTicks, closeTicks, volume, sequence }: Bar): void {
  builder.addRange(openTime, openTicks, highTicks, lowTicks, closeTicks, volume, sequence);
}
