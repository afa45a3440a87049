import { TidegateError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** The pause before try number `attempt` (the second is 1): drawn from 0 up to a bound that doubles, so that clients do not come back in step. */
export function backoffMs(attempt: number, firstMs: number, mostMs: number, random: () => number): number {
  return Math.min(mostMs, firstMs * 2 ** (attempt - 1)) * random();
}

/** Resolves after so long on the clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.schedule(clock.now() + ms, resolve);
  });
}

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/**
 * The origin of a base URL. Keys must not cross a network in the clear, so plain http is for loopback alone, and a
 * path is refused because the signature begins with `/api` or `/capi`.
 * @throws TidegateError CONFIG_INVALID.
 */
export function originOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === undefined || !isSafe) {
    throw new TidegateError('CONFIG_INVALID', `a base URL must be https, or http on a loopback host, not "${withoutUser(baseUrl)}"`);
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TidegateError('CONFIG_INVALID', `a base URL must be scheme and host alone, not "${withoutUser(baseUrl)}"`);
  }
  return url.origin;
}

/** User and password of a URL are secrets too. */
function withoutUser(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//***@');
}

/** How the client talks; times in ms. */
export interface ClientSettings {
  /** `https://host`, or `http` on a loopback address. */
  readonly spotBaseUrl: string | undefined;
  readonly contractBaseUrl: string | undefined;
  /** The `locale` header of signed requests. */
  readonly locale: string;
  /** Until the connection stands, until the headers are there, until the body is. */
  readonly connectMs: number;
  readonly headersMs: number;
  readonly bodyMs: number;
  /** A longer reply is refused. All tickers of a large exchange are some 1 MB. */
  readonly maxBodyBytes: number;
  /** How often a read is tried in all; whatever acts is tried once. */
  readonly readAttempts: number;
  /** The longest first pause between two tries; it doubles, up to `maxBackoffMs`, and is drawn from 0 up. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Most orders in one batch. */
  readonly batchLimit: number;
  /** How long a measured clock offset is good for; 0 never measures. */
  readonly clockSyncMs: number;
}

export const CLIENT_DEFAULTS: ClientSettings = {
  spotBaseUrl: undefined,
  contractBaseUrl: undefined,
  locale: 'en-US',
  connectMs: 5_000,
  headersMs: 10_000,
  bodyMs: 10_000,
  maxBodyBytes: 16 * 1024 * 1024,
  readAttempts: 3,
  backoffMs: 250,
  maxBackoffMs: 5_000,
  batchLimit: 10,
  clockSyncMs: 600_000,
};

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
