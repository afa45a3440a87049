import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileLock } from '../../journal/journal-lock.ts';
import { TidegateError } from '../../model/errors.ts';
import { SystemClock } from '../../venues/rest/real-clock.ts';
import { paused } from '../live/bot/until-answered.ts';
import { readHeartbeat } from '../live/process/heartbeat.ts';
import { type BotFolder, makeBotFolder } from '../planning/bot-folder.ts';
import { botLog } from '../terminal/bot-log.ts';
import { BotScreen, type ScreenOptions } from '../terminal/bot-screen.ts';
import { serviceManager, watchSignals } from '../terminal/signals.ts';
import { HeartbeatWatch, planWatchdog, WatchdogStatus } from './heartbeat-watch.ts';

export interface WatchdogOptions extends ScreenOptions {
  readonly set?: readonly string[] | undefined;
  readonly paper?: boolean | undefined;
}

/** Looks in the time that a bot may be silent. */
const LOOKS = 20;
const LONGEST_LOOK_MS = 1_000;
const STATUS_EVERY_MS = { screen: 1_000, log: 60_000 };
/** A watchdog that has not looked for so long is hung itself. */
const HUNG_MS = 30_000;

/**
 * Watches the heartbeats of a bot until it is told to stop, and acts when they stop.
 * @throws TidegateError WATCHDOG_RUNNING where another does, KEYS_INVALID, CONFIG_INVALID
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
  const forgetSignals = watchSignals(
    (why) => stopped.abort(why),
    () => log.info('there is nothing to kill in a watchdog: `tidegate kill` does that'),
  );
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
    let due = false;
    let under: Promise<void> | undefined;
    while (!stopped.signal.aborted) {
      lookedAt = performance.now();
      const life = watch.look(readHeartbeat(folder.heartbeat), lookedAt, Date.now());
      if (status.life(life, watch.newest)) due = life === 'silent';
      if (due && under === undefined) {
        due = false;
        const reason = `no heartbeat of ${name} for ${Math.round(watch.silentMs(lookedAt))} ms`;
        log.error('the bot is silent: acting in its place', { reason, pid: watch.newest?.pid, flatten });
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
  const path = join(folder.path, 'watchdog.lock');
  let lock: FileLock | undefined;
  try {
    lock = FileLock.take(path);
  } catch (cause) {
    throw new TidegateError('JOURNAL_FAILED', `${path} cannot be locked (${(cause as Error).message})`, { cause });
  }
  if (lock !== undefined) return lock;
  const text = `a watchdog of bot ${name} runs already: stop that process first (${path} is locked as long as it lives)`;
  throw new TidegateError('WATCHDOG_RUNNING', text, { retryable: existsSync(path) });
}
