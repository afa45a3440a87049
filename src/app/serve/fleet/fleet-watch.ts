import { createHash, randomBytes } from 'node:crypto';
import { BOT_STATES, type SeenBot } from '../../fleet/bot-state.ts';
import { type FoundBot, findBots } from '../../fleet/find-bots.ts';
import { lookAtBots, totalsOf } from '../../fleet/list-bots.ts';
import type { BotRow, Fleet, FleetChange } from '../api/bot-schemas.ts';
import { Status } from '../api/bot-schemas.ts';

/** Bots are asked for their status at most this often, in ms. */
const EVERY_MS = 2_000;
/** Folders are searched for bots this often, in ms. */
const FIND_EVERY_MS = 15_000;
/** So many changes are kept for pages that return after a break. */
const REMEMBERED = 100;

const TOTALS_ARE =
  'Equity and profit of today, summed over the rows whose bot answered at this moment, by mode and currency. Paper and real money are never added, nor are currencies.';

/** One look at all bots. */
export interface Look {
  readonly fleet: Fleet;
  /** By the ids of the rows. */
  readonly seen: ReadonlyMap<string, SeenBot>;
}

/** An event of the stream. */
export interface StreamEvent {
  readonly id: string;
  readonly name: 'fleet' | 'bots';
  readonly data: Fleet | FleetChange;
}

export interface WatchOptions {
  readonly paths: readonly string[];
  /** Epoch ms. */
  readonly now: () => number;
  readonly everyMs?: number;
  /** Looks at bots; the tests have bots of their own. */
  readonly lookAt?: (found: readonly FoundBot[], now: number) => Promise<{ readonly bots: readonly SeenBot[] }>;
}

/**
 * Looks at all bots for all pages together. A bot is asked at most once in a period, however many pages there are, and not at all while
 * there is none.
 */
