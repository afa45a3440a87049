import { config, isObservable, Observable, Subject, type Subscription } from 'rxjs';
import { type AccountEvent, isOrderEvent } from '../../model/account-events.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { Intents, Strategy } from '../../strategy/strategy.ts';

/**
 * Runs `act`; what it throws, or a subscriber that it reaches, is thrown here. Left alone, rxjs reports what a subscriber
 * of a strategy's own throws on a later macrotask: a replay, which is one macrotask, would go on to a green end.
 */
function loudly(act: () => void): void {
  aloud(() => {
    // rxjs collects such throws from the outermost of its calls: without one around `act`, they would be lost.
    new Observable<never>(act).subscribe();
  });
}

/** The same for what is nothing but a `next` of a Subject. */
function aloud(next: () => void): void {
  config.useDeprecatedSynchronousErrorHandling = true;
  try {
    next();
  } finally {
    config.useDeprecatedSynchronousErrorHandling = false;
  }
}

const EXPECTED = 'hooks return intents made by place(), cancel(), protect(), setTimer() or cancelTimer(), lists of them, or nothing';
/** Characters of a value that a message shows. */
const SHOWN = 80;

/** The error for what a strategy returned, or its stream emitted, in place of an intent. */
export function noIntent(value: unknown): TidegateError {
  const promise = isPromise(value);
  // The run stops here; what the promise comes to later must not stop the process as well.
  if (promise) value.then(undefined, () => {});
  return wrongAnswer(promise ? `got a Promise; ${EXPECTED}; hooks cannot be async` : `got ${shown(value)}; ${EXPECTED}`);
}

/** An error found after the strategy's code has returned: the lines on the stack would not be its own. */
export function wrongAnswer(text: string): TidegateError {
  const error = new TidegateError('STRATEGY_THREW', text);
  error.stack = '';
  return error;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  try {
    return JSON.stringify(value).slice(0, SHOWN);
  } catch {
    return 'an object';
  }
}

/** One strategy in the engine: its hooks, and its stream where it is written as one. */
export class StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  /** Set when the strategy's stream ended with an error or emitted out of turn; the engine stops the run with it. */
  failure: { error: unknown } | undefined;
  readonly #market$ = new Subject<MarketEvent>();
  readonly #account$ = new Subject<AccountEvent>();
  #subscription: Subscription | undefined;

  constructor(
    readonly strategy: Strategy,
    private readonly collect: (host: StrategyHost, intents: Intents) => void,
  ) {
    this.id = strategy.id;
    this.symbols = strategy.symbols;
  }

  get streams(): boolean {
    return this.strategy.intents$ !== undefined;
  }

  start(): void {
    if (this.streams) loudly(() => this.#listen());
    this.collect(this, this.strategy.onStart?.());
  }

  #listen(): void {
    const stream: unknown = this.strategy.intents$?.(this.#market$.asObservable(), this.#account$.asObservable());
    if (!isObservable(stream)) throw wrongAnswer('intents$ returns an Observable of intents');
    this.#subscription = stream.subscribe({
      next: (intents) => this.#take(intents as Intents),
      error: (error: unknown) => {
        this.failure = { error };
      },
    });
  }

  market(event: MarketEvent): void {
    if (this.#market$.observed) aloud(() => this.#market$.next(event));
  }

  account(event: AccountEvent): void {
    if (this.#account$.observed) aloud(() => this.#account$.next(event));
    const { strategy } = this;
    if (event.kind === 'timerFired') {
      if (strategy.onTimer !== undefined) this.collect(this, strategy.onTimer(event));
      return;
    }
    if (!isOrderEvent(event)) return;
    if (strategy.onOrder !== undefined) this.collect(this, strategy.onOrder(event));
    if (event.kind === 'orderFilled' && strategy.onFill !== undefined) this.collect(this, strategy.onFill(event.fill));
  }

  stop(): void {
    this.collect(this, this.strategy.onStop?.());
  }

  close(): void {
    this.#subscription?.unsubscribe();
  }

  /** rxjs would throw what `next` throws on a later macrotask, past everyone who could report it. */
  #take(intents: Intents): void {
    try {
      this.collect(this, intents);
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
