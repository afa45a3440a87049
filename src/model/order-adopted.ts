import type { Decimal } from './decimal.ts';
import type { OrderRequest } from './order.ts';

/**
 * An order on the account that this run did not place is one of its own from here. What was filled of it before belongs to
 * nobody, and counts as filled all the same: the request bears the size of the whole order.
 */
export interface OrderAdopted {
  readonly kind: 'orderAdopted';
  readonly time: number;
  /** Ours, made of the venue's id: the order itself bears another, or none. */
  readonly clientOrderId: string;
  readonly orderId: string;
  /** As far as the venue tells it, in the name of the strategy that adopts it. */
  readonly request: OrderRequest;
  /** Steps that were filled before, and what was paid or received for them. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** Fills of before, by the venue's ids, where it tells them: never news. */
  readonly fillIds: readonly string[];
}
