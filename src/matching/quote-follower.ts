import type { Instrument } from '../model/instrument.ts';
import type { Quote } from '../model/market-events.ts';
import type { Book } from './book.ts';

/** Quotes that come one after another, with nothing in between. */
export interface QuotesUnderWay {
  /** No more come this way. */
  stop(): void;
  /** Gives the newest of each instrument that any came of. */
  tellNewest(take: (quote: Quote) => void): void;
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
  follows({ index }: Instrument): boolean {
    const book = this.books[index]!;
    return book.idle && !book.taken && book.depth === undefined && book.contract === undefined;
  }

  /** @param run of instruments that are followed. */
  begin(run: QuotesUnderWay): void {
    this.#run = run;
  }

  /** The run is over, or something wants to know where it stands. */
  end(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    run.stop();
    run.tellNewest(this.take);
  }
}
