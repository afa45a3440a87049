import { type BarInterval, barIntervalText, barStart, type CalendarInterval } from './bar-interval.ts';
import { Decimal } from './decimal.ts';
import type { Instrument } from './instrument.ts';

/**
 * Market data of a recording or an exchange. Each event is one fresh, plain instance: safe to
 * keep, never reused. Times are epoch milliseconds (fractions to the microsecond); `sequence` numbers
 * the market data of a run in the order in which it happened. Prices and quantities are integer ticks
 * and steps of the instrument; the getters give the nearest doubles.
 */
export type MarketEvent = Bar | Depth | Quote | Trade | Ticker | Mark | Funding;
export type MarketEventKind = MarketEvent['kind'];
/** The kinds with prices at which orders fill. */
export const PRICE_EVENT_KINDS = ['bar', 'depth', 'quote', 'trade', 'ticker'] as const satisfies readonly MarketEventKind[];
export type PriceEventKind = (typeof PRICE_EVENT_KINDS)[number];
/** All kinds, in the order in which they are applied at equal times. */
export const MARKET_EVENT_KINDS = [...PRICE_EVENT_KINDS, 'mark', 'funding'] as const satisfies readonly MarketEventKind[];

/** One completed bar over [openTime, time); delivered at its close. */
export class Bar {
  declare readonly kind: 'bar';
  constructor(
    readonly instrument: Instrument,
    /** The close of the interval, at which the bar is delivered. */
    readonly time: number,
    readonly sequence: number,
    /** The length of this bar. */
    readonly intervalMs: number,
    readonly openTicks: number,
    readonly highTicks: number,
    readonly lowTicks: number,
    readonly closeTicks: number,
    /** Traded quantity in base units (a plain number: volumes are statistics, not money). */
    readonly volume: number,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get openTime(): number {
    return this.time - this.intervalMs;
  }
  /** The interval as text: `1h`, `1w`, `1M`. */
  get interval(): string {
    return barIntervalText(this.intervalKey).split(' ')[0]!;
  }
  /** The interval by which bars of one kind are found. @internal */
  get intervalKey(): BarInterval {
    return this.intervalMs;
  }
  get open(): number {
    return this.instrument.tick.toNumber(this.openTicks);
  }
  get high(): number {
    return this.instrument.tick.toNumber(this.highTicks);
  }
  get low(): number {
    return this.instrument.tick.toNumber(this.lowTicks);
  }
  get close(): number {
    return this.instrument.tick.toNumber(this.closeTicks);
  }
}

/** A bar of a calendar interval: months differ in length, and weeks from Monday are not those of `1w`. */
export class CalendarBar extends Bar {
  constructor(
    instrument: Instrument,
    time: number,
    sequence: number,
    /** The interval; `intervalMs` is the length of this one bar. */
    readonly calendar: CalendarInterval,
    openTicks: number,
    highTicks: number,
    lowTicks: number,
    closeTicks: number,
    volume: number,
  ) {
    super(instrument, time, sequence, time - barStart(calendar, time - 1), openTicks, highTicks, lowTicks, closeTicks, volume);
  }

