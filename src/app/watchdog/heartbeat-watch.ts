import type { Heartbeat } from '../live/process/heartbeat.ts';

/**
 * What the heartbeats of a bot say. `absent`: there has been none. `alive`; `stopped`: it was told to. `silent`: there is none
 * where there should be.
 */
export type Life = 'absent' | 'alive' | 'stopped' | 'silent';

export interface HeartbeatWatchOptions {
  /** How long the newest heartbeat may be old, in ms. */
  readonly afterMs: number;
  /** Between two looks, in ms: who was kept from looking for much longer slept, and so may the bot have done. */
  readonly lookMs: number;
}

/** A look that comes this many periods late was none. */
const LATE = 4;

/**
 * Judges by what passes between changes of the heartbeat on a clock of its own, so that neither a clock that is set nor a
 * machine that sleeps looks like a dead bot. Only the first look has to believe the time that the heartbeat bears.
 */
export class HeartbeatWatch {
  #seen: Heartbeat | undefined;
  /** On the steady clock: when the newest heartbeat was new. */
  #since = 0;
  #lookedAt: number | undefined;

  constructor(private readonly options: HeartbeatWatchOptions) {}

  get newest(): Heartbeat | undefined {
    return this.#seen;
  }

  /** How long there has been no new one, in ms of the steady clock. */
  silentMs(now: number): number {
    return this.#seen === undefined ? 0 : now - this.#since;
  }

  /**
   * @param now ms of a steady clock.
   * @param wall epoch ms.
   */
  look(beat: Heartbeat | undefined, now: number, wall: number): Life {
    const { afterMs, lookMs } = this.options;
    const slept = this.#lookedAt !== undefined && now - this.#lookedAt > LATE * lookMs + afterMs / 2;
    const isFirst = this.#lookedAt === undefined;
    this.#lookedAt = now;
    if (beat !== undefined && !same(beat, this.#seen)) {
      this.#since = isFirst ? now - Math.max(0, wall - beat.time) : now;
      this.#seen = beat;
    } else if (slept) this.#since = now;
    if (this.#seen === undefined) return 'absent';
    if (this.#seen.phase === 'stopped') return 'stopped';
    return now - this.#since >= afterMs ? 'silent' : 'alive';
  }
}

function same(one: Heartbeat, other: Heartbeat | undefined): boolean {
  return other !== undefined && one.pid === other.pid && one.time === other.time && one.phase === other.phase;
}
