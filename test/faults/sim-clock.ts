import type { Clock } from '../../src/ports/clock.ts';

interface Timer {
  readonly time: number;
  readonly order: number;
  readonly callback: () => void;
  canceled: boolean;
}

/**
 * Simulated time for asynchronous code: everything that a moment caused has settled before the next one comes. Timers of
 * one moment fire in the order in which they were set.
 */
export class SimClock implements Clock {
  #heap: Timer[] = [];
  #order = 0;

  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  schedule(time: number, callback: () => void): () => void {
    const timer: Timer = { time: Math.max(time, this.time), order: this.#order++, callback, canceled: false };
    this.#push(timer);
    return () => {
      timer.canceled = true;
    };
  }

  /** Runs until this time, or until `stop` says so. */
  async runTo(end: number, stop: () => boolean = () => false): Promise<void> {
    await settled();
    while (!stop()) {
      const next = this.#heap[0];
      if (next === undefined || next.time > end) break;
      this.#pop();
      if (next.canceled) continue;
      this.time = next.time;
      next.callback();
      await settled();
    }
    if (!stop()) this.time = Math.max(this.time, end);
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}

/** All promises that can be resolved without time going on have been: a macrotask comes after every microtask. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
