import type { Schedule } from './schedule.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** When a run of quotes may go on: nothing is scheduled before, and nobody wants to look in. */
export class RunTerms {
  readonly #venue: Schedule;
  readonly #timers: Schedule;

  constructor(
    private readonly clock: SimulatedClock,
    /** Of the monitor: its first number is not zero while it wants to. */
    private readonly wanted: Int32Array,
  ) {
    this.#venue = clock.venue;
    this.#timers = clock.timers;
  }

  /** Moves the clock to `time`, epoch ms. @returns false where something else comes first. */
  goOn(time: number): boolean {
    if (time >= this.#venue.nextTime || time >= this.#timers.nextTime || this.wanted[0] !== 0) return false;
    this.clock.advanceTo(time);
    return true;
  }
}
