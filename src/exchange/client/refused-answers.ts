import type { Cause } from '../errors.ts';

/** Answers of one operation that were not taken for one reason. */
export interface RefusedAnswer {
  readonly operation: string;
  /** For people. */
  readonly reason: string;
  readonly count: number;
  /** Epoch ms of the last one, and what was wrong with it, for people. */
  readonly last: number;
  readonly said: string;
}

/** The causes that concern the form of an answer; for people. */
const FORMS: Readonly<Partial<Record<Cause, string>>> = {
  unreadable: 'no JSON',
  otherShape: 'other fields or values than documented',
  oversized: 'too long',
  redirected: 'a redirect',
};

/** Pairs of operation and reason that are counted apart: reasons are few. */
const MOST = 200;

/** Refused answers of the exchange since the start of this process, counted. All clients of a process share one. */
export class RefusedAnswers {
  readonly #counts = new Map<string, RefusedAnswer>();

  constructor(private readonly now: () => number) {}

  /** Most frequent first. */
  get all(): readonly RefusedAnswer[] {
    return [...this.#counts.values()].sort((one, other) => other.count - one.count);
  }

  /** An answer, or a record of it, was not taken. */
  readonly note = (operation: string, reason: string, said: string): void => {
    const key = `${operation} ${reason}`;
    const { count = 0 } = this.#counts.get(key) ?? {};
    if (count === 0 && this.#counts.size >= MOST) return;
    this.#counts.set(key, { operation, reason, count: count + 1, last: this.now(), said });
  };

  /** A call has failed. A failure without an answer, and one by a code of the exchange, refuse nothing. */
  noteFailure(operation: string, cause: Cause, said: string): void {
    const reason = FORMS[cause];
    if (reason !== undefined) this.note(operation, reason, said);
  }
}
