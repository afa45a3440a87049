import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { QuotesUnderWay } from '../../matching/quote-follower.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Quote } from '../../model/market-events.ts';
import type { QuoteRun } from '../../ports/market-feed.ts';
import type { DataSource } from './data-source.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';
import type { RunTerms } from './run-terms.ts';

/** Recorded quotes: one by one, or as a run while nothing else happens. */
export class QuoteSource extends RowSource implements DataSource, QuoteRun, QuotesUnderWay {
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

  quote(): Quote {
    return this.quoteAt(this.row - 1);
  }

  quoteAt(row: number): Quote {
    return this.#quoteOf(row, this.#ahead + row);
  }

  stop(): void {
    this.#end = this.row;
  }

  /** The run is over: the source stands at its next row again. */
  finish(): void {
    this.row--;
    this.advance();
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
