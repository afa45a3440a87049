import type { SimulatedClock } from './simulated-clock.ts';

/** When a run of quotes may go on: nothing is scheduled before, and nobody wants to look in. */
export class RunTerms {
  /** Epoch ms at which something else comes first. */
  #until = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: SimulatedClock,
    /** Of the monitor: its first number is not zero while it wants to. */
    private readonly wanted: Int32Array,
  ) {
    const earlier = (time: number) => {
      if (time < this.#until) this.#until = time;
    };
    clock.venue.onEarlier = earlier;
    clock.timers.onEarlier = earlier;
  }

  /** A run begins. @param bound epoch ms that it does not come to in any case. */
  begin(bound: number): void {
    this.#until = Math.min(bound, this.clock.venue.nextTime, this.clock.timers.nextTime);
  }

  /** It does not go on. */
  stop(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** Moves the clock to `time`, epoch ms. @returns false where something else comes first. */
  goOn(time: number): boolean {
    if (time >= this.#until || this.wanted[0] !== 0) return false;
    this.clock.advanceTo(time);
    return true;
  }
}
