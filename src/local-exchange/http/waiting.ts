import type { Clock } from '../../ports/clock.ts';

/** Requests and replies that a fault holds up. Those still on their way when the exchange closes never arrive. */
export class Waiting {
  readonly #cancels = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Lets time pass on the exchange's clock; the promise of one that is cut short never settles. */
  pass(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.clock.schedule(this.clock.now() + ms, () => {
        this.#cancels.delete(cancel);
        resolve();
      });
      this.#cancels.add(cancel);
    });
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
