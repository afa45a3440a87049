import type { AccountEvent } from '../model/account-events.ts';
import type { Intent } from '../model/intents.ts';

/** Remembers what a run did, in order; decides nothing. */
export interface Journal {
  /** What a strategy asked for, with the sequence of the market event that decided it. */
  intent(sequence: number, time: number, strategyId: string, intent: Intent): void;
  event(sequence: number, event: AccountEvent): void;
  /**
   * All that was told is durable when this returns: called before the turn's first send. Journals that need not
   * outlive their process do nothing.
   * @throws TidegateError JOURNAL_FAILED
   */
  commit(): void;
}

/** What a request took there and back. Whatever it waited for before it left (weight, the exchange's time) is no part of it. */
export interface Trip {
  /** Epoch ms by real time: the moment at which it left. */
  readonly sentAt: number;
  /** Until its answer was there, or was waited for no more, in ms. */
  readonly tookMs: number;
}

/** What a venue must know again after a restart, beside the state. Values are plain JSON. */
export interface VenueMemory {
  /** Durable with the next commit; `undefined` forgets the key. */
  remember(key: string, value: unknown): void;
  /** What was remembered last, also before it is durable; `undefined` where nothing was. */
  recall(key: string): unknown;
  /** About to leave: durable when it returns, and with it all that was told before. */
  request(operation: string, clientOrderIds: readonly string[], body: unknown): void;
  /**
   * What came of a request; durable with the next commit, as the exchange can be asked again.
   * @param trip left out of what never left.
   */
  reply(operation: string, clientOrderIds: readonly string[], outcome: string, body: unknown, trip?: Trip): void;
}
