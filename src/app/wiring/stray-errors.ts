import { promiseHooks } from 'node:v8';
import { blamed, framesOf, isOwnFault } from '../../engine/blame.ts';
import type { PlannedStrategy } from '../planning/run-plans.ts';

/** How far a run had come. */
interface Moment {
  /** Of the newest market data. */
  readonly sequence: number;
  /** Epoch ms. */
  readonly time: number;
}

interface StrayOptions {
  readonly now: () => Moment;
  /** When a promise was made; without it, an error counts at the time of its report. */
  readonly madeAt?: ((promise: object) => Moment | undefined) | undefined;
  /** Called at the first. */
  readonly found?: ((error: unknown) => void) | undefined;
}

/**
 * Errors of strategies that no caller can catch: rejected promises that nobody awaits, and throws in callbacks that Node or
 * rxjs calls later. Node would end the process, or the thread, at once. This class receives all of them until it is closed.
 */
export class StrayErrors {
  /** What stops the run. */
  first: { readonly error: unknown } | undefined;

  constructor(
    private readonly strategies: readonly Pick<PlannedStrategy, 'id' | 'files'>[],
    private readonly options: StrayOptions,
  ) {
    process.on('unhandledRejection', this.#onRejection);
    process.on('uncaughtException', this.#onThrow);
  }

  rethrow(): void {
    if (this.first !== undefined) throw this.first.error;
  }

  close(): void {
    process.off('unhandledRejection', this.#onRejection);
    process.off('uncaughtException', this.#onThrow);
  }

  readonly #onRejection = (reason: unknown, promise: object): void => {
    const { madeAt, now } = this.options;
    this.#take(reason, 'a promise that nobody awaits, made', madeAt?.(promise) ?? now());
  };

  readonly #onThrow = (error: unknown): void => this.#take(error, 'a callback of its own, called', this.options.now());

  #take(error: unknown, what: string, { sequence, time }: Moment): void {
    if (this.first !== undefined) return;
    const when = sequence === 0 ? 'before any market data' : `after market data ${sequence}`;
    this.first = { error: isOwnFault(error) ? error : blamed(error, { who: this.#author(error), what: `${what} ${when}`, time }) };
    this.options.found?.(this.first.error);
  }

  /** By the files on the stack; strategies of one file are told apart by nothing. */
  #author(error: unknown): string {
    const frames = framesOf(error);
    const wrote = this.strategies.filter(({ files = [] }) => files.some((file) => frames.some((frame) => frame.startsWith(`${file}:`))));
    const suspects = wrote.length > 0 ? wrote : this.strategies;
    return `strategy ${suspects.map(({ id }) => `"${id}"`).join(' or ')}`;
  }
}

/**
 * The stray errors of one replay. A replay is one macrotask, so Node reports them only after it. The time at which each
 * promise was made is noted during the replay, and the results of the run wait for Node's reports.
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
