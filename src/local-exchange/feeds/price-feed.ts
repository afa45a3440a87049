import type { Observable } from 'rxjs';
import type { MarketFeed } from '../../ports/market-feed.ts';
import type { DayReport } from '../market/day-report.ts';

/** Where a local exchange has its prices from. */
export interface PriceFeed extends MarketFeed {
  /** What the source says of its last 24 hours, where it does: shown, and no part of what happened here. */
  readonly reports$?: Observable<DayReport> | undefined;
}
