import type { Clock } from '../../ports/clock.ts';
import { Schedule } from './schedule.ts';

/** Time that stands still until the timeline moves it. */
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
