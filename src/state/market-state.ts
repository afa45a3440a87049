import type { Decimal } from '../model/decimal.ts';
import { DepthBook } from '../model/depth-book.ts';
import type { Grid } from '../model/grid.ts';
import type { Instrument } from '../model/instrument.ts';
import {
  type Bar,
  type Depth,
  type Funding,
  type Mark,
  type MarketEvent,
  Quote,
  type QuoteRows,
  type Ticker,
  type Trade,
} from '../model/market-events.ts';
import type { Side } from '../model/order.ts';

/** Age from which a mark price gives way to the last price, unless the config says otherwise. */
const MARK_MAX_AGE_MS = 60_000;

/**
 * The newest prices of one instrument. Applying an event only keeps it; what it means is worked out when
 * somebody asks, as most events are looked at by nobody but the strategy that is handed them.
 */
export class MarketState {
  /** The newest quote, and whether it is the newest of all that tell prices at which orders fill. */
  readonly #quote: QuoteFigures;
  #quoted = false;
  /** The newest of the others. */
  #newest: Bar | Depth | Trade | Ticker | undefined;
  #bar: Bar | undefined;
  #book: DepthBook | undefined;
  /** The middle of the book when both its sides last had a level. */
  #bookMiddle = Number.NaN;
  #mark: Mark | undefined;
  #markInTicks = Number.NaN;
  #funding: Funding | undefined;

  constructor(
    readonly instrument: Instrument,
    private readonly markMaxAgeMs = MARK_MAX_AGE_MS,
  ) {
    this.#quote = new QuoteFigures(instrument);
  }

  /** Sequence of the newest price of this instrument; 0 before the first. */
  get sequence(): number {
    return this.#quoted ? this.#quote.sequence : (this.#newest?.sequence ?? 0);
  }
  /** Epoch ms of the newest price; `-Infinity` before the first. */
  get time(): number {
    return this.#quoted ? this.#quote.time : (this.#newest?.time ?? Number.NEGATIVE_INFINITY);
  }
  /** What orders are judged by, in ticks: last, close, trade price, or the middle of a quote or book; `NaN` before the first. */
  get lastTicks(): number {
    return this.#last();
  }
  /** The same as the nearest double. */
  get last(): number {
    return this.instrument.tick.toNumber(this.lastTicks);
  }
  /** What positions are valued at, in ticks and their fractions: the mark price while it is fresh, else the last price. */
  get markTicks(): number {
    return this.valueTicks();
  }
  /** The same price as the nearest double. */
  get mark(): number {
    return this.#mark === undefined || !this.#fresh(this.#mark) ? this.last : this.#mark.price;
  }
  /** Positions are valued at a mark price of its own, not at the last one. */
  get marked(): boolean {
    return this.#mark !== undefined && this.#fresh(this.#mark);
  }
  get bar(): Bar | undefined {
    return this.#bar;
  }
  get quote(): Quote | undefined {
    return this.#quote.event();
  }
  /** The order book after the newest change; `undefined` where none is recorded. */
  get book(): DepthBook | undefined {
    return this.#book;
  }
  /** The newest funding rate that was settled. */
  get fundingRate(): number | undefined {
    return this.#funding?.rate;
  }

  /** The price that positions are valued at, exact; `undefined` before the first. */
  exactMark(): Decimal | undefined {
    return this.marked ? this.#mark?.exactPrice : this.exactLast();
  }

  exactLast(): Decimal | undefined {
    return this.#quoted || this.#newest !== undefined ? this.instrument.tick.toDecimal(this.lastTicks) : undefined;
  }

  /**
   * Whole ticks by which the venue judges triggers of this side: the last price, on quotes and depth what a taker would pay, or
   * the mark where the contract goes by it. @param inside the newest price inside a bar, where it is newer.
   */
  triggerTicks(side: Side, inside?: number): number {
    if (this.instrument.contract?.triggerBy === 'mark' && this.marked) return Math.round(this.#markInTicks);
    if (inside !== undefined) return inside;
    if (this.#quoted) return side === 'buy' ? this.#quote.askTicks : this.#quote.bidTicks;
    return this.#newest?.kind === 'depth' ? this.#book!.facing(side).bestTicks || this.#bookMiddle : this.lastTicks;
  }

  apply(event: MarketEvent): void {
    if (event.kind === 'quote') this.applyQuote(event);
    else this.#keep(event);
  }

  applyQuote(quote: Quote): void {
    this.#quote.take(quote);
    this.#quoted = true;
  }

  /** From here quotes come by their rows: `goToQuote` names the newest and its middle, and `leaveQuotes` ends it. */
  followQuotes(rows: QuoteRows): void {
    this.#quote.follow(rows);
  }

  goToQuote(row: number, midTicks: number): void {
    this.#quote.goTo(row, midTicks);
    this.#quoted = true;
  }

  leaveQuotes(): void {
    this.#quote.leave();
  }

  #keep(event: Exclude<MarketEvent, Quote>): void {
    switch (event.kind) {
      case 'mark':
        this.#mark = event;
        this.#markInTicks = inTicks(event, this.instrument.tick);
        return;
      case 'funding':
        this.#funding = event;
        return;
      case 'bar':
        this.#bar = event;
        // A bar that the engine built is no news: its prices have been seen, and newer ones may have been since.
        if (event.sequence <= this.sequence) return;
        break;
      case 'depth':
        // A book with an empty side has no price: the one before stands.
        if (!this.#bookAfter(event).twoSided) return;
        this.#bookMiddle = this.#book!.midTicks;
    }
    this.#quoted = false;
    this.#newest = event;
  }

  #bookAfter(event: Depth): DepthBook {
    this.#book ??= new DepthBook();
    this.#book.apply(event);
    return this.#book;
  }

  /** `markTicks` as a call, which V8 inlines by how often it happens, while it does not count how often a getter is read. */
  valueTicks(): number {
    return this.#mark === undefined || !this.#fresh(this.#mark) ? this.#last() : this.#markInTicks;
  }

  #last(): number {
    // Compared, as V8 asks a field that is true at length what else it could be.
    if (this.#quoted === true) return this.#quote.midTicks();
    return this.#newest === undefined ? Number.NaN : this.#lastOf(this.#newest);
  }

  #lastOf(event: Bar | Depth | Trade | Ticker): number {
    return event.kind === 'depth' ? this.#bookMiddle : lastOf(event);
  }

  #fresh({ time }: Mark): boolean {
    // Before the first price it is as new as any.
    return this.time - time <= this.markMaxAgeMs;
  }
}

/** One division of whole numbers, so that a mark on a tick is that very tick. */
function inTicks({ units, decimals }: Mark, { numerator, decimals: places }: Grid): number {
  return decimals < places ? (units * 10 ** (places - decimals)) / numerator : units / (numerator * 10 ** (decimals - places));
}

function lastOf(event: Bar | Trade | Ticker): number {
  switch (event.kind) {
    case 'bar':
      return event.closeTicks;
    case 'trade':
      return event.priceTicks;
    case 'ticker':
      return event.lastTicks;
  }
}

/** The newest quote is no row: its numbers are kept here. */
const KEPT = -1;

/**
 * The numbers of the newest quote of one instrument. The event itself is not held on to: a replay makes one for every row, and one
 * that nobody keeps need not come to be at all (the compiler leaves it out). Of quotes that come by their rows no number but
 * the middle is copied before somebody asks. Whoever asks for the quote gets one made anew.
 */
class QuoteFigures {
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
