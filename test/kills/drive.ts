import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { BotStatus } from '../../src/app/live/process/bot-status.ts';
import { askBot } from '../../src/app/live/process/control-socket.ts';
import { botFolder } from '../../src/app/planning/bot-folder.ts';
import { Random } from '../../src/model/random.ts';
import { check } from './check.ts';
import { type Death, deathOf, type ExchangeDeath, exchangeDeathOf } from './deaths.ts';
import { readHere } from './here.ts';
import { type Place, writeBot, writeExchange } from './place.ts';
import { type ExchangeListing, launch, launchExchange, type Running } from './processes.ts';
import { readThere } from './there.ts';

export interface KillRun extends Place {
  readonly times: number;
  /** Number of the first kill: every so many have ways to die of their own. */
  readonly first: number;
  readonly say?: ((line: string) => void) | undefined;
}

export interface KillResult {
  readonly kills: number;
  /** How often it died in a commit, by what the commit held and by which side of it. */
  readonly inCommits: ReadonlyMap<string, number>;
  /** How often the exchange was killed while the bot lived on, and together with it. */
  readonly exchangeAlone: number;
  readonly exchangeBoth: number;
  /** Killed before it was ready, of those killed at random. */
  readonly starting: number;
  readonly starts: number;
  readonly orders: number;
  readonly fills: number;
  readonly requests: number;
  readonly unanswered: number;
  readonly doubts: number;
  readonly wrong: readonly string[];
}

/**
 * Longest that a bot may take until it is ready, and that its orders may stay as they are while something is in doubt once faults are
 * off, in ms.
 */
const READY_MS = 60_000;
const QUIET_MS = 120_000;
/** The age of prices at which the last life calls them stale, in ms: on a busy machine a poll may take seconds. */
const REST_STALE_MS = 60_000;
/** How long the last stop may wait for its cancels, and the process for its end: longer than any reply takes on a busy machine. */
const GRACE_MS = 110_000;
const GONE_MS = 120_000;
const LOOK_MS = 250;
/** Between a death and the next start. */
const PAUSE_MS = 250;

