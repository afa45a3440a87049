import type { VenueEvent } from '../../model/order-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { VenueMemory } from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';

/** What the two halves of the REST venue (spot, futures) have around them. */
export interface Outlets {
  /** Real time: what waits goes by it. */
  readonly clock: Clock;
  readonly memory: VenueMemory;
  readonly log: Log;
  /** Hands an event to the engine, which takes its turn after `settled`. */
  tell(event: VenueEvent): void;
  /** What was told is one picture: the engine may act on it. */
  settled(): void;
  /** Something that is no failure of the exchange: the run stops with it. */
  fail(error: unknown): void;
}
