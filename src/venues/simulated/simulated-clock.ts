import type { Clock } from '../../ports/clock.ts';

/** Callbacks by time, and first in first out within one time: a binary heap. */
export class Schedule {
  readonly #entries: Entry[] = [];
  #count = 0;
  /** Time of the earliest callback; `Infinity` when there is none. */
  nextTime = Number.POSITIVE_INFINITY;
  /** Called with the time of a callback that is earlier than all others. */
  onEarlier: ((time: number) => void) | undefined;

  add(time: number, callback: () => void): () => void {
    const entry: Entry = { time, rank: this.#count++, callback };
    const entries = this.#entries;
    let at = entries.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(entry, entries[parent]!)) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
    if (time < this.nextTime) {
      this.nextTime = time;
      this.onEarlier?.(time);
    }
    return () => {
      entry.callback = undefined;
    };
  }

  /** Runs the earliest callback. */
  runNext(): void {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined) return;
    if (entries.length > 0) this.#sink(last);
    this.nextTime = entries[0]?.time ?? Number.POSITIVE_INFINITY;
    first.callback?.();
  }

  #sink(entry: Entry): void {
    const entries = this.#entries;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= entries.length) break;
      if (child + 1 < entries.length && before(entries[child + 1]!, entries[child]!)) child++;
      if (!before(entries[child]!, entry)) break;
      entries[at] = entries[child]!;
      at = child;
    }
    entries[at] = entry;
  }
}

interface Entry {
  readonly time: number;
  readonly rank: number;
  callback: (() => void) | undefined;
}

function before(a: Entry, b: Entry): boolean {
  return a.time !== b.time ? a.time < b.time : a.rank < b.rank;
}

/** A clock that only the timeline moves. */
export class SimulatedClock implements Clock {
  /** Timers of strategies and of the engine. */
  readonly timers = new Schedule();
  /** Orders, cancels and replies on their way: they come before timers of the same time. */
  readonly venue = new Schedule();
  #now = Number.NEGATIVE_INFINITY;

  now(): number {
    return this.#now;
  }

  schedule(time: number, callback: () => void): () => void {
    return this.timers.add(time, callback);
  }

  /** Moves time forward; it never goes back. */
  advanceTo(time: number): void {
    if (time > this.#now) this.#now = time;
  }
}
