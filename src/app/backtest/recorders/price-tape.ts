import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent, Quote, QuoteRows } from '../../../model/market-events.ts';
import type { ReadonlyMarket, ReadonlyState } from '../../../state/state.ts';
import { CoverageBuilder, type PriceCoverage } from '../../../statistics/comparison/price-coverage.ts';
import type { PriceRange } from '../../../statistics/trades/trade.ts';

const DAY_MS = 86_400_000;
/** The interval of what is no bar. */
const SINGLE_PRICE = 0;

/**
 * What a run keeps of the prices of one instrument as they pass: one object with one look at each, as all market events come here.
 *
 * - When there were prices: a subtraction and a comparison an event.
 * - The lowest and the highest from one fill to the next, while some strategy holds the instrument. A bar counts with its low
 *   and high, of the bar that a fill came in the whole, as its path is not known; of quotes the middle counts.
 * - What was traded a UTC day, in quote: a multiplication and an addition a bar or trade.
 *
 * Prices that earlier events told do not count again, but for the coverage.
 */
export class PriceTape {
  readonly coverage = new CoverageBuilder();
  /** By the day's END; a day is (midnight, midnight], as a bar that closes at midnight belongs to the day it covers. */
  readonly volumes = new Map<number, number>();
  /** Some strategy holds a position. */
  held = false;
  readonly #finest = new FinestPrice();
  #lowTicks = Number.POSITIVE_INFINITY;
  #highTicks = Number.NEGATIVE_INFINITY;
  /** The end of the day under way, and what was traded in it so far. */
  #dayEnd = Number.NEGATIVE_INFINITY;
  #traded = 0;

  /** @param market has taken in what is added. */
  constructor(private readonly market: Pick<ReadonlyMarket, 'lastTicks'>) {}

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

  /** Apart, so that quotes have a short way. */
  #addOther(event: Exclude<MarketEvent, Quote>): void {
    // Quotes leave it unsaid while nothing is held.
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
        if (!this.#finest.isNew(event.intervalMs)) break;
        this.#count(event.time, event.close * event.volume);
        if (this.held) this.#see(event.lowTicks, event.highTicks);
        break;
      case 'mark':
      case 'funding':
        // Nothing trades at these.
        return;
      default:
        event satisfies never;
        return;
    }
    this.coverage.add(event.time);
  }

  /** What was seen since the range before was taken; `undefined` where nothing was. */
  range(): PriceRange | undefined {
    const lowTicks = this.#lowTicks;
    const highTicks = this.#highTicks;
    return lowTicks <= highTicks ? { lowTicks, highTicks } : undefined;
  }

  /** The range so far; the next begins here. */
  takeRange(): PriceRange | undefined {
    const range = this.range();
    this.#lowTicks = Number.POSITIVE_INFINITY;
    this.#highTicks = Number.NEGATIVE_INFINITY;
    return range;
  }

  /** Writes down the day under way. */
  finish(): void {
    if (this.#traded !== 0) this.volumes.set(this.#dayEnd, this.#traded);
    this.#traded = 0;
  }

  /** Nothing is lower or higher than the `NaN` of a book without a price. */
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
      this.#dayEnd = Math.ceil(time / DAY_MS) * DAY_MS;
    }
    this.#traded += value;
  }
}

/** What a run keeps of the prices of all its instruments. */
export class PriceRecorder {
  /** By the index of the instrument. */
  readonly #tapes: readonly PriceTape[];

  constructor(private readonly state: Pick<ReadonlyState, 'instruments' | 'markets' | 'books'>) {
    this.#tapes = state.markets.map((market) => new PriceTape(market));
  }

  /** Takes every market event of the instrument, once it is in the state. */
  tapeOf({ index }: Instrument): PriceTape {
    return this.#tapes[index]!;
  }

  /** Called at a fill, after the state has taken it. @returns the lowest and highest price since the last one, while some was held. */
  next(instrument: Instrument): PriceRange | undefined {
    const tape = this.#tapes[instrument.index]!;
    tape.held = false;
    for (const book of this.state.books.values()) for (const { steps } of book.sides(instrument)) if (steps !== 0) tape.held = true;
    return tape.takeRange();
  }

  /** What was seen since the last fill of each instrument. */
  lastRanges(): Map<Instrument, PriceRange> {
    return this.#of((tape) => tape.range());
  }

  /** What the market of each instrument traded, in quote, by the end of the UTC day. Called after `finish`. */
  volumes(): Map<Instrument, ReadonlyMap<number, number>> {
    return this.#of(({ volumes }) => (volumes.size > 0 ? volumes : undefined));
  }

  /** By symbol, of those that had prices. */
  coverage(): ReadonlyMap<string, PriceCoverage> {
    return new Map([...this.#of((tape) => tape.coverage.coverage())].map(([{ symbol }, coverage]) => [symbol, coverage]));
  }

  /** The run is over. */
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
 * Which market events of one instrument tell prices that no earlier ones told: of bars the recorded interval alone, as longer
 * ones are built from it, and none beside single prices. What is built comes after what it is built from.
 */
export class FinestPrice {
  #interval = NOTHING_SEEN;

  /** @param interval of a bar in ms; 0 for a single price. */
  isNew(interval: number): boolean {
    if (this.#interval === NOTHING_SEEN) this.#interval = interval;
    return this.#interval === interval;
  }
}

/** The same of several instruments. */
export class FinestPrices {
  /** By the index of the instrument. */
  readonly #prices: FinestPrice[] = [];

  /** @param index of the instrument. @param interval of a bar in ms; 0 for a single price. */
  has(index: number, interval: number): boolean {
    this.#prices[index] ??= new FinestPrice();
    return this.#prices[index].isNew(interval);
  }
}
