import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent, MarketEventKind, Quote } from '../model/market-events.ts';

/** The newest prices of one instrument, in ticks. `NaN` means that no price has been seen yet. */
export class MarketState {
  /** What positions are valued at: last, close, trade price, or the middle of a quote. */
  markTicks = Number.NaN;
  /** Sequence of the newest data of this instrument. */
  sequence = 0;
  /** Kind of that data; `undefined` before the first. */
  kind: MarketEventKind | undefined;
  bar: Bar | undefined;
  quote: Quote | undefined;

  constructor(readonly instrument: Instrument) {}

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
    this.kind = event.kind;
    switch (event.kind) {
      case 'quote':
        this.markTicks = (event.bidTicks + event.askTicks) / 2;
        this.quote = event;
        return;
      case 'bar':
        this.markTicks = event.closeTicks;
        return;
      case 'trade':
        this.markTicks = event.priceTicks;
        return;
      case 'ticker':
        this.markTicks = event.lastTicks;
        return;
      default:
        event satisfies never;
    }
  }
}
