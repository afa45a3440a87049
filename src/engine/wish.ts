import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { Ending, PriceInstant } from '../ports/market-feed.ts';
import type { HeldOrder } from './held-order.ts';
import type { StrategyHost } from './strategy-host.ts';

/** An intent on its way to review, or a held order whose trigger was reached. */
export type Wish = { readonly host: StrategyHost; readonly intent: Intent; readonly sequence: number } | { readonly release: HeldOrder };

/** What the inbox takes. */
export type InboxItem = MarketEvent | AccountEvent | PriceInstant | Ending | { readonly kind: 'starting' };
