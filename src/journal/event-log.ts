import { createHash } from 'node:crypto';
import type { Intent } from '../model/intents.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { Journal } from '../ports/journal.ts';
import { eventLine, intentLine } from './event-line.ts';

const FLUSH_CHARACTERS = 1 << 16;

/**
 * The ordered log of a run: intents, denials, order events, fills, ledger entries and timers, each with the
 * sequence of its market event. Its SHA-256 is the run's `eventLogSha256`: the same in any process, as no
 * wall time and no path enters it; it equals the hash of `events.jsonl` where that is written.
 */
export class EventLog implements Journal {
  readonly #hash = createHash('sha256');
  #pending = '';
  intents = 0;

  /** @param write takes the text of the log, line by line in larger pieces. */
  constructor(private readonly write?: (text: string) => void) {}

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.intents++;
    this.#add(intentLine(sequence, time, strategyId, intent));
  }

  event(sequence: number, event: AccountEvent): void {
    this.#add(eventLine(sequence, event));
  }

  /** Ends the log. @returns its SHA-256 in hex. */
  finish(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #add(line: string): void {
    this.#pending += `${line}\n`;
    if (this.#pending.length >= FLUSH_CHARACTERS) this.#flush();
  }

  #flush(): void {
    if (this.#pending === '') return;
    this.#hash.update(this.#pending);
    this.write?.(this.#pending);
    this.#pending = '';
  }
}
