import type { Clock } from '../../ports/clock.ts';

/** The longest that a timer of Node can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Wall time that begins at a moment of a recording and passes faster: bot and local exchange of a paper run share one,
 * so that every period and every timeout is in the recording's time.
 */
export class PacedClock implements Clock {
  readonly #wall: () => number;
  readonly #origin: number;

  /**
   * @param start epoch ms at which it begins.
   * @param speed its ms in one ms of the wall.
   * @param wall monotonic ms.
   */
  constructor(
    private readonly start: number,
    private readonly speed: number,
    wall: () => number,
  ) {
    this.#wall = wall;
    this.#origin = wall();
  }

  now(): number {
    return this.start + (this.#wall() - this.#origin) * this.speed;
  }

  schedule(time: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const ms = Math.ceil((time - this.now()) / this.speed);
      if (ms > LONGEST_MS) timer = setTimeout(wait, LONGEST_MS);
      else timer = setTimeout(callback, Math.max(0, ms));
    };
    wait();
    return () => clearTimeout(timer);
  }
}
