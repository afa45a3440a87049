import type { BarInterval } from '../../../model/bar-interval.ts';
import { DayZone } from '../../../model/day-zone.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent, Quote, QuoteRows } from '../../../model/market-events.ts';
import type { ReadonlyMarket, ReadonlyState } from '../../../state/state.ts';
import { CoverageBuilder, type PriceCoverage } from '../../../statistics/comparison/price-coverage.ts';
import type { PriceRange } from '../../../statistics/trades/trade.ts';

/** The interval of events that are not bars. */
const SINGLE_PRICE = 0;

/**
 * Records facts about the prices of one instrument during the run. It is one object that processes each event once, as it receives all.
 *
 * - The times with prices: a subtraction and a comparison for each event.
 * - The lowest and the highest price from one fill to the next, while a strategy holds the instrument. A bar counts with its low and high,
 *   the bar of a fill completely, as its path is unknown; quotes count with their mid price.
 * - The traded value of each day, in quote: a multiplication and an addition for each bar or trade.
 *
 * Prices of earlier events do not count again, except for the coverage.
 */
export class PriceTape {
  readonly coverage = new CoverageBuilder();
  /** By the end of the day; a day is (midnight, midnight], as a bar that closes at midnight belongs to the day that it covers. */
  readonly volumes = new Map<number, number>();
  /** True if a strategy holds a position. */
  held = false;
  readonly #finest = new FinestPrice();
  #lowTicks = Number.POSITIVE_INFINITY;
  #highTicks = Number.NEGATIVE_INFINITY;
  /** The end of the present day, and its traded value so far. */
  #dayEnd = Number.NEGATIVE_INFINITY;
  #traded = 0;

  /** @param market the market state, which has processed each added event. */
  constructor(
    private readonly market: Pick<ReadonlyMarket, 'lastTicks'>,
    private readonly zone = new DayZone(),
  ) {}

