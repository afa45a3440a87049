import type { SimulatedClock } from './simulated-clock.ts';

/** When a run of quotes may go on: nothing is scheduled before, and nobody wants to look in. */
export class RunTerms {
  constructor(
    private readonly clock: SimulatedClock,
    /** Of the monitor: its first number is not zero while it wants to. */
    private readonly wanted: Int32Array,
  ) {}

  /** Moves the clock to `time`, epoch ms. @returns false where something else comes first. */
  goOn(time: number): boolean {
    const { clock } = this;
    if (time >= clock.venue.nextTime || time >= clock.timers.nextTime || this.wanted[0] !== 0) return false;
    clock.advanceTo(time);
    return true;
  }
}
