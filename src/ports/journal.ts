import type { AccountEvent } from '../model/account-events.ts';
import type { Intent } from '../model/intents.ts';

/** Records the events of a run, in order; decides nothing. */
export interface Journal {
  /** An intent of a strategy, with the sequence of the market event that led to it. */
  intent(sequence: number, time: number, strategyId: string, intent: Intent): void;
  event(sequence: number, event: AccountEvent): void;
  /**
   * Called before the turn's first send. A replay compares the recorded snapshots here. The journal of a bot does nothing: its venue
   * sends after the turn, and `VenueMemory.request` makes the turn durable together with the request.
   */
  commit(): void;
}

/** The send time and duration of a request. Waits before the send (for weight, or the exchange's time) do not count. */
export interface Trip {
  /** Epoch ms of the send, in real time. */
  readonly sentAt: number;
  /** Time until the reply, or until the end of the wait for it, in ms. */
  readonly tookMs: number;
}

/** Data that a venue needs after a restart, in addition to the state. Values are plain JSON. */
export interface VenueMemory {
  /** Durable with the next commit; `undefined` removes the key. */
  remember(key: string, value: unknown): void;
  /** The last value, even before it is durable; `undefined` if there is none. */
  recall(key: string): unknown;
  /** A request is about to be sent: it is durable when this returns, with all earlier records. */
  request(operation: string, clientOrderIds: readonly string[], body: unknown): void;
  /**
   * The outcome of a request; durable with the next commit, as the exchange can be queried again.
   * @param trip left out if it was never sent.
   */
  reply(operation: string, clientOrderIds: readonly string[], outcome: string, body: unknown, trip?: Trip): void;
}
