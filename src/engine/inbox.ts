import { Subscriber } from 'rxjs';
import type { AccountEvent } from '../model/account-events.ts';
import type { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { Command, Ending, EngineItem, PriceInstant, Stopping } from '../ports/market-feed.ts';
import type { Order } from '../state/order.ts';
import type { HeldOrder } from './held/held-order.ts';
import type { Amendment } from './orders/amendments.ts';
import { type StrategyHost, wrongAnswer } from './strategies/strategy-host.ts';
import { type ErrorSource, strategyError } from './strategy-error.ts';

/**
 * An item that waits for review: an intent, a triggered order or one that will wait at the venue, the rest
 * of an order that was not triggered there in time, or the replacement of an amended order.
 */
export type QueuedReview =
  | { readonly host: StrategyHost; readonly intent: Intent; readonly sequence: number; readonly ours: boolean }
  | { readonly release: HeldOrder }
  | { readonly amended: Order; readonly amendment: Amendment };

/** The items that wait for the engine. */
export type InboxItem = MarketEvent | AccountEvent | PriceInstant | Ending | Stopping | Command | { readonly kind: 'starting' };

/** The number of waiting items in all inboxes that share it: one comparison shows that there is none. */
export interface Waiting {
  count: number;
}

/** A queue, first in first out, that keeps its memory between turns. */
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
 * The engine's subscriber of the market feed. A plain observer does not work: rxjs 7 catches an error of `next` and
 * reports it on a later macrotask, so that a recorded run with a broken strategy would continue and succeed. A
 * Subscriber of our own is used directly: an error of the engine ends the replay at that very event and
 * arrives at `error`, in the same call.
 */
export class FeedSubscriber<Item extends EngineItem = EngineItem> extends Subscriber<Item> {
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

/** Steps of one turn above which it counts as a strategy that reacts to its own events without end. */
export const MAX_STEPS_PER_TURN = 1_000_000;

/** The error for such a turn. @param queued the newest reviewed item: a strategy receives only events of its own orders. */
export function endlessTurn(queued: QueuedReview | undefined, at: Omit<ErrorSource, 'who'>): TidegateError {
  const who = queued === undefined ? 'the engine' : `strategy "${authorOf(queued)}"`;
  return strategyError(wrongAnswer('its own events are answered without end'), { who, ...at });
}

function authorOf(queued: QueuedReview): string {
  if ('host' in queued) return queued.host.id;
  if ('amended' in queued) return queued.amended.strategyId;
  return queued.release.request.strategyId;
}
