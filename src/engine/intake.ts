import { Subscriber } from 'rxjs';
import type { EngineItem } from '../ports/market-feed.ts';

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
