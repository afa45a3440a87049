import { isObservable, Subject, type Subscription } from 'rxjs';
import type { MarketEvent } from '../../model/market-events.ts';
import { type AccountEvent, isOrderEvent } from '../../model/order-events.ts';
import type { Intents, Strategy } from '../../strategy/strategy.ts';
import { aloud, loudly } from './loud-streams.ts';
import { wrongAnswer } from './no-intent.ts';

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
