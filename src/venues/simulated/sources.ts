import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Funding, type MarketEventKind } from '../../model/market-events.ts';
import { BarSource, FundingSource, MarkSource, TickerSource, TradeSource } from './bar-source.ts';
import { DepthSource } from './depth-source.ts';
import { QuoteSource } from './quote-source.ts';
import type { DataSource, SeriesSource } from './row-source.ts';

/** How a contract without recorded funding is charged. */
export interface ConstantFunding {
  /** Share of the position's value: positive is paid by longs. */
  readonly rate: Decimal;
  readonly everyMs: number;
}

/**
 * Funding at one rate for ever, at the whole multiples of `everyMs` since the epoch (8 h: 00:00, 08:00 and
 * 16:00 UTC) that lie in [from, to). Either bound may be infinite: prices bound it too.
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

/** The source of one recorded series over [from, to), epoch ms; bars must lie in it whole. */
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
