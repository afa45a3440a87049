import type { Clock } from '../../ports/clock.ts';

/** How far the exchange's clock is ahead of ours: signed requests bear its time, within 30 s. */
export class ClockOffset {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  #offsetMs = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<void> | undefined;

  constructor(clock: Clock, lastsMs: number) {
    this.#clock = clock;
    this.#lastsMs = lastsMs;
  }

  /** In ms; 0 until it is measured. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The exchange's time by the last measurement, in whole epoch ms. */
  serverTime(): number {
    return Math.floor(this.#clock.now() + this.#offsetMs);
  }

  /**
   * Measures where that was never done, and waits for it; where it was done too long ago, measures without holding
   * anybody up. Where it fails, goes on with what there is.
   */
  async refresh(ask: () => Promise<number>): Promise<void> {
    if (this.#lastsMs === 0 || this.#clock.now() < this.#measuredAt + this.#lastsMs) return;
    const isFirst = this.#measuredAt === Number.NEGATIVE_INFINITY;
    const measured = this.measure(ask).catch(() => {
      // A server without the endpoint is not asked each time.
      this.#measuredAt = this.#clock.now();
    });
    if (isFirst) await measured;
  }

  /** The offset is wrong: the next `refresh` measures it, and waits. */
  distrust(): void {
    this.#measuredAt = Number.NEGATIVE_INFINITY;
  }

  /** Asks for the exchange's time; its answer was true halfway between sending and hearing it. */
  measure(ask: () => Promise<number>): Promise<void> {
    this.#underWay ??= this.#measure(ask).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #measure(ask: () => Promise<number>): Promise<void> {
    const sent = this.#clock.now();
    const serverTime = await ask();
    const heard = this.#clock.now();
    this.#offsetMs = serverTime - (sent + heard) / 2;
    this.#measuredAt = heard;
  }
}
