import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { MarketEvent } from '../../model/market-events.ts';

/** One recorded series on its way into the simulator: tells when it comes next, and delivers. */
export interface DataSource {
  /** Epoch ms of the next delivery; `Infinity` at the end. */
  readonly time: number;
  /** Nanoseconds beyond the microsecond: the finer order of data of one time. */
  readonly nanos: number;
  /** Bars alone: the next step is an open, which comes last at its time. */
  readonly opens: boolean;
  /** Funding alone: it comes after the timers of its time. */
  readonly funds: boolean;
  /** Marks and funding go along with prices: what comes before the first price or after the last is left out. */
  readonly follows: boolean;
  /** Lets the next datum reach matching. @returns the event that strategies see; none for an open. */
  deliver(matching: MatchingEngine, sequence: number): MarketEvent | undefined;
  /** Passes over what comes before `time`. */
  skipTo(time: number): void;
  close(): void;
}
