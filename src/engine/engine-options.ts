import type { Clock } from '../ports/clock.ts';
import type { ExecutionVenue } from '../ports/execution-venue.ts';
import type { Journal } from '../ports/journal.ts';
import type { RiskGate } from '../risk/gate.ts';
import type { State } from '../state/state.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { BarPlan } from './bar-maker.ts';
import type { HeldSnapshot } from './held/held-snapshot.ts';
import type { OrderDesk } from './orders/order-desk.ts';

/** Where an earlier run stopped. */
export interface ResumeOptions {
  readonly held?: HeldSnapshot | undefined;
  /** What each strategy saved, by its id. */
  readonly saves: ReadonlyMap<string, unknown>;
}

/** What one engine is made of: the parts of the core, and the outside through its ports. */
export interface EngineOptions {
  readonly state: State;
  readonly strategies: readonly Strategy[];
  readonly gate: RiskGate;
  readonly desk: OrderDesk;
  readonly venue: ExecutionVenue;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly bars: BarPlan;
  readonly exitsWaitForNextBar: boolean;
  /** Close every strategy's position at the last price when the recording ends. */
  readonly closeAtEnd: boolean;
  /** Ms after which a trigger at the last price that has not fired is canceled and replaced; 5000 unless said otherwise. */
  readonly triggerTimeoutMs?: number | undefined;
  /** What an earlier run of the same bot left, beside the state that is handed in as it stood. */
  readonly resume?: ResumeOptions | undefined;
}
