import type { MarketEvent } from '../../model/market-events.ts';
import type { AccountEvent } from '../../model/order-events.ts';

/** What a record and its replay can differ in. */
export type DifferenceKind =
  | 'intent'
  | 'denial'
  | 'order'
  | 'event'
  | 'bar'
  | 'timer'
  | 'held orders'
  | 'saved state'
  | 'request'
  | 'state'
  | 'decisions'
  | 'error';

/** The first thing that a replay does otherwise than its record. */
export interface Difference {
  readonly what: DifferenceKind;
  /** Of the record; of the turn where the record has nothing there. */
  readonly id: number;
  /** Epoch ms of the turn. */
  readonly time: number;
  /** Of the newest market data then. */
  readonly sequence: number;
  /** Absent where the record (the replay) has nothing there. */
  readonly recorded?: unknown;
  readonly replayed?: unknown;
  /** The event before it: what the decision was made on. */
  readonly cause?: { readonly id: number; readonly event: MarketEvent | AccountEvent } | undefined;
}
