import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import { BarSource } from './bar-source.ts';
import type { DataSource } from './data-source.ts';
import { DepthSource } from './depth-source.ts';
import { FundingSource } from './funding-source.ts';
import { MarkSource } from './mark-source.ts';
import { QuoteSource } from './quote-source.ts';
import type { SeriesSource } from './row-stream.ts';
import { TickerSource } from './ticker-source.ts';
import { TradeSource } from './trade-source.ts';

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