  override get intervalKey(): BarInterval {
    return this.calendar;
  }
}

/** The bar of any interval. */
export function barOf(
  instrument: Instrument,
  time: number,
  sequence: number,
  interval: BarInterval,
  ...prices: [openTicks: number, highTicks: number, lowTicks: number, closeTicks: number, volume: number]
): Bar {
  return typeof interval === 'number'
    ? new Bar(instrument, time, sequence, interval, ...prices)
    : new CalendarBar(instrument, time, sequence, interval, ...prices);
}

/** Levels of one side of an order book that changed: prices in ticks, and the new steps (0: none). */
export interface ChangedLevels {
  readonly ticks: readonly number[];
  readonly steps: readonly number[];
}

/** The change of the order book at one moment. The whole book after it is `market(symbol).book`. */
export class Depth {
  declare readonly kind: 'depth';
  constructor(
    readonly instrument: Instrument,
    readonly time: number,
    readonly sequence: number,
    /** The levels are the whole book: all others are removed. */
    readonly snapshot: boolean,
    readonly bids: ChangedLevels,
    readonly asks: ChangedLevels,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
}

/** The best bid and ask with their quantities. */
export class Quote {
  declare readonly kind: 'quote';
  constructor(
    readonly instrument: Instrument,
    readonly time: number,
    readonly sequence: number,
    readonly bidTicks: number,
    readonly askTicks: number,
    readonly bidSteps: number,
    readonly askSteps: number,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get bid(): number {
    return this.instrument.tick.toNumber(this.bidTicks);
  }
  get ask(): number {
    return this.instrument.tick.toNumber(this.askTicks);
  }
  get bidQuantity(): number {
    return this.instrument.step.toNumber(this.bidSteps);
  }
  get askQuantity(): number {
    return this.instrument.step.toNumber(this.askSteps);
  }
  get mid(): number {
    return this.instrument.tick.toNumber((this.bidTicks + this.askTicks) / 2);
  }
}

/** One public trade; `side` is the aggressor's, absent if the source does not have it. */
export class Trade {
  declare readonly kind: 'trade';
  constructor(
    readonly instrument: Instrument,
    readonly time: number,
    readonly sequence: number,
    readonly priceTicks: number,
    readonly steps: number,
    readonly side: 'buy' | 'sell' | undefined,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get price(): number {
    return this.instrument.tick.toNumber(this.priceTicks);
  }
  get quantity(): number {
    return this.instrument.step.toNumber(this.steps);
  }
}

/** The last traded price, as a poll of the exchange's ticker returns it. */
export class Ticker {
  declare readonly kind: 'ticker';
  constructor(
    readonly instrument: Instrument,
    readonly time: number,
    readonly sequence: number,
    readonly lastTicks: number,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get last(): number {
    return this.instrument.tick.toNumber(this.lastTicks);
  }
}

/**
 * The exchange's mark price of a contract, which decides margin, liquidation and funding. It keeps its own
 * decimals and is never snapped to the tick.
 */
export class Mark {
  declare readonly kind: 'mark';
  constructor(
    readonly instrument: Instrument,
    readonly time: number,
    readonly sequence: number,
    /** The price is `units / 10^decimals`, exact. */
    readonly units: number,
    readonly decimals: number,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get price(): number {
    return this.units / 10 ** this.decimals;
  }
  get exactPrice(): Decimal {
    return new Decimal(this.units).times(new Decimal(10).pow(-this.decimals));
  }
}

/** A contract settles funding: longs pay shorts this share of the position's value at the mark (negative: shorts pay). */
export class Funding {
  declare readonly kind: 'funding';
  constructor(
    readonly instrument: Instrument,
    readonly time: number,
    readonly sequence: number,
    readonly exactRate: Decimal,
  ) {}

  get symbol(): string {
    return this.instrument.symbol;
  }
  get rate(): number {
    return this.exactRate.toNumber();
  }
}

// The discriminant is on the prototype: one pointer less to write for every market event.
Object.defineProperty(Bar.prototype, 'kind', { value: 'bar', enumerable: true });
Object.defineProperty(Depth.prototype, 'kind', { value: 'depth', enumerable: true });
Object.defineProperty(Quote.prototype, 'kind', { value: 'quote', enumerable: true });
Object.defineProperty(Trade.prototype, 'kind', { value: 'trade', enumerable: true });
Object.defineProperty(Ticker.prototype, 'kind', { value: 'ticker', enumerable: true });
Object.defineProperty(Mark.prototype, 'kind', { value: 'mark', enumerable: true });
Object.defineProperty(Funding.prototype, 'kind', { value: 'funding', enumerable: true });

/** Recorded quotes of one instrument by their columns, one element a row. The arrays are reused after the last row. */
export interface QuoteRows {
  /** Epoch ms. */
  readonly times: Float64Array;
  readonly bidTicks: Float64Array;
  readonly askTicks: Float64Array;
  /** The quote of a row, a new instance at each call. If several instruments take turns, only the newest row is allowed. */
  quoteAt(row: number): Quote;
}
