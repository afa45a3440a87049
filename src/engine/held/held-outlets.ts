import type { Instrument } from '../../model/instrument.ts';
import type { AccountEvent } from '../../model/order-events.ts';
import type { CancelReason } from '../../model/reasons.ts';
import type { HeldOrder } from './held-order.ts';

/** What orders that wait ask of the engine. */
export interface HeldDeskOutlets {
  emit(event: AccountEvent): void;
  /** Puts an order before the risk gate: one that was triggered, or one that is to wait at the venue. */
  release(held: HeldOrder): void;
  /** Takes back what was sent, or is about to be. */
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void;
  /** Asks after a trigger that ought to fire at once. */
  watch(clientOrderId: string): void;
  now(): number;
  /** Something came due outside the feed: the engine takes its turn. */
  wake(): void;
}
