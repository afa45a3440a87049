import type { Clock } from '../../ports/clock.ts';

/** The engine's clock in a replay: it shows what the journal says, and nothing comes due but what came due then. */
export class ReplayClock implements Clock {
  #now: number;
  #scheduled = 0;
  readonly #callbacks = new Map<number, () => void>();

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    this.#now = now;
  }

  schedule(_time: number, callback: () => void): () => void {
    const timer = ++this.#scheduled;
    this.#callbacks.set(timer, callback);
    return () => this.#callbacks.delete(timer);
  }

  /** Calls what was asked for as the so-manyth. @returns false where nothing waits under this number. */
  fire(timer: number): boolean {
    const callback = this.#callbacks.get(timer);
    this.#callbacks.delete(timer);
    callback?.();
    return callback !== undefined;
  }
}
