import type { Intent } from '../../model/intents.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { AccountEvent } from '../../model/order-events.ts';
import type { Command, Ending, PriceInstant, Stopping } from '../../ports/market-feed.ts';
import type { Order } from '../../state/order.ts';
import type { HeldOrder } from '../held/held-order.ts';
import type { StrategyHost } from '../strategies/strategy-host.ts';

/**
 * What is on its way to review: an intent, an order whose trigger was reached or that is to wait at the venue, or what
 * is left of an order that did not fire there.
 */
export type Wish =
  | { readonly host: StrategyHost; readonly intent: Intent; readonly sequence: number; readonly ours: boolean }
  | { readonly release: HeldOrder }
  | { readonly replace: Order; readonly steps: number };

/** What the inbox takes. */
export type InboxItem = MarketEvent | AccountEvent | PriceInstant | Ending | Stopping | Command | { readonly kind: 'starting' };
