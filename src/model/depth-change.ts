import type { ChangedLevels } from './market-events.ts';

/** What the rows of a recorded book that belong together say of it. */
export interface DepthChange {
  readonly snapshot: boolean;
  /** Number of the change, and of the one before it, as the source counts; 0 where it does not. */
  readonly update: number;
  readonly previous: number;
  readonly bids: ChangedLevels;
  readonly asks: ChangedLevels;
}
