import { BarBuilder } from '../model/bar-builder.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent } from '../model/market-events.ts';
import type { Clock } from '../ports/clock.ts';

/** Which bars the engine builds, and from what; recorded bars of the same interval are never built again. */
export interface BarPlan {
  readonly from: 'ticker' | 'trade' | 'bar';
  /** Intervals to build, by instrument index. */
  readonly intervals: readonly (readonly number[])[];
  /** A bar without a later price is closed this long after its end, in ms. */
  readonly graceMs: number;
}

/** Builds the bars that strategies need from the prices that come in, the same way in every mode. */
export class BarMaker {
  /** True when there is nothing to build in this run. */
  readonly idle: boolean;
  readonly #builders: readonly (readonly BarBuilder[])[];

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
  }

  /** Bars that this event completes, shorter ones first. */
  take(event: MarketEvent, complete: (bar: Bar) => void): void {
    const builders = this.#builders[event.instrument.index]!;
    if (builders.length === 0 || event.kind !== this.plan.from) return;
    for (const builder of builders) {
      if (event.kind === 'bar') this.#addBar(builder, event, complete);
      else if (event.kind === 'ticker') this.#addPrice(builder, event, event.lastTicks, 0, complete);
      else if (event.kind === 'trade') this.#addPrice(builder, event, event.priceTicks, event.quantity, complete);
    }
  }

  /** A longer bar ends with the shorter bar that closes at its end, or with the first one after a gap. */
  #addBar(builder: BarBuilder, bar: Bar, complete: (bar: Bar) => void): void {
    if (bar.openTime >= builder.endTime) complete(builder.closeBar());
    builder.addRange(bar.openTime, bar.openTicks, bar.highTicks, bar.lowTicks, bar.closeTicks, bar.volume, bar.sequence);
    if (bar.time >= builder.endTime) complete(builder.closeBar());
  }

  /** A price at or after the end closes the bar and starts the next; without one, the grace does. What comes later than that is in no bar. */
  #addPrice(builder: BarBuilder, { time, sequence }: MarketEvent, ticks: number, volume: number, complete: (bar: Bar) => void): void {
    if (time < builder.closedTime) return;
    if (time >= builder.endTime) complete(builder.closeBar());
    const starts = builder.endTime === Number.POSITIVE_INFINITY;
    builder.add(time, ticks, volume, sequence);
    if (!starts) return;
    const { endTime } = builder;
    this.clock.schedule(endTime + this.plan.graceMs, () => {
      if (builder.endTime === endTime) this.late(builder.closeBar());
    });
  }
}
