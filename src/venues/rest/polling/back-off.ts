import { TidegateError } from '../../../model/errors.ts';

export interface BackOffOptions {
  /** The longest first wait, in ms; it doubles with each failure in a row. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/**
 * How long to leave alone what failed. A wait is drawn from the upper half of its bound: never none, and not the
 * same for all who failed together.
 */
export class BackOff {
  #failures = 0;

  constructor(private readonly options: BackOffOptions) {}

  succeed(): void {
    this.#failures = 0;
  }

  /** @returns ms to wait. */
  fail(error: unknown): number {
    const { firstMs, mostMs, random } = this.options;
    // The budget itself waits after a 429, and whoever sends waits with it: waiting twice would only lose time.
    if (error instanceof TidegateError && error.code === 'EXCHANGE_LIMITED') return 0;
    const doubled = Math.min(mostMs, firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    // What cannot succeed without a change over there is asked seldom, but asked: the change may come.
    const isHopeless = error instanceof TidegateError && !error.retryable;
    return (isHopeless ? mostMs : doubled) * (0.5 + random() / 2);
  }
}
