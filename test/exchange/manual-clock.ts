import type { Clock } from '../../src/ports/clock.ts';

interface Timer {
  readonly time: number;
  readonly callback: () => void;
}

/** A clock that the test moves. Between two timers, what they caused settles: promises are resolved. */
export class ManualClock implements Clock {
  #timers: Timer[] = [];

  constructor(private time = 1_700_000_000_000) {}

  now(): number {
    return this.time;
  }

  schedule(time: number, callback: () => void): () => void {
    const timer = { time: Math.max(time, this.time), callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  get pending(): number {
    return this.#timers.length;
  }

  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (;;) {
      const next = this.#timers.reduce<Timer | undefined>(
        (first, one) => (first === undefined || one.time < first.time ? one : first),
        undefined,
      );
      if (next === undefined || next.time > end) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.time = next.time;
      next.callback();
      await settle();
    }
    this.time = end;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}
