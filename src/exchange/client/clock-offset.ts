import type { Clock } from '../../ports/clock.ts';

/** An answer that took twice as long tells the time well enough, in ms. */
const GOOD_MS = 500;

/** How soon a measurement that was not good is made again, in ms. */
const AGAIN_MS = 10_000;

/** Two clocks drift apart by less than this share of the time. */
const DRIFT = 1e-3;

/** How far the exchange's clock is ahead of ours: signed requests bear its time, within 30 s. */
export class ClockOffset {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  #offsetMs = 0;
  /** Most that it may be wrong by, when it was measured. */
  #errorMs = Number.POSITIVE_INFINITY;
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

  /** A signed request need not wait for a measurement. */
  get known(): boolean {
    return this.#lastsMs === 0 || this.#measuredAt !== Number.NEGATIVE_INFINITY;
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
    this.#errorMs = Number.POSITIVE_INFINITY;
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
    const errorMs = (heard - sent) / 2;
    const known = this.#errorMs + (heard - this.#measuredAt) * DRIFT;
    const isGood = errorMs <= GOOD_MS || !(errorMs > known);
    if (isGood || this.#measuredAt === Number.NEGATIVE_INFINITY) {
      this.#offsetMs = serverTime - (sent + heard) / 2;
      this.#errorMs = errorMs;
    }
    // A slow answer tells little: it is asked for again before long.
    this.#measuredAt = errorMs <= GOOD_MS ? heard : heard - this.#lastsMs + AGAIN_MS;
  }
}
