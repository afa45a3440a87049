import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** A measurement with a round trip of up to twice this is good enough, in ms. */
const GOOD_MS = 500;

/** Wait before a poor measurement is repeated, in ms. */
const AGAIN_MS = 10_000;

/** Two clocks drift apart by less than this share of the time. */
const DRIFT = 1e-3;

/** A first answer this far from the own clock is doubted, in ms: signed requests are refused from there on. */
const FAR_MS = 30_000;

/** A later answer this far from the last measurement, in addition to their errors, is doubted, in ms. */
const JUMP_MS = 1_000;

/** How often the time is queried until two doubted answers agree. */
const QUERIES = 3;

/** An answer about the exchange's time. */
interface Measurement {
  readonly offsetMs: number;
  /** The largest possible error: half of the round trip. */
  readonly errorMs: number;
  /** By our clock, epoch ms. */
  readonly receivedAt: number;
}

/** The exchange's answers about its time contradict each other. */
class TimeDoubted extends TidegateError {
  constructor() {
    super('EXCHANGE_UNREADABLE', `the exchange's time is in doubt: ${QUERIES} answers contradict each other`, { retryable: true });
  }
}

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
    const measured = this.measure(ask).catch((error: unknown) => {
      // A server without the endpoint is not queried each time.
      this.#measuredAt = this.#clock.now() - (error instanceof TimeDoubted ? this.#lastsMs - AGAIN_MS : 0);
    });
    if (isFirst) await measured;
  }

  /** The offset is wrong: the next `refresh` measures it, and waits. */
  distrust(): void {
    this.#errorMs = Number.POSITIVE_INFINITY;
    this.#measuredAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Requests the exchange's time, which is taken as the time halfway between send and reply. An answer far from the last measurement (the
   * first one: from our clock) counts only if the next one agrees with it: a single wrong answer would have all signed requests refused.
   * @throws TidegateError EXCHANGE_UNREADABLE if no two answers agree.
   */
  measure(ask: () => Promise<number>): Promise<void> {
    this.#underWay ??= this.#measure(ask).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #measure(ask: () => Promise<number>): Promise<void> {
    let doubted: Measurement | undefined;
    for (let query = 0; query < QUERIES; query++) {
      const sent = this.#clock.now();
      const serverTime = await ask();
      const receivedAt = this.#clock.now();
      const measured = { offsetMs: serverTime - (sent + receivedAt) / 2, errorMs: (receivedAt - sent) / 2, receivedAt };
      if (this.#isPlausible(measured) || (doubted !== undefined && agree(doubted, measured))) {
        this.#take(measured);
        return;
      }
      doubted = measured;
    }
    throw new TimeDoubted();
  }

  #isPlausible(measured: Measurement): boolean {
    const { offsetMs, errorMs, receivedAt } = measured;
    if (!Number.isFinite(this.#errorMs)) return Math.abs(offsetMs) <= FAR_MS + errorMs;
    return agree({ offsetMs: this.#offsetMs, errorMs: this.#knownMs(receivedAt), receivedAt }, measured);
  }

  #take({ offsetMs, errorMs, receivedAt }: Measurement): void {
    const isGood = errorMs <= GOOD_MS || !(errorMs > this.#knownMs(receivedAt));
    if (isGood || this.#measuredAt === Number.NEGATIVE_INFINITY) {
      this.#offsetMs = offsetMs;
      this.#errorMs = errorMs;
    }
    // A slow reply is a poor measurement: it is repeated soon.
    this.#measuredAt = errorMs <= GOOD_MS ? receivedAt : receivedAt - this.#lastsMs + AGAIN_MS;
  }

  /** The largest error of the last measurement by now. */
  #knownMs(now: number): number {
    return this.#errorMs + (now - this.#measuredAt) * DRIFT;
  }
}

function agree(one: Measurement, other: Measurement): boolean {
  return Math.abs(one.offsetMs - other.offsetMs) <= one.errorMs + other.errorMs + JUMP_MS;
}
