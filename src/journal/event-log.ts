import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Intent } from '../model/intents.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { Journal } from '../ports/journal.ts';
import { eventText, intentText } from './event-line.ts';

/** Lines come together up to so many characters: hashing each by itself takes longer than writing it. */
const PIECE_CHARACTERS = 1 << 15;

/**
 * The ordered log of a run: intents, denials, order events, fills, ledger entries and timers, each with the
 * sequence of its market event. Its SHA-256 is the run's `eventLogSha256`: the same in any process, as no
 * wall time and no path enters it; it equals the hash of `events.jsonl` where that is written.
 */
export class EventLog implements Journal {
  readonly #hash = createHash('sha256');
  #piece = '';
  /** What opens every line of one moment: several follow one another. */
  #head = '';
  #sequence = Number.NaN;
  #time = Number.NaN;

  /** @param write takes the bytes of the log in larger pieces. */
  constructor(private readonly write?: (bytes: Uint8Array) => void) {}

  intent(sequence: number, time: number, strategyId: string, intent: Intent): void {
    this.#add(sequence, time, intentText(strategyId, intent));
  }

  event(sequence: number, event: AccountEvent): void {
    this.#add(sequence, event.time, eventText(event));
  }

  /** The log is whole once the run has ended; a run that breaks is run again. */
  commit(): void {}

  /** Ends the log. @returns its SHA-256 in hex. */
  finish(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #add(sequence: number, time: number, text: string): void {
    if (sequence !== this.#sequence || time !== this.#time) {
      this.#sequence = sequence;
      this.#time = time;
      this.#head = `{"sequence":${sequence},"time":${time},"kind":`;
    }
    this.#piece += `${this.#head}${text}\n`;
    if (this.#piece.length > PIECE_CHARACTERS) this.#flush();
  }

  #flush(): void {
    if (this.#piece === '') return;
    // As text: making bytes of it first would take as long again as the hash.
    this.#hash.update(this.#piece);
    this.write?.(Buffer.from(this.#piece));
    this.#piece = '';
  }
}
