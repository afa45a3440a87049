import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { DepthBook, type ReadonlyDepthBook } from '../../model/depth-book.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Depth, Funding, Mark } from '../../model/market-events.ts';
import { CandleBook, DayFigures } from './price-history.ts';

/** As many as one page of funding rates shows. */
const KEPT_FUNDINGS = 100;

/** The prices of one instrument as the exchange's operations show them. */
export class MarketView {
  /** Ticks; `NaN` before the first price. For quotes the middle, rounded down. */
  lastTicks = Number.NaN;
  /** Best bid and ask, if there are quotes. */
  bidTicks: number | undefined;
  askTicks: number | undefined;
  /** Epoch ms of the newest price. */
  time = Number.NaN;
  readonly day = new DayFigures();
  readonly candles = new CandleBook();
  /** The last 24-hour figures from the source of the prices, and their time. */
  report: (DayReport & { readonly time: number }) | undefined;
  /** The last price with which the simulator values: for quotes the exact middle. */
  #value = Number.NaN;
  /** The newest funding payments of a contract, oldest first. */
  readonly fundings: Funding[] = [];
  #mark: Mark | undefined;
  #book: DepthBook | undefined;

  /** @param markMaxAgeMs age from which the last price replaces a mark, as in the simulator. */
  constructor(
    readonly instrument: Instrument,
    private readonly markMaxAgeMs: number,
  ) {}

  get known(): boolean {
    return !Number.isNaN(this.lastTicks);
  }

  /** The price that values positions: the mark while it is new enough, else the last price. */
  get markPrice(): Decimal {
    const mark = this.#mark;
    const fresh = mark !== undefined && !(this.time > mark.time + this.markMaxAgeMs);
    return fresh ? mark.exactPrice : this.instrument.tick.toDecimal(this.#value);
  }

  mark(mark: Mark): void {
    this.#mark = mark;
  }

  price(time: number, ticks: number): void {
    this.lastTicks = ticks;
    this.#value = ticks;
    this.time = time;
    this.day.price(time, ticks);
    this.candles.price(time, ticks);
  }

  /** The recorded order book; `undefined` if prices come from another kind of data. */
  get book(): ReadonlyDepthBook | undefined {
    return this.#book;
  }

  funding(funding: Funding): void {
    this.fundings.push(funding);
    if (this.fundings.length > KEPT_FUNDINGS) this.fundings.shift();
  }

  /** The order book changed: its best prices are the quote, while neither side is empty. */
  depth(change: Depth): void {
    this.#book ??= new DepthBook();
    this.#book.apply(change);
    const { bids, asks, twoSided } = this.#book;
    if (twoSided) this.quote(change.time, bids.bestTicks, asks.bestTicks);
  }

  /** A trade; the first price has been received. @param value In quote. */
  trade(time: number, steps: number, value: Decimal): void {
    this.day.trade(time, steps, value);
    this.candles.trade(time, steps, value);
  }

  quote(time: number, bidTicks: number, askTicks: number): void {
    const middle = (bidTicks + askTicks) / 2;
    this.bidTicks = bidTicks;
    this.askTicks = askTicks;
    this.price(time, Math.floor(middle));
    this.#value = middle;
  }
}

const DAY_MS = 86_400_000;

/** The 24 hours of a ticker, in money and epoch ms. */
interface ShownDay {
  readonly open: Decimal;
  readonly close: Decimal;
  readonly high: Decimal;
  readonly highTime: number;
  readonly low: Decimal;
  readonly lowTime: number;
  readonly trades: number;
  /** In base. */
  readonly size: Decimal;
  /** In quote. */
  readonly value: Decimal;
  readonly startTime: number;
  readonly endTime: number;
}

/**
 * Own figures, combined with those of the exchange from which prices come for the time before: its open, the more extreme high and
 * low, and its trades plus those of this exchange's own accounts. `undefined` before the first price.
 */
export function shownDay({ day, instrument, report }: MarketView, now: number): ShownDay | undefined {
  const seen = day.summary(now);
  if (seen === undefined) return undefined;
  const { tick, step } = instrument;
  const own: ShownDay = {
    ...seen,
    open: tick.toDecimal(seen.open),
    close: tick.toDecimal(seen.close),
    high: tick.toDecimal(seen.high),
    low: tick.toDecimal(seen.low),
    size: step.toDecimal(seen.steps),
  };
  if (report === undefined || report.time < now - DAY_MS) return own;
  const { open, high, highTime, low, lowTime, trades, size, value } = report;
  return {
    ...own,
    open: open ?? own.open,
    ...(high?.greaterThan(own.high) ? { high, highTime: highTime ?? own.startTime } : {}),
    ...(low?.lessThan(own.low) ? { low, lowTime: lowTime ?? own.startTime } : {}),
    trades: own.trades + (trades ?? 0),
    size: own.size.plus(size ?? ZERO),
    value: own.value.plus(value ?? ZERO),
  };
}

/** The 24-hour figures of another exchange; `undefined` for figures that it does not have. */
export interface DayReport {
  readonly instrument: Instrument;
  readonly open: Decimal | undefined;
  readonly high: Decimal | undefined;
  readonly low: Decimal | undefined;
  /** Epoch ms. */
  readonly highTime: number | undefined;
  readonly lowTime: number | undefined;
  readonly trades: number | undefined;
  /** In base. */
  readonly size: Decimal | undefined;
  /** In quote. */
  readonly value: Decimal | undefined;
}

export function spotReport(instrument: Instrument, ticker: PayloadOf<'ticker'>): DayReport {
  const { trades, highTime, lowTime } = ticker;
  return {
    instrument,
    open: price(ticker.open),
    high: price(ticker.high),
    low: price(ticker.low),
    highTime,
    lowTime,
    trades,
    size: decimalOf(ticker.size),
    value: decimalOf(ticker.value),
  };
}

/** A contract's ticker has no open but the change since it, and no count of trades. */
export function futuresReport(instrument: Instrument, ticker: PayloadOf<'futuresTicker'>): DayReport {
  const change = decimalOf(ticker.priceChangePercent);
  const open = change === undefined || change.lessThanOrEqualTo(-1) ? undefined : new Decimal(ticker.last).div(change.plus(1));
  return {
    instrument,
    open: open?.toNearest(instrument.tick.text),
    high: price(ticker.high_24h),
    low: price(ticker.low_24h),
    highTime: undefined,
    lowTime: undefined,
    trades: undefined,
    size: decimalOf(ticker.base_volume),
    value: decimalOf(ticker.volume_24h),
  };
}

/** Exchanges without a price send 0. */
function price(text: string | undefined): Decimal | undefined {
  const found = decimalOf(text);
  return found?.greaterThan(0) ? found : undefined;
}

function decimalOf(text: string | undefined): Decimal | undefined {
  return text === undefined || text === '' ? undefined : new Decimal(text);
}
