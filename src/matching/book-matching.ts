import type { Instrument } from '../model/instrument.ts';
import type { Depth, Quote, Trade } from '../model/market-events.ts';
import type { ArrivalSettings, Arrivals } from './arrivals.ts';
import type { Book } from './books/book.ts';
import { DepthMarket } from './books/depth-market.ts';
import type { Resting } from './resting.ts';

/** Matches orders with every price that is not a bar: changes of the book, quotes, trades and tickers. */
export class BookMatching {
  constructor(
    private readonly settings: Pick<ArrivalSettings, 'sizes' | 'forgets'>,
    private readonly resting: Resting,
    private readonly arrivals: Arrivals,
  ) {}

  /** The book is now as after this change; nobody has met it yet. */
  take(book: Book, depth: Depth): DepthMarket {
    book.depth ??= this.#open(book);
    book.depth.apply(depth, book.live > 0);
    book.readDepth(book.depth);
    book.twoSided = true;
    book.sequence = depth.sequence;
    book.time = depth.time;
    return book.depth;
  }

  /** Resting orders first, then those that wait with a rest: all of them share what stands there. */
  meet(book: Book): void {
    this.resting.meetTop(book);
    this.arrivals.meetWaiting(book);
    if (this.settings.forgets) book.forgetTaken();
  }

  /** @param size steps of the trade that own orders may have. */
  meetTrade(book: Book, trade: Trade, size: number): void {
    // A print that says who took tells which side stood there; one that does not may serve either.
    let budget = size;
    if (trade.side !== 'buy') budget -= this.resting.meetTrade(book, 'buy', trade, budget);
    if (trade.side !== 'sell') budget -= this.resting.meetTrade(book, 'sell', trade, budget);
    if (book.twoSided) return;
    book.sharedBudget = budget;
    this.arrivals.meetWaiting(book);
  }

  /** @param halfSpread ticks that takers pay beyond the last price. */
  meetTicker(book: Book, lastTicks: number, halfSpread: number): void {
    const { tickerBudget } = book;
    book.setLast(lastTicks, halfSpread, tickerBudget);
    if (book.idle) return;
    const bought = this.resting.meet(book, 'buy', lastTicks, tickerBudget);
    book.sharedBudget = tickerBudget - bought - this.resting.meet(book, 'sell', lastTicks, tickerBudget - bought);
    this.arrivals.meetWaiting(book);
  }

  #open(book: Book): DepthMarket {
    const { queues } = book;
    return new DepthMarket(
      !this.settings.sizes,
      queues && ((side, ticks, before, after) => queues.levelChanged(book, side, ticks, before, after)),
    );
  }
}

/** A run of quotes: they come one after another, with nothing in between. */
export interface QuotesUnderWay {
  /** No more come this way. */
  stop(): void;
  /** Gives the newest of each instrument that any came of. */
  tellNewest(take: (quote: Quote) => void): void;
}

/**
 * Skips quotes that no order has to meet: they are not delivered one by one. When an order comes, the run ends, and the follower
 * takes the newest quote of each instrument.
 */
export class QuoteFollower {
  #run: QuotesUnderWay | undefined;

  /** @param take a quote that counts. */
  constructor(
    private readonly books: readonly Book[],
    private readonly take: (quote: Quote) => void,
  ) {}

  /** @returns false where every quote must be delivered: an order waits, some of the quote is taken, or other prices count. */
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