/** A bot killed so many times, at an exchange that fails, and at last looked at beside the exchange. */
export async function runKills(run: KillRun): Promise<KillResult> {
  const { root, folder, seed, times, first, say = () => {} } = run;
  const exchangeConfig = writeExchange(run);
  const stateFile = join(folder, 'exchange.state');
  const children: Running[] = [];
  const exchange = await KilledExchange.start({ root, config: exchangeConfig, stateFile, children });
  const killAll = () => {
    for (const { child } of children) child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  try {
    const { control, accounts } = exchange.listing;
    const bot = new KilledBot(root, writeBot(run, exchange.listing), accounts[0]!);
    const random = new Random(seed, 'kills');
    const inCommits = new Map<string, number>();
    const wrong: string[] = [];
    const exchangeDeaths = { beside: 0, both: 0 };
    let starting = 0;
    for (let kill = 0; kill < times; kill++) {
      const death = deathOf(first + kill, random);
      const theirs = exchangeDeathOf(random);
      if (theirs !== undefined) exchangeDeaths[theirs.with]++;
      if (theirs?.with === 'beside') exchange.dies(theirs, theirs.afterMs);
      const life = await bot.live(death, children);
      if (theirs?.with === 'both') exchange.dies(theirs, 0);
      if (life.died === 'commit') count(inCommits, `${death.at!.when} ${death.at!.kind}`);
      if (life.died === 'starting') starting++;
      if (life.ownEnd !== undefined) wrong.push(`kill ${kill + 1}: ${life.ownEnd}`);
      if ((kill + 1) % 20 === 0) say(`${kill + 1} of ${times} kills`);
      await pause(random.between(0, PAUSE_MS));
    }
    await exchange.up();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${control}/control/faults`, { method: 'POST', body: '{"rules":[]}', headers });
    if (!answer.ok) throw new Error(`the control door answers ${answer.status}`);
    wrong.push(...(await bot.rest(children, join(folder, 'bots'))));
    await exchange.stop();
    const there = readThere(exchangeConfig, stateFile);
    const here = readHere(botFolder(join(folder, 'bots'), 'kills', 'live').journal, 'kills', there.instruments);
    wrong.push(...check(here, there));
    const { starts, requests, unanswered, doubts } = here;
    const { length: orders } = there.account.orders.all;
    const { length: fills } = there.account.orders.fills;
    if (orders < times) wrong.push(`${orders} orders are too few to prove anything`);
    const { beside: exchangeAlone, both: exchangeBoth } = exchangeDeaths;
    return { kills: times, exchangeAlone, exchangeBoth, inCommits, starting, starts, orders, fills, requests, unanswered, doubts, wrong };
  } finally {
    process.off('exit', killAll);
    killAll();
  }
}

interface ExchangePlace {
  readonly root: string;
  readonly config: string;
  readonly stateFile: string;
  /** All processes that are to be gone at the end. */
  readonly children: Running[];
}

/** The local exchange as a process that is killed, and goes on from its memory file at the same addresses. */
class KilledExchange {
  /** The next life has begun. */
  #up: Promise<void> = Promise.resolve();

  private constructor(
    private readonly place: ExchangePlace,
    readonly listing: ExchangeListing,
    private running: Running,
  ) {}

  static async start(place: ExchangePlace): Promise<KilledExchange> {
    const { running, listing } = await launchExchange(place.root, place.config, place.stateFile);
    place.children.push(running);
    return new KilledExchange(place, listing, running);
  }

  /** It is killed after so many ms, once it is up, and starts again a while later. */
  dies({ downMs, torn }: ExchangeDeath, afterMs: number): void {
    this.#up = this.#up.then(async () => {
      await pause(afterMs);
      const { root, config, stateFile, children } = this.place;
      this.running.child.kill('SIGKILL');
      await this.running.ended;
      children.splice(children.indexOf(this.running), 1);
      if (torn) appendFileSync(stateFile, '[1700000000000,"placeSpot",{"uid":');
      await pause(downMs);
      this.running = (await launchExchange(root, config, stateFile, this.listing)).running;
      children.push(this.running);
    });
    // Whoever waits for it meets the failure.
    this.#up.catch(() => {});
  }

  /** @throws where it could not start again. */
  up(): Promise<void> {
    return this.#up;
  }

  async stop(): Promise<void> {
    this.running.child.kill('SIGTERM');
    await this.running.ended;
  }
}

type Died = 'commit' | 'starting' | 'anywhere';

/** A bot at a local exchange that is started again after each end. */
export class KilledBot {
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    private readonly root: string,
    private readonly config: string,
    { key, secret, passphrase }: { readonly key: string; readonly secret: string; readonly passphrase: string },
  ) {
    this.#env = { TIDEGATE_API_KEY: key, TIDEGATE_API_SECRET: secret, TIDEGATE_API_PASSPHRASE: passphrase };
  }

  /** One life, to its SIGKILL. */
  async live({ at, from, afterMs, termMs }: Death, children: Running[]): Promise<{ died: Died; ownEnd: string | undefined }> {
    const preload = pathToFileURL(join(this.root, 'test/kills/die-at.mjs')).href;
    const running =
      at === undefined ? this.start() : this.start({ flags: ['--import', preload], env: { TIDEGATE_DIE: JSON.stringify(at) } });
    children.push(running);
    let ready = false;
    let killed = false;
    const timers: NodeJS.Timeout[] = [];
    const killLater = (ms: number) => {
      const kill = () => {
        killed = true;
        running.child.kill('SIGKILL');
      };
      timers.push(setTimeout(kill, ms));
    };
    killLater(from === 'start' ? afterMs : READY_MS);
    running.ready.then((is) => {
      ready = is;
      if (!is || from === 'start') return;
      killLater(afterMs);
      if (termMs !== undefined) timers.push(setTimeout(() => running.child.kill('SIGTERM'), termMs));
    });
    const { code, signal, stderr } = await running.ended;
    for (const timer of timers) clearTimeout(timer);
    children.splice(children.indexOf(running), 1);
    const died = !killed && signal === 'SIGKILL' ? 'commit' : ready ? 'anywhere' : 'starting';
    // Told to stop, it may have been done before its kill came.
    const asAsked = signal === 'SIGKILL' || (termMs !== undefined && code === 0);
    return { died, ownEnd: asAsked ? undefined : `the bot ended by itself, with ${code ?? signal}: ${stderr}` };
  }

  /** The last life: it trades no more, waits until nothing is in doubt, and is told to stop. @returns what is wrong. */
  async rest(children: Running[], dir: string): Promise<string[]> {
    const calmly = ['strategies.0.params.resting=true', `live.poll.staleMs=${REST_STALE_MS}`, `live.graceMs=${GRACE_MS}`].flatMap((one) => [
      '--set',
      one,
    ]);
    const running = this.start({}, ...calmly);
    children.push(running);
    if (!(await running.ready)) return [`the bot did not start at last: ${(await running.ended).stderr}`];
    const { control } = botFolder(dir, 'kills', 'live');
    let over = false;
    running.ended.then(() => {
      over = true;
    });
    let [before, until] = ['', Date.now() + QUIET_MS];
    for (let calm = 0; calm < 3 && !over; ) {
      await pause(LOOK_MS);
      const status = (await askBot(control, { command: 'status' }).catch(() => undefined)) as BotStatus | undefined;
      const trouble = status === undefined ? 'it does not answer' : unrest(status);
      calm = trouble === '' ? calm + 1 : 0;
      if (trouble !== before) [before, until] = [trouble, Date.now() + QUIET_MS];
      if (Date.now() <= until) continue;
      running.child.kill('SIGKILL');
      await running.ended;
      return [`the last life of the bot is not quiet, and for ${QUIET_MS / 1000} s nothing changes: ${trouble}`];
    }
    running.child.kill('SIGTERM');
    const timer = setTimeout(() => running.child.kill('SIGKILL'), GONE_MS);
    const { code, signal, stderr } = await running.ended;
    clearTimeout(timer);
    return code === 0 ? [] : [`at last the bot ended with ${code ?? signal}: ${stderr}`];
  }

  start(options: { flags?: readonly string[]; env?: NodeJS.ProcessEnv } = {}, ...more: string[]): Running {
    const args = ['live', this.config, '--quiet', ...more];
    return launch(this.root, args, { ...options, env: { ...this.#env, ...options.env } });
  }
}

/**
 * Why the bot is not quiet: orders that are neither open nor over, and its health; empty if it is. An exit for which other exits leave
 * nothing is tried again as long as they rest, and is no unrest; nor is a position whose stop the strategy itself has canceled.
 */
function unrest({ openOrders, health }: BotStatus): string {
  const doubts = Object.entries(openOrders).filter(([status]) => !CALM.includes(status));
  return [
    ...doubts.map(([status, count]) => `${count} orders ${status}`),
    ...health
      .filter(({ condition }) => condition !== 'without its stop' && condition !== 'unprotected')
      .map(({ subject, symbol, condition, reason }) => `${subject} ${symbol} ${condition}: ${reason}`),
  ].join('; ');
}

const CALM = ['accepted', 'triggered', 'partiallyFilled', 'held'];

function count(sums: Map<string, number>, key: string): void {
  sums.set(key, (sums.get(key) ?? 0) + 1);
}
