import type { QuotesUnderWay } from '../../matching/book-matching.ts';
import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Quote } from '../../model/market-events.ts';
import type { QuoteRun, QuoteStream } from '../../ports/market-feed.ts';
import { type DataSource, RowSource, type SeriesSource } from './row-source.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** When a run of quotes may continue: nothing is scheduled before the next quote, and the monitor does not want to look. */
export class RunTerms {
  /** Epoch ms at which another event comes first. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: SimulatedClock,
    /** From the monitor: its first number is not zero while it wants to look. */
    private readonly wanted: Int32Array,
  ) {
    const earlier = (time: number) => {
      if (time < this.#until) this.#until = time;
    };
    clock.venue.onEarlier = earlier;
    clock.timers.onEarlier = earlier;
  }

  /**
   * A run begins.
   * @param bound epoch ms before which it ends in any case.
   */
  begin(bound: number): void {
    this.#until = Math.min(bound, this.clock.venue.nextTime, this.clock.timers.nextTime);
  }

  /** The run does not continue. */
  stop(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /**
   * Moves the clock to `time`, epoch ms.
   * @returns false where another event comes first.
   */
  goOn(time: number): boolean {
    if (time >= this.#until || this.wanted[0] !== 0) return false;
    this.clock.advanceTo(time);
    return true;
  }
}

/** Recorded quotes: one by one, as a run while nothing else happens, or as a part of a merged run. */
export class QuoteSource extends RowSource implements DataSource, QuoteRun, QuoteStream, QuotesUnderWay {
  readonly kind = 'quotes';
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  bidTicks: Float64Array = EMPTY;
  askTicks: Float64Array = EMPTY;
  #bidSteps: Float64Array = EMPTY;
  #askSteps: Float64Array = EMPTY;
  #terms: RunTerms | undefined;
  /** The row before which the run ends. */
  #end = 0;
  /** The first row of the run, and the difference between the sequence of a row and its number. */
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

  /** Number of delivered quotes of the run. */
  get delivered(): number {
    return this.row - this.#begun;
  }

  deliver(matching: MatchingEngine, sequence: number): Quote {
    const quote = this.#quoteOf(this.row, sequence);
    this.advance();
    matching.onQuote(quote);
    return quote;
  }

  /**
   * Begins a run at the current row. It has no two quotes with the same time: those are delivered together.
   * @param bound epoch ms before which it ends.
   * @param most the largest number of quotes.
   * @param sequence of the previous event.
   * @returns false where it would have fewer than two.
   */
  begin(terms: RunTerms, bound: number, most: number, sequence: number): boolean {
    this.#terms = terms;
    const until = Math.min(bound, this.to);
    terms.begin(until);
    // The row after the last one of a chunk is not loaded yet.
    this.#end = Math.min(this.row + most, this.length - 1);
    this.#begun = this.row;
    this.#ahead = sequence + 1 - this.row;
    // A run of a single quote has no advantage.
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

  takeNewest(take: (quote: Quote) => void): void {
    if (this.delivered > 0) take(this.quoteAt(this.row - 1));
  }

  /** The run is over: the source continues at its next row. */
  finish(): void {
    this.row--;
    this.advance();
  }

  /**
   * A merged run begins.
   * @returns epoch ms before which it must end: the row after the last one of a chunk is not loaded yet.
   */
  join(): number {
    this.#begun = this.row;
    return Math.min(this.times[this.length - 1]!, this.to);
  }

  /**
   * The current row becomes the newest of a merged run.
   * @returns the time of the next row.
   */
  step(sequence: number): number {
    this.#ahead = sequence - this.row;
    return this.times[++this.row]!;
  }

  /** The time of the row after the current one. */
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
