import type { Instrument } from '../model/instrument.ts';
import type { Bar, MarketEvent, Quote } from '../model/market-events.ts';

/**
 * The newest prices of one instrument. Applying an event only keeps it; what it means is worked out when
 * somebody asks, as most events are looked at by nobody but the strategy that is handed them.
 */
export class MarketState {
  #newest: MarketEvent | undefined;
  #bar: Bar | undefined;
  #quote: Quote | undefined;

  constructor(readonly instrument: Instrument) {}

  /** Sequence of the newest data of this instrument; 0 before the first. */
  get sequence(): number {
    return this.#newest?.sequence ?? 0;
  }
  /** What positions are valued at, in ticks: last, close, trade price, or the middle of a quote; `NaN` before the first. */
  get markTicks(): number {
    return this.#newest === undefined ? Number.NaN : markOf(this.#newest);
  }
  /** The same as the nearest double. */
  get mark(): number {
    return this.instrument.tick.toNumber(this.markTicks);
  }
  get bar(): Bar | undefined {
    return this.#bar;
  }
  get quote(): Quote | undefined {
    return this.#newest?.kind === 'quote' ? this.#newest : this.#quote;
  }

  apply(event: MarketEvent): void {
    if (event.kind !== 'quote') this.#keep(event);
    else this.#newest = event;
  }

  #keep(event: Exclude<MarketEvent, Quote>): void {
    this.#quote = this.quote;
    if (event.kind === 'bar') {
      this.#bar = event;
      // A bar that the engine built is no news: its prices have been seen, and newer ones may have been since.
      if (event.sequence <= this.sequence) return;
    }
    this.#newest = event;
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
