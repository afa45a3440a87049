import { TidegateError } from '../../model/errors.ts';
import type { Asking } from './records.ts';

/** Errors of this bot, which no other answer mends. */
const OURS: ReadonlySet<string> = new Set(['INVARIANT_BROKEN', 'START_REFUSED', 'JOURNAL_FAILED']);

/** Several things to ask for: one failure does not stop the next, two in a row do. */
export class Attempts {
  #failure: { readonly error: unknown } | undefined;
  #hasFailed = false;

  /** @throws the first failure, if the attempt before failed too. */
  *make(asking: Asking): Asking {
    try {
      yield* asking;
      this.#hasFailed = false;
    } catch (error) {
      // An error that is no failure of the exchange ends the run.
      if (!(error instanceof TidegateError) || OURS.has(error.code)) throw error;
      this.#failure ??= { error };
      if (this.#hasFailed) throw this.#failure.error;
      this.#hasFailed = true;
    }
  }

  /** @throws the first failure. */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
