import type { Instrument } from '../model/instrument.ts';
import type { Depth, Quote, Trade } from '../model/market-events.ts';
import type { ArrivalSettings, Arrivals } from './arrivals.ts';
import type { Book } from './books/book.ts';
import { DepthMarket } from './books/depth-market.ts';
import type { Resting } from './resting.ts';

/** Matches orders with all prices that are not bars: changes of the order book, quotes, trades and tickers. */
export class BookMatching {
  constructor(
    private readonly settings: Pick<ArrivalSettings, 'sizes' | 'forgets'>,
    private readonly resting: Resting,
    private readonly arrivals: Arrivals,
  ) {}

  /** Applies this change to the book; orders are matched later. */
  take(book: Book, depth: Depth): DepthMarket {
    book.depth ??= this.#open(book);
    book.depth.apply(depth, book.live > 0);
    book.readDepth(book.depth);
    book.twoSided = true;
    book.sequence = depth.sequence;
    book.time = depth.time;
    return book.depth;
  }

  /** Resting orders first, then those that wait with a rest: all share the available quantity. */
  meet(book: Book): void {
    this.resting.meetTop(book);
    this.arrivals.meetWaiting(book);
    if (this.settings.forgets) book.forgetTaken();
  }

  /** @param size steps of the trade that own orders may take. */
  meetTrade(book: Book, trade: Trade, size: number): void {
    // A trade with a taker's side shows which side was resting; one without may match either.
    let budget = size;
    if (trade.side !== 'buy') budget -= this.resting.meetTrade(book, 'buy', trade, budget);
    if (trade.side !== 'sell') budget -= this.resting.meetTrade(book, 'sell', trade, budget);
    if (book.twoSided) return;
    book.sharedBudget = budget;
    this.arrivals.meetWaiting(book);
  }

  /** @param halfSpread ticks that takers pay above the last price. */
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

/** A run of quotes: consecutive quotes with no other event between them. */
export interface QuotesUnderWay {
  /** Ends the run. */
  stop(): void;
  /** Passes on the newest quote of each instrument of the run. */
  takeNewest(take: (quote: Quote) => void): void;
}

/**
 * Skips quotes that no order needs: they are not delivered one by one. When an order arrives, the run ends, and the follower takes the
 * newest quote of each instrument.
 */
export class QuoteFollower {
  #run: QuotesUnderWay | undefined;

  /** @param take receives a quote that counts. */
  constructor(
    private readonly books: readonly Book[],
    private readonly take: (quote: Quote) => void,
  ) {}

  /** @returns false where every quote must be delivered: an order waits, own orders took a part of the quote, or other prices count. */
  follows({ index }: Instrument): boolean {
    const book = this.books[index]!;
    return book.idle && !book.taken && book.depth === undefined && book.contract === undefined;
  }

  /** @param run of instruments that are followed. */
  begin(run: QuotesUnderWay): void {
    this.#run = run;
  }

  /** The run is over, or another part needs its present position. */
  end(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    run.stop();
    run.takeNewest(this.take);
  }
}
