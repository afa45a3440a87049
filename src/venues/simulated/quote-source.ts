import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Quote } from '../../model/market-events.ts';
import type { DataSource } from './data-source.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

/** Recorded quotes. */
export class QuoteSource extends RowSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  #bids: Float64Array = EMPTY;
  #asks: Float64Array = EMPTY;
  #bidSteps: Float64Array = EMPTY;
  #askSteps: Float64Array = EMPTY;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    super(source, from, to, [0, 1], [2, 3]);
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Quote {
    const { row } = this;
    const quote = new Quote(
      this.instrument,
      this.time,
      sequence,
      this.#bids[row]!,
      this.#asks[row]!,
      this.#bidSteps[row]!,
      this.#askSteps[row]!,
    );
    this.advance();
    matching.onQuote(quote);
    return quote;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#bids = columns[0]!;
    this.#asks = columns[1]!;
    this.#bidSteps = columns[2]!;
    this.#askSteps = columns[3]!;
  }
}

const EMPTY: Float64Array = new Float64Array(0);
