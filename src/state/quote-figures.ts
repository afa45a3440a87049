import type { Instrument } from '../model/instrument.ts';
import { Quote, type QuoteRows } from '../model/market-events.ts';

/** The newest quote is no row: its numbers are kept here. */
const KEPT = -1;

/**
 * The numbers of the newest quote of one instrument. The event itself is not held on to: a replay makes one for every row, and one
 * that nobody keeps need not come to be at all (the compiler leaves it out). Of quotes that come by their rows no number but
 * the middle is copied before somebody asks. Whoever asks for the quote gets one made anew.
 */
export class QuoteFigures {
  #time = Number.NaN;
  #sequence = 0;
  #bidTicks = Number.NaN;
  #askTicks = Number.NaN;
  #bidSteps = Number.NaN;
  #askSteps = Number.NaN;
  /** Kept of every quote. */
  #midTicks = Number.NaN;
  #rows: QuoteRows | undefined;
  /** The newest of the rows. */
  #row = KEPT;
  #made: Quote | undefined;

  constructor(private readonly instrument: Instrument) {}

  /** Epoch ms; `NaN` before the first. */
  get time(): number {
    return this.#row === KEPT ? this.#time : this.#rows!.times[this.#row]!;
  }
  get sequence(): number {
    this.#keep();
    return this.#sequence;
  }
  get bidTicks(): number {
    this.#keep();
    return this.#bidTicks;
  }
  get askTicks(): number {
    this.#keep();
    return this.#askTicks;
  }

  /** A call, as positions are valued by it at each quote. */
  midTicks(): number {
    return this.#midTicks;
  }

  take(quote: Quote): void {
    this.#row = KEPT;
    this.#time = quote.time;
    this.#sequence = quote.sequence;
    this.#bidTicks = quote.bidTicks;
    this.#askTicks = quote.askTicks;
    this.#bidSteps = quote.bidSteps;
    this.#askSteps = quote.askSteps;
    this.#midTicks = (quote.bidTicks + quote.askTicks) / 2;
  }

  /** From here quotes come by their rows, until it `leaves` them. */
  follow(rows: QuoteRows): void {
    this.#rows = rows;
  }

  /** The quote of this row is the newest. @param midTicks its middle. */
  goTo(row: number, midTicks: number): void {
    this.#row = row;
    this.#midTicks = midTicks;
  }

  /** The rows are over. */
  leave(): void {
    this.#keep();
    this.#rows = undefined;
  }

  /** `undefined` before the first; the same one until the next quote comes. */
  event(): Quote | undefined {
    const { instrument, time, sequence } = this;
    if (Number.isNaN(time)) return undefined;
    if (this.#made?.sequence !== sequence)
      this.#made = new Quote(instrument, time, sequence, this.#bidTicks, this.#askTicks, this.#bidSteps, this.#askSteps);
    return this.#made;
  }

  #keep(): void {
    if (this.#row !== KEPT) this.take(this.#rows!.quoteAt(this.#row));
  }
}
