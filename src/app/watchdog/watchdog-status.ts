import type { Log } from '../../ports/log.ts';
import type { Heartbeat } from '../live/process/heartbeat.ts';
import type { Life } from './heartbeat-watch.ts';

const WORDS: Readonly<Record<Life, string>> = {
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
    else this.log.info(WORDS[life], { pid: newest?.pid });
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
    return `${WORDS[this.#life ?? 'absent']} | newest heartbeat ${(silentMs / 1_000).toFixed(1)} s old${rescue}`;
  }
}
