import { existsSync } from 'node:fs';
import { wireSymbol } from '../../exchange/symbols.ts';
import { FileLock } from '../../journal/journal-lock.ts';
import { TidegateError } from '../../model/errors.ts';
import { SteadyClock, SystemClock } from '../../venues/rest/real-clock.ts';
import { accessOf } from '../access/access-settings.ts';
import { referenceSymbols } from '../config/account-settings.ts';
import { loadConfig } from '../config/load-config.ts';
import type { BotConfig } from '../config/schema/live-schema.ts';
import { paused } from '../live/bot/until-answered.ts';
import { botClients } from '../live/bot-clients.ts';
import { withKeys } from '../live/exchange-checks.ts';
import { botPlanOf, botSection } from '../live/plan-bot.ts';
import { fileFlattens } from '../live/process/filed-command.ts';
import { readHeartbeat } from '../live/process/heartbeat.ts';
import { type BotFolder, type BotMode, botFolder, makeBotFolder } from '../planning/bot-folder.ts';
import { botLog } from '../terminal/bot-log.ts';
import { BotScreen, type ScreenOptions } from '../terminal/bot-screen.ts';
import { serviceManager, watchSignals } from '../terminal/signals.ts';
import { HeartbeatWatch, Incidents, WatchdogStatus } from './heartbeat-watch.ts';
import { latchPaper, type Rescuer, rescue } from './rescue.ts';
import { placeholders } from './takeover.ts';

export interface WatchdogOptions extends ScreenOptions {
  readonly set?: readonly string[] | undefined;
  readonly paper?: boolean | undefined;
}

/** The number of checks in the time that a bot may be silent. */
const LOOKS = 20;
const LONGEST_LOOK_MS = 1_000;
const STATUS_EVERY_MS = { screen: 1_000, log: 60_000 };
/** A watchdog without a check for this time counts as hung itself, in ms. */
const HUNG_MS = 30_000;

/**
 * Watches the heartbeats of a bot until it is stopped, and acts when they stop.
 * @throws TidegateError WATCHDOG_RUNNING if another watchdog runs, KEYS_INVALID, CONFIG_INVALID
 */
export async function runWatchdog(path: string, options: WatchdogOptions): Promise<void> {
  const { folder, name, mode, settings, rescuer } = planWatchdog(path, options, process.env);
  const { afterMs, flatten } = settings;
  makeBotFolder(folder);
  const lock = hold(folder, name);
  const clock = new SystemClock();
  const screen = new BotScreen(options);
  const log = botLog({ file: folder.watchdogLog, lines: screen.line, redact: rescuer.redact, now: () => clock.now() });
  const lookMs = Math.min(LONGEST_LOOK_MS, afterMs / LOOKS);
  const watch = new HeartbeatWatch({ afterMs, lookMs });
  const status = new WatchdogStatus(log);
  const stopped = new AbortController();
  let lookedAt = performance.now();
  const manager = serviceManager(process.env, process.send?.bind(process), clock, log, () => performance.now() < lookedAt + HUNG_MS);
  const forgetSignals = watchSignals({
    stop: (why) => stopped.abort(why),
    kill: () => log.info('kill has no effect on a watchdog: use `tidegate kill` for the bot'),
    reopenLog: () => log.reopen(),
  });
  const timer = setInterval(
    () => {
      if (screen.live) screen.status(status.text(watch.silentMs(performance.now())));
      else log.info('status', status.fields(watch.silentMs(performance.now())));
    },
    STATUS_EVERY_MS[screen.live ? 'screen' : 'log'],
  );
  try {
    await rescuer.check(log);
    log.info('ready', { pid: process.pid, bot: name, mode, afterMs, flatten, folder: folder.path });
    manager.ready();
    const incidents = new Incidents();
    let under: Promise<void> | undefined;
    while (!stopped.signal.aborted) {
      lookedAt = performance.now();
      const life = watch.look(readHeartbeat(folder.heartbeat), lookedAt, Date.now());
      status.life(life, watch.newest);
      if (incidents.begins(life, watch.newest, under !== undefined)) {
        const reason = `no heartbeat of ${name} for ${Math.round(watch.silentMs(lookedAt))} ms`;
        log.error('the bot is silent: the watchdog acts for it', { reason, pid: watch.newest?.pid, flatten });
        under = rescuer.rescue(reason, stopped.signal, log, clock).then((done) => {
          status.acted(done);
          under = undefined;
        });
        under.catch((error: unknown) => stopped.abort(error));
      }
      await paused(clock, lookMs, stopped.signal);
    }
    await under;
    if (stopped.signal.reason instanceof Error) throw stopped.signal.reason;
    log.info('stopped', { why: stopped.signal.reason });
  } finally {
    screen.end();
    clearInterval(timer);
    forgetSignals();
    manager.stopping();
    manager.close();
    await rescuer.close();
    log.close();
    lock.release();
  }
}

