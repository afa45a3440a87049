import { config, isObservable, Observable, Subject, type Subscription } from 'rxjs';
import { isOrderEvent, type NamedAccountEvent } from '../../model/account-events.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { SignalReceived } from '../../model/signal.ts';
import { stateStreamOf } from '../../strategy/state-stream.ts';
import { type Intents, neededBy, type Strategy, signalNames } from '../../strategy/strategy.ts';

/**
 * Runs `act`, and throws its error or that of a subscriber that it reaches. By default rxjs reports the error of a strategy's own
 * subscriber on a later macrotask: a replay, which is one macrotask, would succeed.
 */
function loudly(act: () => void): void {
  aloud(() => {
    // rxjs collects such errors in the outermost of its calls: without one around `act`, they would be lost.
    new Observable<never>(act).subscribe();
  });
}

/** The same for a plain `next` of a Subject. */
export function aloud(next: () => void): void {
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

/** The error for a value that a strategy returned, or its stream emitted, in place of an intent. */
export function noIntent(value: unknown): TidegateError {
  const promise = isPromise(value);
  // The run stops here. A later rejection of the promise must not stop the process as well.
  if (promise) value.then(undefined, () => {});
  return wrongAnswer(promise ? `got a Promise; ${EXPECTED}; hooks cannot be async` : `got ${shown(value)}; ${EXPECTED}`);
}

/** An error found after the strategy's code has returned: the stack would not show its lines. */
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

/** One strategy in the engine: its hooks, and its stream if it is written as one. */
export class StrategyHost {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly references: readonly string[];
  /** Symbols whose market events it receives: those that it trades, then its references. */
  readonly received: readonly string[];
  /** Set when the strategy's stream ended with an error or emitted out of turn; the engine stops the run with it. */
  failure: { error: unknown } | undefined;
  readonly #market$ = new Subject<MarketEvent>();
  readonly #account$ = new Subject<NamedAccountEvent>();
  #subscription: Subscription | undefined;

  constructor(
    readonly strategy: Strategy,
    private readonly collect: (host: StrategyHost, intents: Intents) => void,
  ) {
    this.id = strategy.id;
    this.symbols = strategy.symbols;
    this.references = strategy.references;
    this.received = [...strategy.symbols, ...strategy.references];
  }

  get streams(): boolean {
    return this.strategy.intents$ !== undefined;
  }

  start(): void {
    if (this.streams) loudly(() => this.#listen());
    this.collect(this, this.strategy.onStart?.());
  }

  #listen(): void {
    const { strategy } = this;
    const { state$ } = stateStreamOf(strategy);
    const stream: unknown = strategy.intents$?.(this.#market$.asObservable(), this.#account$.asObservable(), state$);
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

  /** Whether it receives more of an order event than the fill. */
  get followsOrders(): boolean {
    return this.strategy.onOrder !== undefined || this.#account$.observed;
  }

  account(event: NamedAccountEvent): void {
    if (event.kind === 'signalReceived' && !this.#receives(event)) return;
    if (this.#account$.observed) aloud(() => this.#account$.next(event));
    const { strategy } = this;
    if (event.kind === 'timerFired') {
      if (strategy.onTimer !== undefined) this.collect(this, strategy.onTimer(event));
      return;
    }
    if (event.kind === 'signalReceived') {
      if (strategy.onSignal !== undefined) this.collect(this, strategy.onSignal(event));
      return;
    }
    if (!isOrderEvent(event)) return;
    if (strategy.onOrder !== undefined) this.collect(this, strategy.onOrder(event));
    if (event.kind === 'orderFilled' && strategy.onFill !== undefined) this.collect(this, strategy.onFill(event.fill));
  }

  /** A signal of its names, and of one of its symbols or of none. */
  #receives({ name, symbol }: SignalReceived): boolean {
    const names = signalNames(neededBy(this.strategy).needs);
    return (names === undefined || names.includes(name)) && (symbol === undefined || this.received.includes(symbol));
  }

  stop(): void {
    this.collect(this, this.strategy.onStop?.());
  }

  close(): void {
    this.#subscription?.unsubscribe();
  }

  /** rxjs would throw an error of `next` on a later macrotask, where no caller could catch it. */
  #take(intents: Intents): void {
    try {
      this.collect(this, intents);
    } catch (error) {
      this.failure ??= { error };
    }
  }
}
