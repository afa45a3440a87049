import type { Clock } from '../ports/clock.ts';

interface Due {
  readonly time: number;
  readonly callback: () => void;
}

/** Time that moves on command: callbacks in between run on the way, in order, each at its own time. */
export class SteppedClock implements Clock {
  #now: number;
  #due: Due[] = [];

  /** @param start epoch ms. */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Number of scheduled callbacks. */
  get pending(): number {
    return this.#due.length;
  }

  schedule(time: number, callback: () => void): () => void {
    const entry = { time: Math.max(time, this.#now), callback };
    const at = this.#due.findIndex((other) => other.time > entry.time);
    this.#due.splice(at < 0 ? this.#due.length : at, 0, entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  /** Advances time by `ms`. */
  step(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#due[0]; next !== undefined && next.time <= end; next = this.#due[0]) {
      this.#due.shift();
      this.#now = next.time;
      next.callback();
    }
    this.#now = end;
  }
}
