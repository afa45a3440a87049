import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import { type DepthChange, type DepthColumns, DepthGathering, DepthSequence, foldedOf } from '../../model/depth-book.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar, Depth, Funding, Mark, type MarketEventKind, Ticker, Trade } from '../../model/market-events.ts';
import { FUNDING_JITTER_MS, fundingTime } from '../../recording/funding-time.ts';
import { QuoteSource } from './quote-source.ts';
import { type DataSource, MICROSECOND_MS, RowSource, type SeriesSource } from './row-source.ts';

/** The source of one recorded series over [from, to), epoch ms; bars must be in it completely. */
export function createSource(kind: MarketEventKind, instrument: Instrument, source: SeriesSource, from: number, to: number): DataSource {
  switch (kind) {
    case 'bar':
      return new BarSource(instrument, source, from, to);
    case 'depth':
      return new DepthSource(instrument, source, from, to);
    case 'quote':
      return new QuoteSource(instrument, source, from, to);
    case 'trade':
      return new TradeSource(instrument, source, from, to);
    case 'ticker':
      return new TickerSource(instrument, source, from, to);
    case 'mark':
      return new MarkSource(instrument, source, from, to);
    case 'funding':
      return new FundingSource(instrument, source, from, to);
  }
}

const EMPTY: Float64Array = new Float64Array(0);

/** Two steps per bar: its open, for matching alone, and its close, where the path is walked and the bar delivered. */
class BarSource extends RowSource implements DataSource {
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
    // A bar that ends after `to` is not part of this run; one that ends at `to` is.
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

/** Recorded tickers. */
class TickerSource extends RowSource implements DataSource {
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
class TradeSource extends RowSource implements DataSource {
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

/** Recorded depth. Changes before `from` build the book, which the first change at or after it delivers as a snapshot. */
export class DepthSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  time = Number.NEGATIVE_INFINITY;
  nanos = 0;
  readonly #rows: DepthRows;
  readonly #sequence: DepthSequence;
  #change: DepthChange | undefined;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    this.#rows = new DepthRows(source, to);
    this.#sequence = new DepthSequence(source.snapshots > 0);
    this.#advance();
    this.skipTo(from);
  }

  deliver(matching: MatchingEngine, sequence: number): Depth {
    const { snapshot, bids, asks } = this.#change!;
    const depth = new Depth(this.instrument, this.time, sequence, snapshot, bids, asks);
    this.#advance();
    matching.onDepth(depth);
    return depth;
  }

  skipTo(time: number): void {
    if (this.time >= time) return;
    this.#change = foldedOf(this.#changesUntil(time));
  }

  close(): void {
    this.#rows.close();
    this.time = Number.POSITIVE_INFINITY;
    this.#change = undefined;
  }

  /** The changes before `time`, and the first at or after it. */
  *#changesUntil(time: number): Generator<DepthChange, void> {
    for (; this.#change !== undefined; this.#advance()) {
      yield this.#change;
      if (this.time >= time) return;
    }
  }

  #advance(): void {
    const rows = this.#rows;
    while (rows.time !== Number.POSITIVE_INFINITY) {
      this.time = rows.time;
      this.nanos = rows.nanos;
      this.#change = this.#sequence.next(rows.change());
      if (this.#change !== undefined) return;
    }
    this.close();
  }
}

/** Recorded rows of depth; rows that belong together are one change. */
class DepthRows extends RowSource {
  readonly #gathering = new DepthGathering();
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, to: number) {
    super(source, Number.NEGATIVE_INFINITY, to, [1], [2]);
    this.start();
  }

  /** The change that begins with the current row; moves to the row after it. */
  change(): DepthChange {
    const gathering = this.#gathering;
    do {
      const columns = this.#columns as unknown as DepthColumns;
      this.row = gathering.add(this.time, this.nanos, columns, this.row, this.sameTimeEnd()) - 1;
      this.advance();
    } while (gathering.holds(this.time, this.nanos, this.#columns as unknown as DepthColumns, this.row));
    return gathering.take();
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

/** Recorded mark prices, in the decimals of their series. */
class MarkSource extends RowSource implements DataSource {
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

/** Recorded funding rates. A time near a whole minute counts as that minute, also for `from` and `to`. */
class FundingSource extends RowSource implements DataSource {
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

/** The funding of a contract without recorded funding. */
export interface ConstantFunding {
  /** Share of the position's value: longs pay a positive rate. */
  readonly rate: Decimal;
  readonly everyMs: number;
}

/**
 * Funding at a constant rate, at the whole multiples of `everyMs` since the epoch (8 h: 00:00, 08:00 and 16:00 UTC) that are in [from, to).
 * Either bound may be infinite: prices bound it too.
 */
export class ConstantFundingSource implements DataSource {
  readonly nanos = 0;
  readonly opens = false;
  readonly funds = true;
  readonly follows = true;
  time = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly instrument: Instrument,
    private readonly funding: ConstantFunding,
    from: number,
    private readonly to: number,
  ) {
    this.skipTo(from);
  }

  deliver(matching: MatchingEngine, sequence: number): Funding {
    const funding = new Funding(this.instrument, this.time, sequence, this.funding.rate);
    this.#goTo(this.time + this.funding.everyMs);
    matching.onFunding(funding);
    return funding;
  }

  skipTo(time: number): void {
    const { everyMs } = this.funding;
    if (this.time < time) this.#goTo(Math.ceil(time / everyMs) * everyMs);
  }

  close(): void {
    this.time = Number.POSITIVE_INFINITY;
  }

  #goTo(time: number): void {
    this.time = time < this.to ? time : Number.POSITIVE_INFINITY;
  }
}
