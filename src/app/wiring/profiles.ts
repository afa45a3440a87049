import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import type { VenueCapabilities } from '../../ports/execution-venue.ts';

/** The exchange's batch limit for spot orders: the document gives none, public clients say 10. */
export const SPOT_BATCH_LIMIT = 10;

/**
 * What the simulated venue can do. `exchange` is the real one: tickers alone (recorded bars, marks and funding
 * fit every profile), spot market buys by quote amount, and futures orders as triggers. `full` is all that the
 * simulator has.
 */
export function capabilitiesOf(profile: 'exchange' | 'full'): VenueCapabilities {
  const exchange = profile === 'exchange';
  return {
    marketData: exchange ? ['bar', 'ticker', 'mark', 'funding'] : MARKET_EVENT_KINDS,
    marketBuyByQuantity: !exchange,
    plainFutures: !exchange,
    futuresTriggers: true,
    batchLimit: SPOT_BATCH_LIMIT,
  };
}
