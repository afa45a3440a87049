import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar, Funding, Mark, Ticker, Trade } from '../../model/market-events.ts';
import { FUNDING_JITTER_MS, fundingTime } from '../../recording/funding-time.ts';
import { type DataSource, MICROSECOND_MS, RowSource, type SeriesSource } from './row-source.ts';

/** Two steps a bar: its open, for matching alone, and its close, where the path is walked and the bar told. */
export class BarSource extends RowSource implements DataSource {
  opens = true;
  readonly funds = false;
  readonly follows = false;
  #opensAt: Float64Array = EMPTY;
  #highs: Float64Array = EMPTY;
  #lows: Float64Array = EMPTY;
  #closes: Float64Array = EMPTY;
  #volumes: Float64Array = EMPTY;
  readonly #volumeScale: number;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    // A bar that is not over by `to` is not of this run; one that ends with it is.
    super(source, from, to - source.intervalMs + MICROSECOND_MS, [0, 1, 2, 3], []);
    this.#volumeScale = 10 ** source.quantityDecimals;
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Bar | undefined {
    const { row, time } = this;
    const open = this.#opensAt[row]!;
    const volume = this.#volumes[row]! / this.#volumeScale;
    if (this.opens) {
      this.opens = false;
      this.time = time + this.source.intervalMs;
      matching.openBar(this.instrument, time, sequence, open, volume);
      return undefined;
    }
    const bar = new Bar(
      this.instrument,
      time,
      sequence,
      this.source.intervalMs,
      open,
      this.#highs[row]!,
      this.#lows[row]!,
      this.#closes[row]!,
      volume,
    );
    this.opens = true;
    this.advance();
    matching.closeBar(bar);
    return bar;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#opensAt = columns[0]!;
    this.#highs = columns[1]!;
    this.#lows = columns[2]!;
    this.#closes = columns[3]!;
    this.#volumes = columns[4]!;
  }
}

const EMPTY: Float64Array = new Float64Array(0);

/** Recorded tickers. */
export class TickerSource extends RowSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  #lasts: Float64Array = EMPTY;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    super(source, from, to, [0], []);
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Ticker {
    const { row } = this;
    const ticker = new Ticker(this.instrument, this.time, sequence, this.#lasts[row]!);
    this.advance();
    matching.onTicker(ticker);
    return ticker;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#lasts = columns[0]!;
  }
}

/** Recorded trades. */
export class TradeSource extends RowSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  #prices: Float64Array = EMPTY;
  #steps: Float64Array = EMPTY;
  #sides: Float64Array = EMPTY;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    super(source, from, to, [0], [1]);
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Trade {
    const { row } = this;
    const side = this.#sides[row]!;
    const aggressor = side > 0 ? 'buy' : side < 0 ? 'sell' : undefined;
    const trade = new Trade(this.instrument, this.time, sequence, this.#prices[row]!, this.#steps[row]!, aggressor);
    this.advance();
    matching.onTrade(trade);
    return trade;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#prices = columns[0]!;
    this.#steps = columns[1]!;
    this.#sides = columns[2]!;
  }
}

/** Recorded mark prices, in the decimals of their series. */
export class MarkSource extends RowSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = true;
  #marks: Float64Array = EMPTY;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    super(source, from, to, [], []);
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Mark {
    const mark = new Mark(this.instrument, this.time, sequence, this.#marks[this.row]!, this.source.priceDecimals);
    this.advance();
    matching.onMark(mark);
    return mark;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#marks = columns[0]!;
  }
}

/** Recorded funding rates; a stamp that jitters around a whole minute is that minute, also for `from` and `to`. */
export class FundingSource extends RowSource implements DataSource {
  readonly opens = false;
  readonly funds = true;
  readonly follows = true;
  #rates: Float64Array = EMPTY;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    private readonly end: number,
  ) {
    super(source, from, end + FUNDING_JITTER_MS, [], []);
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Funding {
    const rate = new Decimal(`${this.#rates[this.row]!}e-${this.source.priceDecimals}`);
    const funding = new Funding(this.instrument, this.time, sequence, rate);
    this.advance();
    matching.onFunding(funding);
    return funding;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#rates = columns[0]!;
  }

  protected override advance(): void {
    super.advance();
    this.time = fundingTime(this.time);
    if (this.time >= this.end) this.close();
  }
}
