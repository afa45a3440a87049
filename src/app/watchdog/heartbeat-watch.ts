import type { Log } from '../../ports/log.ts';
import type { Heartbeat } from '../live/process/heartbeat.ts';

/**
 * What the heartbeats of a bot say. `absent`: there has been none. `alive`; `stopped`: it was told to. `silent`: there is none
 * where there should be.
 */
type Life = 'absent' | 'alive' | 'stopped' | 'silent';

interface HeartbeatWatchOptions {
  /** How long the newest heartbeat may be old, in ms. */
  readonly afterMs: number;
  /** Between two looks, in ms: who was kept from looking for much longer slept, and so may the bot have done. */
  readonly lookMs: number;
}

/** A look that comes this many periods late was none. */
const LATE = 4;

/**
 * Measures the time between changes of the heartbeat on its own clock, so that neither a wall clock that is set nor a machine
 * that sleeps looks like a dead bot. Only the first look depends on the time in the heartbeat.
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

const LIFE_WORDS: Readonly<Record<Life, string>> = {
  absent: 'waiting for the first heartbeat of the bot',
  alive: 'the bot is alive',
  stopped: 'the bot was stopped on purpose: nothing to watch until it starts again',
  silent: 'the bot is silent',
};

/** What a watchdog has seen, for those who look at it. */
export class WatchdogStatus {
  #life: Life | undefined;
  #acting: 'no' | 'acting' | 'done' | 'unfinished' = 'no';

  constructor(private readonly log: Log) {}

  /** @returns whether it is another than before; that has its line in the log. */
  life(life: Life, newest: Heartbeat | undefined): boolean {
    if (life === this.#life) return false;
    this.#life = life;
    if (life === 'silent') this.#acting = 'acting';
    else this.log.info(LIFE_WORDS[life], { pid: newest?.pid });
    return true;
  }

  acted(done: boolean): void {
    this.#acting = done ? 'done' : 'unfinished';
  }

  fields(silentMs: number): Record<string, unknown> {
    return { life: this.#life, rescue: this.#acting, silentMs: Math.round(silentMs) };
  }

  text(silentMs: number): string {
    const rescue = this.#acting === 'no' ? '' : ` | rescue: ${this.#acting}`;
    return `${LIFE_WORDS[this.#life ?? 'absent']} | newest heartbeat ${(silentMs / 1_000).toFixed(1)} s old${rescue}`;
  }
}
