import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent, Quote } from '../model/market-events.ts';

/** The newest prices of one instrument, in ticks. `NaN` means that no price has been seen yet. */
export class MarketState {
  /** Sequence of the newest data of this instrument. */
  sequence = 0;
  bar: Bar | undefined;
  quote: Quote | undefined;

  constructor(
    readonly instrument: Instrument,
    /** The marks of all instruments by index, side by side for whoever values positions. */
    private readonly marks: Float64Array,
  ) {
    marks[instrument.index] = Number.NaN;
  }

  /** What positions are valued at: last, close, trade price, or the middle of a quote. */
  get markTicks(): number {
    return this.marks[this.instrument.index]!;
  }

  /** The price that positions are valued at, as the nearest double; `NaN` before the first price. */
  get mark(): number {
    return this.instrument.tick.toNumber(this.markTicks);
  }

  apply(event: MarketEvent): void {
    if (event.kind === 'bar') {
      this.bar = event;
      // A bar that the engine built is no news: its prices have been seen, and newer ones may have been since.
      if (event.sequence <= this.sequence) return;
    }
    this.sequence = event.sequence;
    this.marks[event.instrument.index] = markOf(event);
    if (event.kind === 'quote') this.quote = event;
  }
}

function markOf(event: MarketEvent): number {
  switch (event.kind) {
    case 'quote':
      return (event.bidTicks + event.askTicks) / 2;
    case 'bar':
      return event.closeTicks;
    case 'trade':
      return event.priceTicks;
    case 'ticker':
      return event.lastTicks;
  }
}
