import { type AsyncHook, createHook } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';
import { framesOf, isOwnFault, strategyError } from '../../engine/strategy-error.ts';
import type { PlannedStrategy } from '../planning/run-plans.ts';

/** A moment of a run. */
interface Moment {
  /** The sequence of the newest market event. */
  readonly sequence: number;
  /** Epoch ms. */
  readonly time: number;
}

interface StrayOptions {
  readonly now: () => Moment;
  /** The moment at which a promise was created; without it, an error gets the moment of its report. */
  readonly madeAt?: ((promise: object) => Moment | undefined) | undefined;
  /** Whether a rejected promise is none of the strategies: its rejection is left to the process. */
  readonly isForeign?: ((promise: object) => boolean) | undefined;
  /** Called with the first error. */
  readonly found?: ((error: unknown) => void) | undefined;
}

/** The listeners of this module: any other one is of the process. */
const OWN = new WeakSet<object>();

/**
 * Errors of strategies that no caller can catch: rejected promises without a handler, and throws in callbacks that Node or
 * rxjs calls later. Node would end the process, or the thread, at once. This class receives all of them until it is closed.
 */
export class StrayErrors {
  /** The error that stops the run. */
  first: { readonly error: unknown } | undefined;
  /** Reasons of rejections that are given back. */
  readonly #foreign: unknown[] = [];

  constructor(
    private readonly strategies: readonly Pick<PlannedStrategy, 'id' | 'files'>[],
    private readonly options: StrayOptions,
  ) {
    OWN.add(this.#onRejection);
    process.on('unhandledRejection', this.#onRejection);
    process.on('uncaughtException', this.#onThrow);
  }

  rethrow(): void {
    if (this.first !== undefined) throw this.first.error;
  }

  close(): void {
    process.off('unhandledRejection', this.#onRejection);
    process.off('uncaughtException', this.#onThrow);
    for (const reason of this.#foreign.splice(0)) void Promise.reject(reason);
  }

  readonly #onRejection = (reason: unknown, promise: object): void => {
    const { madeAt, now, isForeign } = this.options;
    if (isForeign?.(promise) === true) this.#giveBack(reason);
    else this.#take(reason, 'an unhandled promise, made', madeAt?.(promise) ?? now());
  };

  /** Without a listener of its own, the process would end for this rejection: it is made again when this class no longer listens. */
  #giveBack(reason: unknown): void {
    if (process.listeners('unhandledRejection').every((listener) => OWN.has(listener))) this.#foreign.push(reason);
  }

  readonly #onThrow = (error: unknown): void => this.#take(error, 'a callback of its own, called', this.options.now());

  #take(error: unknown, what: string, { sequence, time }: Moment): void {
    if (this.first !== undefined) return;
    const when = sequence === 0 ? 'before any market data' : `after market data ${sequence}`;
    this.first = { error: isOwnFault(error) ? error : strategyError(error, { who: this.#author(error), what: `${what} ${when}`, time }) };
    this.options.found?.(this.first.error);
  }

  /** The strategies whose files are on the stack. Several strategies of one file cannot be distinguished. */
  #author(error: unknown): string {
    const frames = framesOf(error);
    const wrote = this.strategies.filter(({ files = [] }) => files.some((file) => frames.some((frame) => frame.startsWith(`${file}:`))));
    const suspects = wrote.length > 0 ? wrote : this.strategies;
    return `strategy ${suspects.map(({ id }) => `"${id}"`).join(' or ')}`;
  }
}

/** Makes `process.exit` throw: a strategy cannot end the thread or the process of its run. @returns a function that allows it again. */
export function forbidExit(): () => void {
  const { exit } = process;
  process.exit = (code) => {
    throw new Error(`strategies must not call process.exit(${code ?? ''}): throw an error to end the run`);
  };
  return () => {
    process.exit = exit;
  };
}

/** The stray errors of one replay. */
export interface RunStrays {
  /** Called before and after each part of the run in which strategies can do something. */
  enter(): void;
  leave(): void;
  /** Whether strategies have begun something that goes on after their hook: a promise or a timer. */
  readonly begun: boolean;
  /** Stops watching. @returns the first error that no caller caught. */
  close(): Promise<StrayErrors['first']>;
}

/**
 * The stray errors of a replay in a process of the user, which goes on with other work. Only promises and timers that begin inside the
 * replay belong to it, so this class watches the process only after the first of these, and gives back the rejections of others.
 */
export class SharedStrays implements RunStrays {
  begun = false;
  readonly #strategies: readonly PlannedStrategy[];
  readonly #state: Moment;
  readonly #made = new WeakMap<object, Moment>();
  readonly #hook: AsyncHook;
  #strays: StrayErrors | undefined;
  #allowExit: (() => void) | undefined;

  /** @param state the moment of the run, which changes as it goes on. */
  constructor(strategies: readonly PlannedStrategy[], state: Moment) {
    this.#strategies = strategies;
    this.#state = state;
    this.#hook = createHook({ init: (_id, type, _trigger, resource) => this.#begin(type, resource) });
  }

  enter(): void {
    this.#allowExit ??= forbidExit();
    this.#hook.enable();
  }

  leave(): void {
    this.#hook.disable();
    this.#allowExit?.();
    this.#allowExit = undefined;
  }

  async close(): Promise<StrayErrors['first']> {
    this.leave();
    const strays = this.#strays;
    if (strays === undefined) return undefined;
    // Callbacks of the strategies run now.
    const allowExit = forbidExit();
    // As in ReplayStrays.
    await new Promise((resolve) => setTimeout(resolve));
    allowExit();
    strays.close();
    return strays.first;
  }

  #begin(type: string, resource: object): void {
    const { sequence, time } = this.#state;
    if (type === 'PROMISE') this.#made.set(resource, { sequence, time });
    if (this.begun) return;
    this.begun = true;
    this.#strays = new StrayErrors(this.#strategies, {
      now: () => ({ sequence: this.#state.sequence, time: this.#state.time }),
      madeAt: (promise) => this.#made.get(promise),
      isForeign: (promise) => !this.#made.has(promise),
    });
  }
}

/**
 * The stray errors of one replay in a thread of its own. A replay is one macrotask, so Node reports them only after it. This class stores the moment at which
 * each promise was created, and the results of the run wait for Node's reports.
 */
export class ReplayStrays implements RunStrays {
  readonly begun = true;
  readonly #made = new WeakMap<object, Moment>();
  readonly #strays: StrayErrors;
  readonly #forgetPromises: () => void;

  /** @param state the moment of the run, which changes as it goes on. */
  constructor(strategies: readonly PlannedStrategy[], state: Moment) {
    const now = ({ sequence, time } = state): Moment => ({ sequence, time });
    const start = now();
    this.#strays = new StrayErrors(strategies, { now, madeAt: (promise) => this.#made.get(promise) ?? start });
    this.#forgetPromises = promiseHooks.onInit((promise) => this.#made.set(promise, now())) as () => void;
  }

  enter(): void {}

  leave(): void {}

  async close(): Promise<StrayErrors['first']> {
    // A timer and not a microtask: Node reports rejections before it, and rxjs throws with an earlier timer.
    await new Promise((resolve) => setTimeout(resolve));
    this.#forgetPromises();
    this.#strays.close();
    return this.#strays.first;
  }
}
