import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar, type MarketEvent, type MarketEventKind, Quote, Ticker, Trade } from '../../model/market-events.ts';
import { RowCursor } from './row-cursor.ts';
import type { SeriesSource } from './row-stream.ts';

/** One recorded series on its way into the simulator: tells when it comes next, and delivers. */
export interface DataSource {
  /** Time of the next delivery; `Infinity` at the end. */
  readonly time: number;
  readonly nanos: number;
  /** Bars alone: the next step is an open, which comes last at its time. */
  readonly opens: boolean;
  /** Lets the next datum reach matching. @returns the event that strategies see; none for an open. */
  deliver(matching: MatchingEngine, sequence: number): MarketEvent | undefined;
  close(): void;
}

export class QuoteSource implements DataSource {
  readonly opens = false;
  readonly #cursor: RowCursor;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    this.#cursor = new RowCursor(source, [0, 1], [2, 3], from, to);
  }

  get time(): number {
    return this.#cursor.time;
  }
  get nanos(): number {
    return this.#cursor.nanos;
  }

  deliver(matching: MatchingEngine, sequence: number): MarketEvent {
    const { columns, row, time } = this.#cursor;
    const quote = new Quote(this.instrument, time, sequence, columns[0]![row]!, columns[1]![row]!, columns[2]![row]!, columns[3]![row]!);
    this.#cursor.advance();
    matching.onQuote(quote);
    return quote;
  }

  close(): void {
    this.#cursor.close();
  }
}

export class TradeSource implements DataSource {
  readonly opens = false;
  readonly #cursor: RowCursor;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    this.#cursor = new RowCursor(source, [0], [1], from, to);
  }

  get time(): number {
    return this.#cursor.time;
  }
  get nanos(): number {
    return this.#cursor.nanos;
  }

  deliver(matching: MatchingEngine, sequence: number): MarketEvent {
    const { columns, row, time } = this.#cursor;
    const side = columns[2]![row]!;
    const aggressor = side > 0 ? 'buy' : side < 0 ? 'sell' : undefined;
    const trade = new Trade(this.instrument, time, sequence, columns[0]![row]!, columns[1]![row]!, aggressor);
    this.#cursor.advance();
    matching.onTrade(trade);
    return trade;
  }

  close(): void {
    this.#cursor.close();
  }
}

export class TickerSource implements DataSource {
  readonly opens = false;
  readonly #cursor: RowCursor;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    this.#cursor = new RowCursor(source, [0], [], from, to);
  }

  get time(): number {
    return this.#cursor.time;
  }
  get nanos(): number {
    return this.#cursor.nanos;
  }

  deliver(matching: MatchingEngine, sequence: number): MarketEvent {
    const { columns, row, time } = this.#cursor;
    const ticker = new Ticker(this.instrument, time, sequence, columns[0]![row]!);
    this.#cursor.advance();
    matching.onTicker(ticker);
    return ticker;
  }

  close(): void {
    this.#cursor.close();
  }
}

/** Two steps a bar: its open, for matching alone, and its close, where the path is walked and the bar told. */
export class BarSource implements DataSource {
  time: number;
  opens = true;
  readonly #cursor: RowCursor;
  readonly #intervalMs: number;
  readonly #volumeScale: number;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    private readonly to: number,
  ) {
    this.#cursor = new RowCursor(source, [0, 1, 2, 3], [], from, to - source.intervalMs + 1e-9);
    this.#intervalMs = source.intervalMs;
    this.#volumeScale = 10 ** source.quantityDecimals;
    this.time = this.#cursor.time;
  }

  get nanos(): number {
    return this.#cursor.nanos;
  }

  deliver(matching: MatchingEngine, sequence: number): MarketEvent | undefined {
    const { columns, row } = this.#cursor;
    const volume = columns[4]![row]! / this.#volumeScale;
    const open = columns[0]![row]!;
    if (this.opens) {
      const { time } = this;
      this.opens = false;
      this.time = this.#cursor.time + this.#intervalMs;
      matching.openBar(this.instrument, time, sequence, open, this.instrument.step.snap(volume, 'down') ?? 0);
      return undefined;
    }
    const high = columns[1]![row]!;
    const low = columns[2]![row]!;
    const bar = new Bar(this.instrument, this.time, sequence, this.#intervalMs, open, high, low, columns[3]![row]!, volume);
    this.#cursor.advance();
    this.opens = true;
    this.time = this.#cursor.time;
    matching.closeBar(bar);
    return bar;
  }

  close(): void {
    this.#cursor.close();
  }
}

/** The source of one recorded series over [from, to), epoch ms; bars must lie in it whole. */
export function createSource(kind: MarketEventKind, instrument: Instrument, source: SeriesSource, from: number, to: number): DataSource {
  switch (kind) {
    case 'bar':
      return new BarSource(instrument, source, from, to);
    case 'quote':
      return new QuoteSource(instrument, source, from, to);
    case 'trade':
      return new TradeSource(instrument, source, from, to);
    case 'ticker':
      return new TickerSource(instrument, source, from, to);
  }
}