export class FleetWatch {
  readonly #options: WatchOptions;
  readonly #everyMs: number;
  /** Ids of events of another process mean nothing here. */
  readonly #process = randomBytes(6).toString('hex');
  readonly #listeners = new Set<(event: StreamEvent) => void>();
  readonly #figures = new Map<string, NonNullable<BotRow['figures']>>();
  #found: { readonly bots: readonly FoundBot[]; readonly time: number } | undefined;
  #last: Look | undefined;
  #looking: Promise<Look> | undefined;
  #changes: StreamEvent[] = [];
  #count = 0;
  #trouble: string | null = null;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<Look> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? EVERY_MS;
  }

  /** The bots as they were seen within the period. */
  look(): Promise<Look> {
    if (this.#renewing !== undefined) return this.#renewing;
    const age = this.#last === undefined ? Number.POSITIVE_INFINITY : this.#options.now() - this.#last.fleet.time;
    if (this.#last !== undefined && age >= 0 && age < this.#everyMs) return Promise.resolve(this.#last);
    return this.#lookAgain();
  }

  /** The bots as they are now; several callers share one look. */
  #lookAgain(): Promise<Look> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** A bot has got a command: what was seen before, or is being seen, is no longer shown. */
  renew(): void {
    const before = this.#looking?.catch(() => undefined) ?? Promise.resolve();
    const renewing = before.then(() => this.#lookAgain());
    const over = () => {
      if (this.#renewing === renewing) this.#renewing = undefined;
    };
    this.#renewing = renewing;
    renewing.then(over, over);
  }

  /**
   * Calls back with what happened since an event, or with all bots, and then with each change.
   * @param since the id of the last event that the page has.
   * @returns ends it.
   */
  async subscribe(since: string | undefined, listener: (event: StreamEvent) => void): Promise<() => void> {
    const { fleet } = await this.look();
    const at = this.#changes.findIndex(({ id }) => id === since);
    if (at < 0 || since === undefined) {
      if (since === undefined || since !== this.#id(this.#count)) listener({ id: this.#id(this.#count), name: 'fleet', data: fleet });
    } else for (const event of this.#changes.slice(at + 1)) listener(event);
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.look().catch(() => {}), this.#everyMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#listeners.clear();
  }

  async #look(): Promise<Look> {
    const { now, lookAt = lookAtBots } = this.#options;
    const { bots } = await lookAt(this.#bots(), now());
    const time = now();
    const seen = bots.map(withKnownStatus);
    const rows = seen.map((bot) => this.#row(bot, time));
    const counted = seen.filter((_, index) => rows[index]!.isCounted);
    const fleet = { time, everyMs: this.#everyMs, bots: rows, totals: totalsOf(counted), totalsAre: TOTALS_ARE, trouble: this.#trouble };
    const look = { fleet, seen: new Map(seen.map((bot) => [idOf(bot), bot])) };
    this.#publish(this.#last?.fleet, fleet);
    this.#last = look;
    return look;
  }

  /** A folder that is searched again may have new bots. */
  #bots(): readonly FoundBot[] {
    const time = this.#options.now();
    const age = this.#found === undefined ? Number.POSITIVE_INFINITY : time - this.#found.time;
    if (this.#found !== undefined && age >= 0 && age < FIND_EVERY_MS) return this.#found.bots;
    try {
      this.#found = { bots: findBots(this.#options.paths), time };
      this.#trouble = null;
    } catch (error) {
      // A config that is being edited must not take the bots off the page.
      this.#trouble = (error as Error).message;
      this.#found = { bots: this.#found?.bots ?? [], time };
    }
    return this.#found.bots;
  }

  #row(bot: SeenBot, time: number): BotRow {
    const { name, mode = null, folder, state, why, seenAt = null, isWatched, status } = bot;
    const id = idOf(bot);
    // Before its first price, equity may be no number: such a row would spoil every sum.
    const isCounted = status !== undefined && Number.isFinite(Number(status.equity)) && Number.isFinite(Number(status.profit.today));
    if (isCounted) {
      const { currency, equity, profit, lastTickAgeMs, positions, orders } = status;
      this.#figures.set(id, { time, currency, equity, ...profit, lastTickAgeMs, positions, openOrders: orders.length });
    }
    const { latches = [], health = [], lastFills = [] } = status ?? {};
    return {
      ...{ id, name, mode, folder: folder.path, state, proof: BOT_STATES[state], why, seenAt, isWatched, isCounted },
      figures: this.#figures.get(id) ?? null,
      latches: [...latches],
      health: [...health],
      lastFill: lastFills[0] ?? null,
    };
  }

  #publish(before: Fleet | undefined, fleet: Fleet): void {
    if (before === undefined) return;
    const known = new Map(before.bots.map((row) => [row.id, JSON.stringify(row)]));
    const changed = fleet.bots.filter((row) => known.get(row.id) !== JSON.stringify(row));
    const gone = before.bots.filter(({ id }) => !fleet.bots.some((row) => row.id === id)).map(({ id }) => id);
    // A look without a change is an event too: it shows that the rows are of now.
    const event: StreamEvent = { id: this.#id(++this.#count), name: 'bots', data: { ...fleet, bots: changed, gone } };
    this.#changes = [...this.#changes, event].slice(-REMEMBERED);
    for (const listener of this.#listeners) listener(event);
  }

  #id(count: number): string {
    return `${this.#process}-${count}`;
  }
}

/** Names a bot in paths by its folder: two bots of one name differ, and the same bot keeps it over restarts. */
export function idOf({ folder }: Pick<FoundBot, 'folder'>): string {
  return idOfPath(folder.path);
}

/** A short name of a path that reveals nothing and cannot lead elsewhere. */
export function idOfPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, ID_DIGITS);
}

const ID_DIGITS = 12;

/** A bot of another version may say other things: it is shown without them, and counted nowhere. */
function withKnownStatus(bot: SeenBot): SeenBot {
  if (bot.status === undefined || Status.safeParse(bot.status).success) return bot;
  const { status: _, ...rest } = bot;
  const why = `its status is not one of this version of Tidegate, and is not shown`;
  return { ...rest, why: bot.why === '' ? why : `${bot.why}; ${why}` };
}
