import type { Waiting } from './inbox.ts';

/** The turn of a quote of a run beside what is shown. */
export interface QuoteLoop {
  readonly waiting: Readonly<Waiting>;
  /** Something waits. */
  settle(): void;
  /** The turn is over, and somebody observes. */
  tell(): void;
}
