import { MARKET_EVENT_KINDS } from '../../model/market-events.ts';
import type { VenueCapabilities } from '../../ports/execution-venue.ts';

/** The exchange's batch limit for spot orders: the document gives none, public clients say 10. */
const SPOT_BATCH_LIMIT = 10;

/**
 * What the simulated venue can do. `exchange` is the real one: tickers alone (recorded bars fit every
 * profile), and spot market buys by quote amount. `full` is all that the simulator has.
 */
export function capabilitiesOf(profile: 'exchange' | 'full'): VenueCapabilities {
  const exchange = profile === 'exchange';
  return {
    marketData: exchange ? ['bar', 'ticker'] : MARKET_EVENT_KINDS,
    marketBuyByQuantity: !exchange,
    batchLimit: SPOT_BATCH_LIMIT,
  };
}
