import type { Decimal } from '../model/decimal.ts';
import { DepthBook } from '../model/depth-book.ts';
import type { Grid } from '../model/grid.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Depth, Funding, Mark, MarketEvent, Quote, Ticker, Trade } from '../model/market-events.ts';
import type { Side } from '../model/order.ts';

/** Age from which a mark price gives way to the last price, unless the config says otherwise. */
const MARK_MAX_AGE_MS = 60_000;

/**
 * The newest prices of one instrument. Applying an event only keeps it; what it means is worked out when
 * somebody asks, as most events are looked at by nobody but the strategy that is handed them.
 */
export class MarketState {
  /** The newest of those that tell prices at which orders fill. */
  #newest: Bar | Depth | Quote | Trade | Ticker | undefined;
  #bar: Bar | undefined;
  #quote: Quote | undefined;
  #book: DepthBook | undefined;
  /** The middle of the book when both its sides last had a level. */
  #bookMiddle = Number.NaN;
  #mark: Mark | undefined;
  #markInTicks = Number.NaN;
  #funding: Funding | undefined;

  constructor(
    readonly instrument: Instrument,
    private readonly markMaxAgeMs = MARK_MAX_AGE_MS,
  ) {}

  /** Sequence of the newest price of this instrument; 0 before the first. */
  get sequence(): number {
    return this.#newest?.sequence ?? 0;
  }
  /** Epoch ms of the newest price; `-Infinity` before the first. */
  get time(): number {
    return this.#newest?.time ?? Number.NEGATIVE_INFINITY;
  }
  /** What orders are judged by, in ticks: last, close, trade price, or the middle of a quote or book; `NaN` before the first. */
  get lastTicks(): number {
    return this.#newest === undefined ? Number.NaN : this.#lastOf(this.#newest);
  }
  /** The same as the nearest double. */
  get last(): number {
    return this.instrument.tick.toNumber(this.lastTicks);
  }
  /** What positions are valued at, in ticks and their fractions: the mark price while it is fresh, else the last price. */
  get markTicks(): number {
    return this.#mark === undefined || !this.#fresh(this.#mark) ? this.lastTicks : this.#markInTicks;
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
    return this.#newest?.kind === 'quote' ? this.#newest : this.#quote;
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
    return this.#newest === undefined ? undefined : this.instrument.tick.toDecimal(this.#lastOf(this.#newest));
  }

  /**
   * Whole ticks by which the venue judges triggers of this side: the last price, on quotes and depth what a taker would pay, or
   * the mark where the contract goes by it. @param inside the newest price inside a bar, where it is newer.
   */
  triggerTicks(side: Side, inside?: number): number {
    if (this.instrument.contract?.triggerBy === 'mark' && this.marked) return Math.round(this.#markInTicks);
    if (inside !== undefined) return inside;
    if (this.#newest?.kind === 'depth') return this.#book!.facing(side).bestTicks || this.#bookMiddle;
    if (this.#newest?.kind !== 'quote') return this.lastTicks;
    return side === 'buy' ? this.#newest.askTicks : this.#newest.bidTicks;
  }

  apply(event: MarketEvent): void {
    if (event.kind !== 'quote') this.#keep(event);
    else this.#newest = event;
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
    this.#quote = this.quote;
    this.#newest = event;
  }

  #bookAfter(event: Depth): DepthBook {
    this.#book ??= new DepthBook();
    this.#book.apply(event);
    return this.#book;
  }

  #lastOf(event: Bar | Depth | Quote | Trade | Ticker): number {
    return event.kind === 'depth' ? this.#bookMiddle : lastOf(event);
  }

  #fresh({ time }: Mark): boolean {
    return this.#newest === undefined || this.#newest.time - time <= this.markMaxAgeMs;
  }
}

/** One division of whole numbers, so that a mark on a tick is that very tick. */
function inTicks({ units, decimals }: Mark, { numerator, decimals: places }: Grid): number {
  return decimals < places ? (units * 10 ** (places - decimals)) / numerator : units / (numerator * 10 ** (decimals - places));
}

function lastOf(event: Bar | Quote | Trade | Ticker): number {
  switch (event.kind) {
    case 'quote':
      return (event.bidTicks + event.askTicks) / 2;
    case 'bar':
      return event.closeTicks;
    case 'trade':
      return event.priceTicks;
    case 'ticker':
      return event.lastTicks;
  }
}
