import type { Clock } from '../../../ports/clock.ts';

/** The longest that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;
/** The most that passes between two looks at the clock, in its ms, however long the process was kept from looking. */
const LONGEST_STEP_MS = 1_000;

/**
 * Wall time that begins at a moment of a recording and passes faster: bot and local exchange of a paper run share one,
 * so that every period and every timeout is in the recording's time. A process that is held up (a busy machine, one that
 * sleeps) does not fall behind: at high speeds some 20 ms would else count as an exchange that has been silent for long.
 */
export class PacedClock implements Clock {
  #now: number;
  #seen: number;

  /**
   * @param start epoch ms at which it begins.
   * @param speed its ms in one ms of the wall, at most.
   * @param wall monotonic ms.
   */
  constructor(
    start: number,
    private readonly speed: number,
    private readonly wall: () => number,
  ) {
    this.#now = start;
    this.#seen = wall();
  }

  now(): number {
    const seen = this.wall();
    this.#now += Math.min((seen - this.#seen) * this.speed, LONGEST_STEP_MS);
    this.#seen = seen;
    return this.#now;
  }

  schedule(time: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const ms = Math.ceil(Math.min((time - this.now()) / this.speed, LONGEST_MS));
      timer = setTimeout(() => (this.now() < time ? arm() : callback()), Math.max(0, ms));
    };
    arm();
    return () => clearTimeout(timer);
  }
}
