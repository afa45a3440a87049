import type { Log } from '../../ports/log.ts';
import type { Heartbeat } from '../live/process/heartbeat.ts';

/**
 * The state of a bot by its heartbeats. `absent`: there was none yet. `alive`. `stopped`: the bot was stopped. `silent`: an expected
 * heartbeat is missing.
 */
type Life = 'absent' | 'alive' | 'stopped' | 'silent';

interface HeartbeatWatchOptions {
  /** The largest age of the newest heartbeat, in ms. */
  readonly afterMs: number;
  /** The period of the checks, in ms. After a much longer pause the machine was asleep, and the bot, too. */
  readonly lookMs: number;
}

/** A check that is this many periods late does not count: it proves nothing about the bot. */
const LATE = 4;

/**
 * Measures the time between changes of the heartbeat on a monotonic clock, so that neither a change of the wall clock nor a sleep of the
 * machine looks like a dead bot. Only the first check depends on the time in the heartbeat.
 */
export class HeartbeatWatch {
  #seen: Heartbeat | undefined;
  /** When the newest heartbeat appeared, on the monotonic clock. */
  #since = 0;
  #lookedAt: number | undefined;
  #life: Life = 'absent';

  constructor(private readonly options: HeartbeatWatchOptions) {}

  get newest(): Heartbeat | undefined {
    return this.#seen;
  }

  /** The time without a new heartbeat, in ms of the monotonic clock. */
  silentMs(now: number): number {
    return this.#seen === undefined ? 0 : now - this.#since;
  }

  /**
   * @param now ms of a monotonic clock.
   * @param wall epoch ms.
   */
  look(beat: Heartbeat | undefined, now: number, wall: number): Life {
    this.#life = this.#judged(beat, now, wall);
    return this.#life;
  }

  #judged(beat: Heartbeat | undefined, now: number, wall: number): Life {
    const { afterMs, lookMs } = this.options;
    const slept = this.#lookedAt !== undefined && now - this.#lookedAt > LATE * lookMs + afterMs / 2;
    const isFirst = this.#lookedAt === undefined;
    this.#lookedAt = now;
    if (beat !== undefined && !same(beat, this.#seen)) {
      this.#since = isFirst ? now - Math.max(0, wall - beat.time) : now;
      this.#seen = beat;
    } else if (slept) {
      // A bot that was silent before is still silent. One that was alive gets its full time again.
      if (this.#life === 'silent') return 'silent';
      this.#since = now;
    }
    if (this.#seen === undefined) return 'absent';
    if (this.#seen.phase === 'stopped') return 'stopped';
    return now - this.#since >= afterMs ? 'silent' : 'alive';
  }
}

function same(one: Heartbeat, other: Heartbeat | undefined): boolean {
  return other !== undefined && one.pid === other.pid && one.time === other.time && one.phase === other.phase;
}

/** One incident gets one rescue. Another one begins with a heartbeat after it. */
export class Incidents {
  #life: Life | undefined;
  #isDue = false;
  #rescued: Heartbeat | undefined;

  /**
   * @param newest the heartbeat after which the bot has this state.
   * @param isRescuing a rescue has not ended: another one waits for it.
   * @returns whether a rescue begins now.
   */
  begins(life: Life, newest: Heartbeat | undefined, isRescuing: boolean): boolean {
    if (life !== this.#life) this.#isDue = life === 'silent' && newest !== this.#rescued;
    this.#life = life;
    if (!this.#isDue || isRescuing) return false;
    this.#isDue = false;
    this.#rescued = newest;
    return true;
  }
}

const LIFE_WORDS: Readonly<Record<Life, string>> = {
  absent: 'waiting for the first heartbeat of the bot',
  alive: 'the bot is alive',
  stopped: 'the bot was stopped: nothing to watch until it starts again',
  silent: 'the bot is silent',
};

/** The state of a watchdog for its status line and its log. */
export class WatchdogStatus {
  #life: Life | undefined;
  #acting: 'no' | 'acting' | 'done' | 'unfinished' = 'no';

  constructor(private readonly log: Log) {}

  /** Logs the state if it has changed. */
  life(life: Life, newest: Heartbeat | undefined): void {
    if (life === this.#life) return;
    this.#life = life;
    if (life === 'silent') this.#acting = 'acting';
    else this.log.info(LIFE_WORDS[life], { pid: newest?.pid });
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
