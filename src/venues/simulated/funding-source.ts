import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Funding } from '../../model/market-events.ts';
import { FUNDING_JITTER_MS, fundingTime } from '../../recording/funding-time.ts';
import type { DataSource } from './data-source.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

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

const EMPTY: Float64Array = new Float64Array(0);
