import type { Trip, VenueMemory } from '../../ports/journal.ts';

/**
 * Keeps what the venue remembers until the events to which it belongs are in the journal: one commit makes both durable. A request that
 * leaves before makes neither durable, and a bot that is killed then finds both again.
 */
export class TurnMemory implements VenueMemory {
  readonly #kept = new Map<string, unknown>();

  constructor(private readonly journal: VenueMemory) {}

  /** Stores everything in the journal. */
  store(): void {
    for (const [key, value] of this.#kept) this.journal.remember(key, value);
    this.#kept.clear();
  }

  remember(key: string, value: unknown): void {
    this.#kept.set(key, value);
  }

  recall(key: string): unknown {
    return this.#kept.has(key) ? this.#kept.get(key) : this.journal.recall(key);
  }

  request(operation: string, clientOrderIds: readonly string[], body: unknown): void {
    this.journal.request(operation, clientOrderIds, body);
  }

  reply(operation: string, clientOrderIds: readonly string[], outcome: string, body: unknown, trip?: Trip): void {
    this.journal.reply(operation, clientOrderIds, outcome, body, trip);
  }
}
