import type { QuotesUnderWay } from '../../matching/book-matching.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Quote } from '../../model/market-events.ts';
import type { QuoteRun, QuoteStrand } from '../../ports/market-feed.ts';
import { type DataSource, RowSource, type SeriesSource } from './row-source.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** When a run of quotes may go on: nothing is scheduled before, and nobody wants to look in. */
export class RunTerms {
  /** Epoch ms at which something else comes first. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: SimulatedClock,
    /** Of the monitor: its first number is not zero while it wants to. */
    private readonly wanted: Int32Array,
  ) {
    const earlier = (time: number) => {
      if (time < this.#until) this.#until = time;
    };
    clock.venue.onEarlier = earlier;
    clock.timers.onEarlier = earlier;
  }

  /** A run begins. @param bound epoch ms that it does not come to in any case. */
  begin(bound: number): void {
    this.#until = Math.min(bound, this.clock.venue.nextTime, this.clock.timers.nextTime);
  }

  /** It does not go on. */
  stop(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** Moves the clock to `time`, epoch ms. @returns false where something else comes first. */
  goOn(time: number): boolean {
    if (time >= this.#until || this.wanted[0] !== 0) return false;
    this.clock.advanceTo(time);
    return true;
  }
}

/** Recorded quotes: one by one, as a run while nothing else happens, or as a part of a braid. */
export class QuoteSource extends RowSource implements DataSource, QuoteRun, QuoteStrand, QuotesUnderWay {
  readonly kind = 'quotes';
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  bidTicks: Float64Array = EMPTY;
  askTicks: Float64Array = EMPTY;
  #bidSteps: Float64Array = EMPTY;
  #askSteps: Float64Array = EMPTY;
  #terms: RunTerms | undefined;
  /** The row that the run does not come to. */
  #end = 0;
  /** Where the run began, and how far the sequence of a row is from its number. */
  #begun = 0;
  #ahead = 0;

  constructor(
    readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    super(source, from, to, [0, 1], [2, 3]);
    this.start();
  }

  /** How many quotes of the run have come. */
  get told(): number {
    return this.row - this.#begun;
  }

  deliver(matching: MatchingEngine, sequence: number): Quote {
    const quote = this.#quoteOf(this.row, sequence);
    this.advance();
    matching.onQuote(quote);
    return quote;
  }

  /**
   * Begins a run at the row at hand. It has no quote of the time of another: those come together.
   * @param bound epoch ms that it does not come to. @param most so many quotes. @param sequence of the datum before.
   * @returns false where it would have no two.
   */
  begin(terms: RunTerms, bound: number, most: number, sequence: number): boolean {
    this.#terms = terms;
    const until = Math.min(bound, this.to);
    terms.begin(until);
    // What comes after the last row of a chunk is not known yet.
    this.#end = Math.min(this.row + most, this.length - 1);
    this.#begun = this.row;
    this.#ahead = sequence + 1 - this.row;
    // For a single quote it is not worth while.
    const after = this.times[this.row + 1]!;
    return this.row < this.#end && after > this.time && after < until;
  }

  next(): number {
    const { row, times } = this;
    if (row >= this.#end) return OVER;
    const time = times[row]!;
    if (times[row + 1] === time || !this.#terms!.goOn(time)) return OVER;
    this.row = row + 1;
    return row;
  }

  nextQuote(): Quote | undefined {
    const row = this.next();
    return row < 0 ? undefined : this.quoteAt(row);
  }

  nextRow(): number {
    return this.row;
  }

  quoteAt(row: number): Quote {
    return this.#quoteOf(row, this.#ahead + row);
  }

  stop(): void {
    this.#end = this.row;
  }

  tellNewest(take: (quote: Quote) => void): void {
    if (this.told > 0) take(this.quoteAt(this.row - 1));
  }

  /** The run is over: the source stands at its next row again. */
  finish(): void {
    this.row--;
    this.advance();
  }

  /** A braid begins. @returns epoch ms that it must not come to: what follows on the last row of a chunk is not known yet. */
  join(): number {
    this.#begun = this.row;
    return Math.min(this.times[this.length - 1]!, this.to);
  }

  /** The row at hand is the newest of a braid. @returns the time of the one after it. */
  step(sequence: number): number {
    this.#ahead = sequence - this.row;
    return this.times[++this.row]!;
  }

  /** The time of the row after the one at hand. */
  after(): number {
    return this.times[this.row + 1]!;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.bidTicks = columns[0]!;
    this.askTicks = columns[1]!;
    this.#bidSteps = columns[2]!;
    this.#askSteps = columns[3]!;
  }

  #quoteOf(row: number, sequence: number): Quote {
    return new Quote(
      this.instrument,
      this.times[row]!,
      sequence,
      this.bidTicks[row]!,
      this.askTicks[row]!,
      this.#bidSteps[row]!,
      this.#askSteps[row]!,
    );
  }
}

const EMPTY: Float64Array = new Float64Array(0);
/** No row. */
const OVER = -1;
