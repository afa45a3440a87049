import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest, OrderRequest } from '../../model/order.ts';
import type { Difference, ReconcileSettings, Resumed } from '../reconcile/settings.ts';

/** One half of the exchange: spot, or futures. */
export interface Trading {
  /** Restores the state from the journal. */
  resume(resumed: Resumed): void;
  /**
   * Reconciles journal and exchange at the start. Reports events, sends no orders or cancels, and can be retried.
   * @throws ExchangeError, TidegateError START_REFUSED
   */
  open(): Promise<readonly Difference[]>;
  /** Tracks the orders (of one symbol) at once, and adds them to the request queue. */
  place(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** Polls fills, balances and whatever is due; `full` polls everything. @throws ExchangeError if the exchange does not reply. */
  round(full: boolean): Promise<void>;
  /** Halts the instrument, by default every one, until a person resets it. Published with the next poll. */
  haltUntilReset(reason: string, instrument?: Instrument): void;
  /** A person has allowed trading again: lifts every halt. A cause that the exchange still shows halts again. */
  lift(): void;
  /** Epoch ms at which the next look-up is due; `Infinity` where none. */
  readonly nextDue: number;
  /** No request is on its way, and no order has an unknown outcome or is about to end. */
  readonly idle: boolean;
  /** How many questions have been answered. */
  readonly answers: number;
}

/**
 * Which requests are sent first when they wait for weight. `flattens`: the closes of a kill or a limit; they overtake all others at any
 * time. `protects`: cancels of a kill or a limit, and immediate closes. `reduces`: other cancels and reducing orders. `opens`: all others.
 */
export const URGENCIES = ['flattens', 'protects', 'reduces', 'opens'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** Settings for sending orders. */
export interface SendingSettings extends Pick<ReconcileSettings, 'batchLimit' | 'maxSendDelayMs' | 'maxWaitMs'> {
  /** Urgency of an order; by default from its request alone. */
  readonly urgencyOf?: ((request: OrderRequest) => Urgency) | undefined;
}
