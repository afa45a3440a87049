import { writeFileSync } from 'node:fs';
import { wireSymbol } from '../../exchange/symbols.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import { accessOf } from '../access/access-settings.ts';
import { loadConfig } from '../config/load-config.ts';
import type { BotConfig } from '../config/schema/live-schema.ts';
import { botClients } from '../live/bot-clients.ts';
import { withKeys } from '../live/exchange-checks.ts';
import { botPlanOf, botSection } from '../live/plan-bot.ts';
import type { Heartbeat } from '../live/process/heartbeat.ts';
import { watchdogText } from '../live/process/kill-file.ts';
import { type BotFolder, type BotMode, botFolder } from '../planning/bot-folder.ts';
import { type Rescuer, rescue } from './rescue.ts';
import { standIns } from './takeover.ts';

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

/**
 * What can be done for a bot on paper: its exchange is in its process, stands as long as that is frozen and is gone with it, and
 * nothing can fill there meanwhile. It is latched, and cancels (and flattens) by itself as soon as it lives again.
 */
export function latchPaper(folder: BotFolder, flatten: boolean): Rescuer {
  return {
    redact: (text) => text,
    close: async () => {},
    check: async (log) => log.info('a paper bot takes its exchange along: it is latched, and cancels by itself when it is back'),
    async rescue(reason, _signal, log) {
      writeFileSync(folder.killFile, watchdogText(reason, flatten), { mode: 0o600 });
      log.warn('latched by its kill file', { path: folder.killFile });
      return true;
    },
  };
}

interface PlannedWatchdog {
  readonly name: string;
  readonly mode: BotMode;
  readonly folder: BotFolder;
  readonly settings: BotConfig['watchdog'];
  readonly rescuer: Rescuer;
}

/** @throws TidegateError for a config that is wrong or has no such section, KEYS_INVALID where there are none. */
export function planWatchdog(
  path: string,
  { set = [], paper = false }: { readonly set?: readonly string[] | undefined; readonly paper?: boolean | undefined },
  environment: NodeJS.ProcessEnv,
): PlannedWatchdog {
  const mode: BotMode = paper ? 'paper' : 'live';
  // The keys of a bot on paper are its own exchange's.
  const loaded = loadConfig(path, { set: paper ? [...set, 'live.enabled=false'] : set, env: environment });
  const { config } = loaded;
  const { dir, watchdog: settings } = botSection(loaded, mode);
  const folder = botFolder(dir, config.name, mode);
  const common = { name: config.name, mode, folder, settings };
  if (paper) return { ...common, rescuer: latchPaper(folder, settings.flatten) };
  const { credentials, ...given } = accessOf({}, environment, config.live);
  if (credentials === undefined) {
    throw new TidegateError('KEYS_INVALID', 'no keys: set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE, or live.keys');
  }
  const access = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const clients = botClients({ clock: new SystemClock(), steady: new SteadyClock(), credentials, settings: access, live: config.live });
  const rescuer: Rescuer = {
    redact: clients.redact,
    close: clients.close,
    async check(log) {
      const contract = Object.keys(config.instruments).find((symbol) => symbol.endsWith('-PERP'));
      try {
        if (given.spotBaseUrl !== undefined) await withKeys(() => clients.client.accountAssets());
        else if (contract !== undefined) await withKeys(() => clients.client.futuresOrders({ symbol: wireSymbol(contract) }));
      } catch (error) {
        if (error instanceof TidegateError && error.code === 'KEYS_INVALID') throw error;
        log.warn('the exchange cannot be asked whether it takes the keys', { error: (error as Error).message });
      }
    },
    rescue: (reason, signal, log, clock) => {
      const parts = { strategies: standIns(loaded), needs: [], params: [], history: () => [], log, speed: 1 };
      const plan = botPlanOf(loaded, mode, parts);
      return rescue({ plan, folder, clients, clock, log, flatten: settings.flatten, reason, signal });
    },
  };
  return { ...common, rescuer };
}

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
