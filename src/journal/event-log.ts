import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Intent } from '../model/intents.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { Journal } from '../ports/journal.ts';
import { eventText, intentText } from './event-line.ts';

const BUFFER_BYTES = 1 << 16;
/** A UTF-16 unit is at most three bytes of UTF-8. */
const BYTES_PER_UNIT = 3;

/**
 * The ordered log of a run: intents, denials, order events, fills, ledger entries and timers, each with the
 * sequence of its market event. Its SHA-256 is the run's `eventLogSha256`: the same in any process, as no
 * wall time and no path enters it; it equals the hash of `events.jsonl` where that is written.
 */
export class EventLog implements Journal {
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #filled = 0;
  /** What opens every line of one moment: several follow one another. */
  #head = '';
  #sequence = Number.NaN;
  #time = Number.NaN;

  /** @param write takes the bytes of the log in larger pieces; they are overwritten afterwards. */
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
    const line = `${this.#head}${text}\n`;
    const most = line.length * BYTES_PER_UNIT;
    if (this.#filled + most > BUFFER_BYTES) this.#flush();
    if (most > BUFFER_BYTES) this.#pass(Buffer.from(line));
    else this.#filled += this.#buffer.write(line, this.#filled);
  }

  #flush(): void {
    this.#pass(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #pass(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#hash.update(bytes);
    this.write?.(bytes);
  }
}
