import type { OrderRequest, OrderType } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';

/** One order that waits, or has gone out with linked exits beside it. */
export interface HeldOrderSnapshot {
  readonly request: OrderRequest;
  readonly type: OrderType;
  readonly triggerTicks: number;
  readonly trailTicks?: number | undefined;
  readonly atVenue: boolean;
  readonly rising: boolean;
  readonly isStop: boolean;
  /** Index of its link; absent for a stop by itself. */
  readonly link?: number | undefined;
  readonly sleeping: boolean;
  readonly stage: 'held' | 'sent';
  readonly recalled?: CancelReason | undefined;
  readonly waitsForLink: boolean;
  /** When it is judged again; absent where nothing refused it. */
  readonly retryAt?: number | undefined;
  readonly tries?: number | undefined;
}

export interface LinkSnapshot {
  /** Steps that the legs together may still exit. */
  readonly steps: number;
  readonly entryId: string;
  /** Client order ids, in order. */
  readonly legs: readonly string[];
}

/** Exits to be armed as an entry order fills. */
export interface PlanSnapshot {
  readonly clientOrderId: string;
  readonly stopTicks?: number | undefined;
  readonly profitTicks?: number | undefined;
  readonly trailTicks?: number | undefined;
}

/**
 * What the engine knows beside the state, as plain data: with both, and the saves of the strategies, another engine
 * goes on where this one stood. Strategies' timers are not in it, nor are bars under way, which prices tell.
 */
export interface HeldSnapshot {
  readonly orders: readonly HeldOrderSnapshot[];
  readonly links: readonly LinkSnapshot[];
  readonly plans: readonly PlanSnapshot[];
  /** Triggers that are asked after when they do not fire. */
  readonly watched: readonly string[];
  /** Triggers that were canceled for not having fired: what is left of them goes out anew. */
  readonly recalled: readonly string[];
  /** Positions that a kill or a limit is still closing, as `textOf` a target has them. */
  readonly flattening: readonly string[];
}
