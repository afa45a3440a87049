import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent, Quote } from '../model/market-events.ts';

/** The newest prices of one instrument, in ticks. `NaN` means that no price has been seen yet. */
export class MarketState {
  /** What positions are valued at: last, close, trade price, or the middle of a quote. */
  markTicks = Number.NaN;
  bidTicks = Number.NaN;
  askTicks = Number.NaN;
  time = Number.NaN;
  /** Sequence of the newest data of this instrument. */
  sequence = 0;
  bar: Bar | undefined;
  quote: Quote | undefined;

  constructor(readonly instrument: Instrument) {}

  /** The price that positions are valued at, as the nearest double; `NaN` before the first price. */
  get mark(): number {
    return this.instrument.tick.toNumber(this.markTicks);
  }

  apply(event: MarketEvent): void {
    this.time = event.time;
    this.sequence = event.sequence;
    switch (event.kind) {
      case 'quote':
        this.bidTicks = event.bidTicks;
        this.askTicks = event.askTicks;
        this.markTicks = (event.bidTicks + event.askTicks) / 2;
        this.quote = event;
        return;
      case 'bar':
        this.bar = event;
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
