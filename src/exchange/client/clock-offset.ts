import type { Clock } from '../../ports/clock.ts';

/** A measurement with a round trip of up to twice this is good enough, in ms. */
const GOOD_MS = 500;

/** Wait before a poor measurement is repeated, in ms. */
const AGAIN_MS = 10_000;

/** Two clocks drift apart by less than this share of the time. */
const DRIFT = 1e-3;

/** How far the exchange's clock is ahead of ours: signed requests have its time, within 30 s. */
export class ClockOffset {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  #offsetMs = 0;
  /** Largest error of the last measurement. */
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

  /** The largest possible error of the offset by the round trip of its measurement, in ms; infinite until it is measured. */
  get errorMs(): number {
    return this.#errorMs;
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
   * Measures if that was never done, and waits for it. If the last measurement is too old, measures without
   * a wait for others. After a failure the last value is kept.
   */
  async refresh(ask: () => Promise<number>): Promise<void> {
    if (this.#lastsMs === 0 || this.#clock.now() < this.#measuredAt + this.#lastsMs) return;
    const isFirst = this.#measuredAt === Number.NEGATIVE_INFINITY;
    const measured = this.measure(ask).catch(() => {
      // A server without the endpoint is not queried each time.
      this.#measuredAt = this.#clock.now();
    });
    if (isFirst) await measured;
  }

  /** The offset is wrong: the next `refresh` measures it, and waits. */
  distrust(): void {
    this.#errorMs = Number.POSITIVE_INFINITY;
    this.#measuredAt = Number.NEGATIVE_INFINITY;
  }

  /** Requests the exchange's time, which is taken as the time halfway between send and reply. */
  measure(ask: () => Promise<number>): Promise<void> {
    this.#underWay ??= this.#measure(ask).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #measure(ask: () => Promise<number>): Promise<void> {
    const sent = this.#clock.now();
    const serverTime = await ask();
    const receivedAt = this.#clock.now();
    const errorMs = (receivedAt - sent) / 2;
    const known = this.#errorMs + (receivedAt - this.#measuredAt) * DRIFT;
    const isGood = errorMs <= GOOD_MS || !(errorMs > known);
    if (isGood || this.#measuredAt === Number.NEGATIVE_INFINITY) {
      this.#offsetMs = serverTime - (sent + receivedAt) / 2;
      this.#errorMs = errorMs;
    }
    // A slow reply is a poor measurement: it is repeated soon.
    this.#measuredAt = errorMs <= GOOD_MS ? receivedAt : receivedAt - this.#lastsMs + AGAIN_MS;
  }
}
