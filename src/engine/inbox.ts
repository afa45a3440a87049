import { Subscriber } from 'rxjs';
import type { AccountEvent } from '../model/account-events.ts';
import type { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { Command, Ending, EngineItem, PriceInstant, Stopping } from '../ports/market-feed.ts';
import type { Order } from '../state/order.ts';
import { type Blame, blamed } from './blame.ts';
import type { HeldOrder } from './held/held-order.ts';
import { type StrategyHost, wrongAnswer } from './strategies/strategy-host.ts';

/**
 * What waits for review: an intent, an order whose trigger was reached or that is to wait at the venue, or what is left
 * of an order that did not fire there.
 */
export type Wish =
  | { readonly host: StrategyHost; readonly intent: Intent; readonly sequence: number; readonly ours: boolean }
  | { readonly release: HeldOrder }
  | { readonly replace: Order; readonly steps: number };

/** The items that wait for the engine. */
export type InboxItem = MarketEvent | AccountEvent | PriceInstant | Ending | Stopping | Command | { readonly kind: 'starting' };

/** How many items wait in all inboxes that share it: one comparison shows that none does. */
export interface Waiting {
  count: number;
}

/** First in, first out, without giving memory back between turns. */
export class Inbox<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  #tail = 0;

  constructor(private readonly waiting: Waiting) {}

  get empty(): boolean {
    return this.#head === this.#tail;
  }

  push(item: T): void {
    this.#items[this.#tail++] = item;
    this.waiting.count++;
  }

  /** The oldest item; `undefined` when there is none. */
  take(): T | undefined {
    if (this.#head === this.#tail) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    this.waiting.count--;
    if (this.#head === this.#tail) {
      this.#head = 0;
      this.#tail = 0;
    }
    return item;
  }
}

/**
 * The engine's end of the market feed. A plain observer will not do: rxjs 7 catches what `next` throws and
 * reports it on a later macrotask, so a broken strategy would let a recorded run go on to a green end. A
 * Subscriber of our own is used as it is: what the engine throws unwinds the replay at that very event and
 * arrives at `error`, in the same call.
 */
export class Intake<Item extends EngineItem = EngineItem> extends Subscriber<Item> {
  failure: { readonly error: unknown } | undefined;
  readonly finished: Promise<void>;
  #finish: () => void = () => {};

  constructor(private readonly engine: { receive(item: Item): void }) {
    super();
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  protected override _next(item: Item): void {
    this.engine.receive(item);
  }

  protected override _error(error: unknown): void {
    this.failure = { error };
    this.#end();
  }

  protected override _complete(): void {
    this.#end();
  }

  #end(): void {
    this.unsubscribe();
    this.#finish();
  }
}

/** Steps that one turn may take before it counts as a strategy that answers itself for ever. */
export const MAX_STEPS_PER_TURN = 1_000_000;

/** The error for such a turn. @param wish the newest that was reviewed: a strategy is told of its own orders alone. */
export function endlessTurn(wish: Wish | undefined, at: Omit<Blame, 'who'>): TidegateError {
  const who = wish === undefined ? 'the engine' : `strategy "${authorOf(wish)}"`;
  return blamed(wrongAnswer('its own events are answered without end'), { who, ...at });
}

function authorOf(wish: Wish): string {
  if ('host' in wish) return wish.host.id;
  return ('release' in wish ? wish.release : wish.replace).request.strategyId;
}
