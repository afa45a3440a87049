import type { Decimal } from '../../model/decimal.ts';
import { DepthBook } from '../../model/depth-book.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Depth, Mark } from '../../model/market-events.ts';
import { CandleBook, DayFigures } from './day-figures.ts';
import type { DayReport } from './day-report.ts';

/** What the exchange shows of one instrument's prices. */
export class MarketView {
  /** Ticks; `NaN` before the first price. Of quotes the middle, rounded down. */
  lastTicks = Number.NaN;
  /** The two sides, where quotes tell them. */
  bidTicks: number | undefined;
  askTicks: number | undefined;
  /** Epoch ms of the newest price. */
  time = Number.NaN;
  readonly day = new DayFigures();
  readonly candles = new CandleBook();
  /** What the source of the prices said last of its 24 hours, and when. */
  report: (DayReport & { readonly time: number }) | undefined;
  /** The last price as the matching room values by it: of quotes the very middle. */
  #value = Number.NaN;
  #mark: Mark | undefined;
  #book: DepthBook | undefined;

  /** @param markMaxAgeMs age from which a mark gives way to the last price, as the matching room has it. */
  constructor(
    readonly instrument: Instrument,
    private readonly markMaxAgeMs: number,
  ) {}

  get known(): boolean {
    return !Number.isNaN(this.lastTicks);
  }

  /** What positions are valued at: the mark while it is young enough, else the last price. */
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

  /** The order book changed: its best prices are the quote, while something stands on both sides. */
  depth(change: Depth): void {
    this.#book ??= new DepthBook();
    this.#book.apply(change);
    const { bids, asks, twoSided } = this.#book;
    if (twoSided) this.quote(change.time, bids.bestTicks, asks.bestTicks);
  }

  /** Something was traded; the first price has been seen. @param value In quote. */
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
