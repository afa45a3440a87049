import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Trade } from '../../model/market-events.ts';
import type { DataSource } from './data-source.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

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

const EMPTY: Float64Array = new Float64Array(0);
