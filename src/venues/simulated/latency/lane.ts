import type { SimulatedClock } from '../simulated-clock.ts';
import type { LegDelays } from './leg-delays.ts';

/** One leg of the venue's: nothing that goes it overtakes what set out before. */
export class Lane {
  #last = Number.NEGATIVE_INFINITY;
  #underWay = 0;

  constructor(
    private readonly clock: SimulatedClock,
    private readonly delays: LegDelays,
    /** What takes no time arrives at once, before whoever sent it goes on; else with the arrivals of its time. */
    private readonly atOnce: boolean,
  ) {}

  /** @param takesTime false for what arrives as it sets out. */
  send(arrive: () => void, takesTime = true): void {
    const now = this.clock.now();
    const due = Math.max(this.#last, takesTime ? now + this.delays(now) : now);
    this.#last = due;
    if (due <= now && this.atOnce && this.#underWay === 0) {
      arrive();
      return;
    }
    this.#underWay++;
    this.clock.venue.add(due, () => {
      this.#underWay--;
      arrive();
    });
  }
}
