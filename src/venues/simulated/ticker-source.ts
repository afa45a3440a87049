import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Ticker } from '../../model/market-events.ts';
import type { DataSource } from './data-source.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

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

const EMPTY: Float64Array = new Float64Array(0);
