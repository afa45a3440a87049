import type { Observable } from 'rxjs';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent } from '../model/market-events.ts';

/**
 * A price that matching stands at inside a bar: its open, or a held trigger that the path reached. The
 * engine judges its held orders at it; strategies do not see it (the bar is delivered at its close).
 */
export interface PriceInstant {
  readonly kind: 'priceInstant';
  readonly instrument: Instrument;
  readonly time: number;
  readonly sequence: number;
  readonly priceTicks: number;
}

/** Several events of one instant (or of one poll): the engine sees them all before it reviews an intent. */
export interface Together {
  readonly kind: 'together';
  readonly events: readonly MarketEvent[];
}

/** Something happened outside the market data (an arrival, a timer): the engine takes its turn. */
export interface Settled {
  readonly kind: 'settled';
}

/** The one settled item: never allocated anew. */
export const SETTLED: Settled = { kind: 'settled' };

/** The recording is over: strategies stop, and positions close at the last price where the config says so. */
export interface Ending {
  readonly kind: 'ending';
}

/** A market event by itself is an instant of its own; after each item the engine takes its turn. */
export type FeedItem = MarketEvent | Together | PriceInstant | Settled | Ending;

/** Where market events come from. */
export interface MarketFeed {
  /** Cold. For a recording the whole replay happens inside `subscribe`; completes at its end. */
  readonly events$: Observable<FeedItem>;
}
