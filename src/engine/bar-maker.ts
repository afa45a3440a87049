import { BarBuilder } from '../model/bar-builder.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent } from '../model/market-events.ts';
import type { Clock } from '../ports/clock.ts';

/** Which bars the engine builds, and from what; recorded bars of the same interval are never built again. */
export interface BarPlan {
  readonly from: 'ticker' | 'trade' | 'bar';
  /** Intervals to build, by instrument index. */
  readonly intervals: readonly (readonly number[])[];
  /**
   * A bar without a later price is closed this long after its end, in ms. As much may pass from its start before the first price is
   * known, where it is built from tickers or trades.
   */
  readonly graceMs: number;
  /** Bars go on where the prices of an earlier run broke off no longer before the first price of this one, in ms. 0 where left out. */
  readonly awayMs?: number | undefined;
  /** What is known from before the run, by instrument index; left out where that is nothing. */
  readonly before?: readonly (PricesBefore | undefined)[] | undefined;
}

/** Prices of one instrument from before a run. */
export interface PricesBefore {
  /** Epoch ms of the first of them (of bars: the open). */
  readonly firstTime: number;
  /** The bars under way when the run starts, as far as they have come. */
  readonly begun: readonly Bar[];
  /** The newest bars that an earlier run told, one of an interval at most: what they ended with is not told again. */
  readonly told?: readonly Bar[];
  /** Epoch ms of the last of them, where there may have been others until the run starts. */
  readonly lastTime?: number;
}

/**
 * Builds the bars that strategies need from the prices that come in, the same way in every mode. A bar whose beginning came before
 * the first price that is known is not whole: nobody is told of it.
 */
export class BarMaker {
  /** True when there is nothing to build in this run. */
  readonly idle: boolean;
  readonly #builders: readonly (readonly BarBuilder[])[];
  /** Bars that begin earlier are not whole, by instrument index, in epoch ms; `NaN` before the first price. */
  readonly #wholeFrom: Float64Array;
  /** Of earlier runs, by instrument index: counts if prices go on in time. */
  readonly #earlier: (PricesBefore | undefined)[] = [];

  constructor(
    instruments: readonly Instrument[],
    private readonly plan: BarPlan,
    private readonly clock: Clock,
    /** Takes a bar that the grace closed, outside any market event. */
    private readonly late: (bar: Bar) => void,
  ) {
    this.idle = plan.intervals.every((intervals) => intervals.length === 0);
    this.#builders = instruments.map((instrument) =>
      [...(plan.intervals[instrument.index] ?? [])].sort((a, b) => a - b).map((intervalMs) => new BarBuilder(instrument, intervalMs)),
    );
    this.#wholeFrom = new Float64Array(instruments.length).fill(Number.NaN);
    plan.before?.forEach((before, index) => {
      if (before !== undefined) this.#goOn(index, before);
    });
  }

  /** The run begins: bars that were under way before end at their time. */
  start(): void {
    if (this.plan.from === 'bar') return;
    for (const builder of this.#builders.flat()) if (builder.endTime < Number.POSITIVE_INFINITY) this.#closeLate(builder);
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

  /** @param time epoch ms at which prices begin, or go on. */
  #wholeSince(index: number, time: number): number {
    const { from, graceMs, awayMs = 0 } = this.plan;
    const { firstTime = time, lastTime = time } = this.#earlier[index] ?? {};
    const first = time <= lastTime + awayMs ? firstTime : time;
    return from === 'bar' ? first : first - graceMs;
  }

  /** Takes up the bars that were under way before the run. */
  #goOn(index: number, before: PricesBefore): void {
    const { firstTime, begun, told = [], lastTime } = before;
    if (lastTime === undefined) this.#knowFrom(index, firstTime);
    else this.#earlier[index] = before;
    const builderOf = ({ intervalMs }: Bar) => this.#builders[index]!.find((builder) => builder.intervalMs === intervalMs);
    for (const bar of told) builderOf(bar)?.wasClosed(bar.time);
    for (const bar of begun) {
      const builder = builderOf(bar)!;
      builder.addRange(bar.openTime, bar.openTicks, bar.highTicks, bar.lowTicks, bar.closeTicks, bar.volume, bar.sequence);
    }
  }

  /** A longer bar ends with the shorter bar that closes at its end, or with the first one after a gap. */
  #addBar(builder: BarBuilder, bar: Bar, complete: (bar: Bar) => void): void {
    if (bar.openTime >= builder.endTime) this.#close(builder, complete);
    builder.addRange(bar.openTime, bar.openTicks, bar.highTicks, bar.lowTicks, bar.closeTicks, bar.volume, bar.sequence);
    if (bar.time >= builder.endTime) this.#close(builder, complete);
  }

  /** A price at or after the end closes the bar and starts the next; without one, the grace does. What comes later than that is in no bar. */
  #addPrice(builder: BarBuilder, { time, sequence }: MarketEvent, ticks: number, volume: number, complete: (bar: Bar) => void): void {
    if (time < builder.closedTime) return;
    if (time >= builder.endTime) this.#close(builder, complete);
    const starts = builder.endTime === Number.POSITIVE_INFINITY;
    builder.add(time, ticks, volume, sequence);
    if (starts) this.#closeLate(builder);
  }

  #closeLate(builder: BarBuilder): void {
    const { endTime } = builder;
    this.clock.schedule(endTime + this.plan.graceMs, () => {
      if (builder.endTime === endTime) this.#close(builder, this.late);
    });
  }

  #close(builder: BarBuilder, tell: (bar: Bar) => void): void {
    const bar = builder.closeBar();
    const { index } = builder.instrument;
    const known = this.#wholeFrom[index]!;
    // Its grace may be over before the first price of the run.
    if (bar.openTime >= (Number.isNaN(known) ? this.#wholeSince(index, this.clock.now()) : known)) tell(bar);
  }
}
