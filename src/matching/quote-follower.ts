import type { Instrument } from '../model/instrument.ts';
import type { Quote } from '../model/market-events.ts';
import type { Book } from './book.ts';

/** Quotes of one instrument that come one after another, with nothing in between. */
export interface QuotesUnderWay {
  readonly instrument: Instrument;
  /** How many have come. */
  readonly told: number;
  /** The newest of them. */
  quote(): Quote;
  /** No more come this way. */
  stop(): void;
}

/** Quotes that no order has to meet need not be told one by one: the newest is asked for when an order comes, which ends their run. */
export class QuoteFollower {
  #run: QuotesUnderWay | undefined;

  /** @param take a quote that counts. */
  constructor(
    private readonly books: readonly Book[],
    private readonly take: (quote: Quote) => void,
  ) {}

  /** @returns false where each has to be told: an order waits, some of the quote is taken, or other prices count. */
  begin(run: QuotesUnderWay): boolean {
    const book = this.books[run.instrument.index]!;
    if (!book.idle || book.taken || book.depth !== undefined || book.contract !== undefined) return false;
    this.#run = run;
    return true;
  }

  /** The run is over, or something wants to know where it stands. */
  end(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    run.stop();
    if (run.told > 0) this.take(run.quote());
  }
}
