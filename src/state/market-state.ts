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

/** Default age from which a mark price is too old, and the last price is used in its place. */
const MARK_MAX_AGE_MS = 60_000;

/**
 * The newest prices of one instrument. Applying an event only stores it; prices are computed when they are requested, as most events are
 * read only by the strategy that receives them.
 */
export class MarketState {
  /** The newest quote, and whether it is the newest event with prices at which orders fill. */
  readonly #quote: QuoteFigures;
  #quoted = false;
  /** The newest event that is not a quote. */
  #newest: Bar | Depth | Trade | Ticker | undefined;
  #bar: Bar | undefined;
  #book: DepthBook | undefined;
  /** The middle of the order book when both sides last had a level. */
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
  /**
   * The last price, in ticks: last, close, trade price, or the middle of a quote or an order book. Orders are checked against it. `NaN`
   * before the first.
   */
  get lastTicks(): number {
    return this.#last();
  }
  /** The same as the nearest double. */
  get last(): number {
    return this.instrument.tick.toNumber(this.lastTicks);
  }
  /** The price that positions are valued at, in ticks with fractions: the mark price while it is fresh, else the last price. */
  get markTicks(): number {
    return this.valueTicks();
  }
  /** The same price as the nearest double. */
  get mark(): number {
    return this.#mark === undefined || !this.#fresh(this.#mark) ? this.last : this.#mark.price;
  }
  /** True where positions are valued at a mark price rather than at the last price. */
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
  /** Epoch ms at which it was settled. */
  get fundingTime(): number | undefined {
    return this.#funding?.time;
  }

  /** The price that positions are valued at, exact; `undefined` before the first. */
  exactMark(): Decimal | undefined {
    return this.marked ? this.#mark?.exactPrice : this.exactLast();
  }

  exactLast(): Decimal | undefined {
    return this.#quoted || this.#newest !== undefined ? this.instrument.tick.toDecimal(this.lastTicks) : undefined;
  }

  /**
   * The price, in whole ticks, with which the venue compares triggers of this side: the last price, or the price that a taker would pay
   * (quotes and order books), or the mark where the contract uses it.
   * @param inside the newest price inside a bar, where it is newer.
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

  /** From this call on, quotes are read from rows: `goToQuote` sets the newest row and its middle, and `leaveQuotes` ends it. */
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
        // A bar that the engine built has no new prices: they were applied before, and newer ones may have followed.
        if (event.sequence <= this.sequence) return;
        break;
      case 'depth':
        // An order book with an empty side has no price: the previous price remains.
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

  /** `markTicks` as a method: V8 inlines methods by their call counts, but does not count reads of a getter. */
  valueTicks(): number {
    return this.#mark === undefined || !this.#fresh(this.#mark) ? this.#last() : this.#markInTicks;
  }

  #last(): number {
    // Compared with `true`, because V8 takes longer to test the truth of a field.
    if (this.#quoted === true) return this.#quote.midTicks();
    return this.#newest === undefined ? Number.NaN : this.#lastOf(this.#newest);
  }

  #lastOf(event: Bar | Depth | Trade | Ticker): number {
    return event.kind === 'depth' ? this.#bookMiddle : lastOf(event);
  }

  #fresh({ time }: Mark): boolean {
    // Before the first price, any mark is new enough.
    return this.time - time <= this.markMaxAgeMs;
  }
}

/** One division of whole numbers, so that a mark that is on a tick is exactly that tick. */
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

/** The newest quote is not in a row: its numbers are stored here. */
const KEPT = -1;

/**
 * The numbers of the newest quote of one instrument. The event is not kept: a replay makes one for every row, and the compiler can leave
 * out an event that nothing keeps. For quotes in rows, only the middle is copied until another number is requested. A new event is made
 * when the quote is requested.
 */
class QuoteFigures {
  #time = Number.NaN;
  #sequence = 0;
  #bidTicks = Number.NaN;
  #askTicks = Number.NaN;
  #bidSteps = Number.NaN;
  #askSteps = Number.NaN;
  /** Stored for every quote. */
  #midTicks = Number.NaN;
  #rows: QuoteRows | undefined;
  /** The newest row. */
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

  /** A method rather than a getter, as it is called at each quote to value positions. */
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

  /** From this call on, quotes are read from rows, until `leave`. */
  follow(rows: QuoteRows): void {
    this.#rows = rows;
  }

  /**
   * The quote of this row becomes the newest.
   * @param midTicks its middle.
   */
  goTo(row: number, midTicks: number): void {
    this.#row = row;
    this.#midTicks = midTicks;
  }

  /** The rows have ended. */
  leave(): void {
    this.#keep();
    this.#rows = undefined;
  }

  /** `undefined` before the first; the same object until the next quote. */
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
