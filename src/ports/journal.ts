import type { Intent } from '../model/intents.ts';
import type { AccountEvent } from '../model/order-events.ts';

/** Remembers what a run did, in order; decides nothing. */
export interface Journal {
  /** What a strategy asked for, with the sequence of the market event that decided it. */
  intent(sequence: number, time: number, strategyId: string, intent: Intent): void;
  event(sequence: number, event: AccountEvent): void;
  /** All that was told is durable when this returns: called before the turn's first send. @throws TidegateError JOURNAL_FAILED */
  commit(): void;
}

/** What a venue must know again after a restart, beside the state. Values are plain JSON. */
export interface VenueMemory {
  /** Kept with the next commit, in place of what the key held. */
  remember(key: string, value: unknown): void;
  recall(key: string): unknown;
  /** About to leave: durable when it returns. @throws TidegateError JOURNAL_FAILED */
  request(operation: string, clientOrderIds: readonly string[], body: unknown): void;
  reply(operation: string, clientOrderIds: readonly string[], outcome: string, body: unknown): void;
}
