import { promiseHooks } from 'node:v8';
import type { PlannedStrategy } from '../planning/run-plans.ts';
import { type Moment, StrayErrors } from '../wiring/stray-errors.ts';

/**
 * The stray errors of one replay. A replay is one macrotask, so that Node tells of them only when it is over: of a promise
 * it is noted when it was made, and the results wait for what is told.
 */
export class ReplayStrays {
  readonly #made = new WeakMap<object, Moment>();
  readonly #strays: StrayErrors;
  readonly #forgetPromises: () => void;

  /** @param state that of the run, as it goes on. */
  constructor(strategies: readonly PlannedStrategy[], state: Moment) {
    const now = ({ sequence, time } = state): Moment => ({ sequence, time });
    const start = now();
    this.#strays = new StrayErrors(strategies, { now, madeAt: (promise) => this.#made.get(promise) ?? start });
    this.#forgetPromises = promiseHooks.onInit((promise) => this.#made.set(promise, now())) as () => void;
  }

  /** @returns what went wrong unseen. */
  async close(): Promise<StrayErrors['first']> {
    // A timer and no microtask: rejections are told of before it, and it comes after the one by which rxjs throws.
    await new Promise((resolve) => setTimeout(resolve));
    this.#forgetPromises();
    this.#strays.close();
    return this.#strays.first;
  }
}