function hold(folder: BotFolder, name: string): FileLock {
  const path = folder.watchdogLock;
  let lock: FileLock | undefined;
  try {
    lock = FileLock.take(path);
  } catch (cause) {
    throw new TidegateError('JOURNAL_FAILED', `${path} cannot be locked (${(cause as Error).message})`, { cause });
  }
  if (lock !== undefined) return lock;
  const text = `a watchdog of bot ${name} already runs: stop that process first (${path} is locked until it ends)`;
  throw new TidegateError('WATCHDOG_RUNNING', text, { retryable: existsSync(path) });
}

interface PlannedWatchdog {
  readonly name: string;
  readonly mode: BotMode;
  readonly folder: BotFolder;
  readonly settings: BotConfig['watchdog'];
  readonly rescuer: Rescuer;
}

/** @throws TidegateError for an invalid config or one without the section, KEYS_INVALID without keys. */
function planWatchdog(
  path: string,
  { set = [], paper = false }: { readonly set?: readonly string[] | undefined; readonly paper?: boolean | undefined },
  environment: NodeJS.ProcessEnv,
): PlannedWatchdog {
  const mode: BotMode = paper ? 'paper' : 'live';
  // A paper bot's keys are those of its own exchange.
  const loaded = loadConfig(path, { withoutBacktest: true, set: paper ? [...set, 'live.enabled=false'] : set, env: environment });
  const { config } = loaded;
  const { dir, watchdog: settings } = botSection(loaded, mode);
  const folder = botFolder(dir, config.name, mode);
  const common = { name: config.name, mode, folder, settings };
  if (paper) return { ...common, rescuer: latchPaper(folder, settings.flatten) };
  const { credentials, ...given } = accessOf({}, environment, config.live);
  if (credentials === undefined) {
    throw new TidegateError(
      'KEYS_INVALID',
      'no keys were found: set TIDEGATE_API_KEY, _SECRET and _PASSPHRASE, or TIDEGATE_KEYS_FILE, or live.keys',
    );
  }
  const access = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const clients = botClients({ clock: new SystemClock(), steady: new SteadyClock(), credentials, settings: access, live: config.live });
  const rescuer: Rescuer = {
    redact: clients.redact,
    close: clients.close,
    async check(log) {
      const references = referenceSymbols(config);
      const contract = Object.keys(config.instruments).find((symbol) => symbol.endsWith('-PERP') && !references.has(symbol));
      try {
        if (given.spotBaseUrl !== undefined) await withKeys(() => clients.client.accountAssets());
        else if (contract !== undefined) await withKeys(() => clients.client.futuresOrders({ symbol: wireSymbol(contract) }));
      } catch (error) {
        if (error instanceof TidegateError && error.code === 'KEYS_INVALID') throw error;
        log.warn('the keys could not be checked: the exchange does not reply', { error: (error as Error).message });
      }
    },
    rescue: (reason, signal, log, clock) => {
      const parts = { strategies: placeholders(loaded), needs: [], params: [], history: () => [], log, speed: 1 };
      const plan = botPlanOf(loaded, mode, parts);
      const flattens = () => settings.flatten || fileFlattens(folder.killFile);
      return rescue({ plan, folder, clients, clock, log, flattens, reason, signal });
    },
  };
  return { ...common, rescuer };
}