  add(event: MarketEvent): void {
    if (event.kind !== 'quote') {
      this.#addOther(event);
      return;
    }
    if (this.held && this.#finest.isNew(SINGLE_PRICE)) this.#see((event.bidTicks + event.askTicks) / 2);
    this.coverage.add(event.time);
  }

  addQuotes(rows: QuoteRows, from: number, to: number): void {
    if (this.held && this.#finest.isNew(SINGLE_PRICE)) this.#seeMiddles(rows, from, to);
    this.coverage.addAll(rows.times, from, to);
  }

  /** Adds any other event. It is a separate method, so that `add` stays short for quotes. */
  #addOther(event: Exclude<MarketEvent, Quote>): void {
    // Without a position, `add` does not report quotes to `#finest`: this call does it.
    if (!this.coverage.empty) this.#finest.isNew(SINGLE_PRICE);
    switch (event.kind) {
      case 'depth':
        if (this.#finest.isNew(SINGLE_PRICE) && this.held) this.#see(this.market.lastTicks);
        break;
      case 'trade':
        if (!this.#finest.isNew(SINGLE_PRICE)) break;
        this.#count(event.time, event.price * event.quantity);
        if (this.held) this.#see(event.priceTicks);
        break;
      case 'ticker':
        if (this.#finest.isNew(SINGLE_PRICE) && this.held) this.#see(event.lastTicks);
        break;
      case 'bar':
        if (!this.#finest.isNew(event.intervalKey)) break;
        this.#count(event.time, event.close * event.volume);
        if (this.held) this.#see(event.lowTicks, event.highTicks);
        break;
      case 'mark':
      case 'funding':
        // No order fills at these prices.
        return;
      default:
        event satisfies never;
        return;
    }
    this.coverage.add(event.time);
  }

  /** The range since the last call; `undefined` without prices. */
  range(): PriceRange | undefined {
    const lowTicks = this.#lowTicks;
    const highTicks = this.#highTicks;
    return lowTicks <= highTicks ? { lowTicks, highTicks } : undefined;
  }

  /** Returns the range so far; the next range begins here. */
  takeRange(): PriceRange | undefined {
    const range = this.range();
    this.#lowTicks = Number.POSITIVE_INFINITY;
    this.#highTicks = Number.NEGATIVE_INFINITY;
    return range;
  }

  /** Stores the present day. */
  finish(): void {
    if (this.#traded !== 0) this.volumes.set(this.#dayEnd, this.#traded);
    this.#traded = 0;
  }

  /** Extends the range. The `NaN` of a book without a price never extends it. */
  #see(lowTicks: number, highTicks = lowTicks): void {
    if (lowTicks < this.#lowTicks) this.#lowTicks = lowTicks;
    if (highTicks > this.#highTicks) this.#highTicks = highTicks;
  }

  #seeMiddles({ bidTicks, askTicks }: QuoteRows, from: number, to: number): void {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let row = from; row < to; row++) {
      const twice = bidTicks[row]! + askTicks[row]!;
      if (twice < low) low = twice;
      if (twice > high) high = twice;
    }
    this.#see(low / 2, high / 2);
  }

  #count(time: number, value: number): void {
    if (time > this.#dayEnd) {
      this.finish();
      this.#dayEnd = this.zone.endOf(time);
    }
    this.#traded += value;
  }
}

/** Records facts about the prices of all instruments of a run. */
export class PriceRecorder {
  /** By the index of the instrument. */
  readonly #tapes: readonly PriceTape[];

  constructor(
    private readonly state: Pick<ReadonlyState, 'instruments' | 'markets' | 'books'>,
    dayZone?: string,
  ) {
    this.#tapes = state.markets.map((market) => new PriceTape(market, new DayZone(dayZone)));
  }

  /** Receives every market event of the instrument, after the state has processed it. */
  tapeOf({ index }: Instrument): PriceTape {
    return this.#tapes[index]!;
  }

  /** Called at a fill, after the state has processed it. @returns the lowest and highest price since the last fill, while it was held. */
  next(instrument: Instrument): PriceRange | undefined {
    const tape = this.#tapes[instrument.index]!;
    tape.held = false;
    for (const book of this.state.books.values()) for (const { steps } of book.sides(instrument)) if (steps !== 0) tape.held = true;
    return tape.takeRange();
  }

  /** The ranges since the last fill of each instrument. */
  lastRanges(): Map<Instrument, PriceRange> {
    return this.#of((tape) => tape.range());
  }

  /** The traded value of each instrument's market, in quote, by the end of the day. Called after `finish`. */
  volumes(): Map<Instrument, ReadonlyMap<number, number>> {
    return this.#of(({ volumes }) => (volumes.size > 0 ? volumes : undefined));
  }

  /** By symbol, for symbols with prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#of((tape) => tape.coverage.coverage())].map(([{ symbol }, coverage]) => [symbol, coverage]));
  }

  /** Called at the end of the run. */
  finish(): void {
    for (const tape of this.#tapes) tape.finish();
  }

  #of<T>(find: (tape: PriceTape) => T | undefined): Map<Instrument, T> {
    const found = new Map<Instrument, T>();
    for (const instrument of this.state.instruments) {
      const one = find(this.#tapes[instrument.index]!);
      if (one !== undefined) found.set(instrument, one);
    }
    return found;
  }
}

const NOTHING_SEEN = -1;

/**
 * Selects the market events of one instrument with new prices: of bars only the recorded interval, because longer ones are built from
 * it, and no bars if there are single prices. A built bar comes after its source.
 */
export class FinestPrice {
  #interval: BarInterval = NOTHING_SEEN;

  /** @param interval of a bar; 0 for a single price. */
  isNew(interval: BarInterval): boolean {
    if (this.#interval === NOTHING_SEEN) this.#interval = interval;
    return this.#interval === interval;
  }
}

/** Selects the events with new prices for several instruments. */
export class FinestPrices {
  /** By the index of the instrument. */
  readonly #prices: FinestPrice[] = [];

  /** @param index of the instrument. @param interval of a bar; 0 for a single price. */
  has(index: number, interval: BarInterval): boolean {
    this.#prices[index] ??= new FinestPrice();
    return this.#prices[index].isNew(interval);
  }
}
