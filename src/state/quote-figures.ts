import type { Instrument } from '../model/instrument.ts';
import { Quote } from '../model/market-events.ts';

/**
 * The numbers of the newest quote of one instrument. The event itself is not held on to: a replay makes one for every row, and one
 * that nobody keeps need not come to be at all (the compiler leaves it out). Whoever asks for it gets one made anew.
 */
export class QuoteFigures {
  /** Epoch ms; `NaN` before the first. */
  time = Number.NaN;
  sequence = 0;
  bidTicks = Number.NaN;
  askTicks = Number.NaN;
  #bidSteps = Number.NaN;
  #askSteps = Number.NaN;
  #made: Quote | undefined;

  constructor(private readonly instrument: Instrument) {}

  get midTicks(): number {
    return (this.bidTicks + this.askTicks) / 2;
  }

  take(quote: Quote): void {
    this.time = quote.time;
    this.sequence = quote.sequence;
    this.bidTicks = quote.bidTicks;
    this.askTicks = quote.askTicks;
    this.#bidSteps = quote.bidSteps;
    this.#askSteps = quote.askSteps;
  }

  /** `undefined` before the first; the same one until the next quote comes. */
  event(): Quote | undefined {
    const { instrument, time, sequence, bidTicks, askTicks } = this;
    if (Number.isNaN(time)) return undefined;
    if (this.#made?.sequence !== sequence)
      this.#made = new Quote(instrument, time, sequence, bidTicks, askTicks, this.#bidSteps, this.#askSteps);
    return this.#made;
  }
}
