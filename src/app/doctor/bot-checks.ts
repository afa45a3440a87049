import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isLocked, lockOf } from '../../journal/journal-lock.ts';
import { inspectJournal, standingTrouble, withJournal } from '../../journal/journal-reader.ts';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { breachText, existingBreaches } from '../../risk/existing-breaches.ts';
import { unlimitedLosses } from '../../risk/limits.ts';
import { readKnown } from '../live/bot/journal-history.ts';
import { botPlanOf, botSection } from '../live/plan-bot.ts';
import { type BotStatus, refusedAnswerText, requestsText } from '../live/process/bot-status.ts';
import { askBot } from '../live/process/control-socket.ts';
import { readHeartbeat } from '../live/process/heartbeat.ts';
import { requireFile } from '../loader/load-module.ts';
import type { BotMode } from '../planning/bot-folder.ts';
import { plannedStrategies } from '../planning/planned-strategies.ts';
import { riskLimits } from '../planning/risk-limits.ts';
import { SILENT } from '../planning/run-plans.ts';
import { type Check, failed, ok, type Patient, skipped, warning } from './check.ts';

export const botFolderCheck: Check = {
  id: 'folder',
  title: "this user can write to the bot's folder",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: 'make the user of the bot the owner of the folder',
  run({ folder: { path, journal } }) {
    const places = [journal, `${journal}-wal`, path].filter(existsSync);
    const nearest = places.length > 0 ? places : [nearestOf(path)];
    for (const place of nearest) {
      try {
        accessSync(place, place === path || places.length === 0 ? constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK);
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code === 'EACCES' ? 'this user has no right to write there' : (error as Error).message;
        return failed(`${place}: ${why}`, 'make the user of the bot its owner, or set another folder in `dir`');
      }
    }
    return ok(path);
  },
};

/** The nearest existing folder above a path. */
function nearestOf(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestOf(dirname(path));
}

export const journal: Check = {
  id: 'journal',
  title: 'the journal is complete and belongs to this bot',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'rename the journal, and start with a complete copy or without one: the bot then queries the open orders at the exchange',
  run({ folder, loaded, instruments }) {
    if (!existsSync(folder.journal)) return skipped('there is no journal yet');
    try {
      const { records } = inspectJournal(folder.journal, { bot: loaded.config.name, instruments });
      return ok(`${records} records, all intact`);
    } catch (error) {
      // A full disk or a file without read access does not mean that the journal is damaged.
      if (!(error instanceof TidegateError) || error.code !== 'JOURNAL_FAILED') throw error;
      return failed(error.message, 'leave the journal where it is, and check its disk and its access rights');
    }
  },
};

/** A running bot writes a heartbeat a second. Without one for this time, it hangs or is still starting. */
const SILENT_MS = 10_000;

const REFUSABLE_MEND = 'raise the limit, or cancel the orders or close the positions; closes still pass, in several orders';

export const refusable: Check = {
  id: 'refusable',
  title: 'positions and open orders of the journal are within the limits',
  modes: ['paper', 'live'],
  needs: ['strategies', 'journal'],
  mend: 'repair the journal first',
  async run({ folder, instruments, loaded, mode }) {
    if (!existsSync(folder.journal)) return skipped('there is no journal yet');
    const { strategies, needs } = await plannedStrategies(loaded, mode as BotMode);
    const parts = { strategies, needs, params: [], history: () => [], log: SILENT, speed: 1 };
    const plan = { ...botPlanOf(loaded, mode as BotMode, parts), instruments };
    const found = withJournal(folder.journal, instruments, (journal) => existingBreaches(readKnown(plan, journal).state, plan.limits));
    if (found.length > 0) return warning(found.map(breachText).join('\n'), REFUSABLE_MEND);
    return ok('positions and orders are within the limits on orders');
  },
};

export const lossLimit: Check = {
  id: 'losses',
  title: 'a risk limit stops losses',
  modes: ['live'],
  needs: ['config'],
  mend: 'fix the config first',
  run({ loaded }) {
    const ids = loaded.config.strategies.map(({ id }) => id);
    const unlimited = unlimitedLosses(riskLimits(loaded.config.risk), ids);
    if (unlimited.length === 0) return ok('maxDrawdown, dailyLoss or maxLossPerTrade is set for each strategy');
    return warning(
      `no limit stops the losses of ${unlimited.join(', ')}`,
      'set maxDrawdown, dailyLoss or maxLossPerTrade in risk.account, or for each of these strategies in risk.strategies',
    );
  },
};

export const running: Check = {
  id: 'running',
  title: "the bot's process does not hang",
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'give this user the right to write to the lock file',
  run({ folder }) {
    if (!isLocked(lockOf(folder.journal))) return ok('the bot does not run');
    const beat = readHeartbeat(folder.heartbeat);
    const ageMs = beat === undefined ? Number.POSITIVE_INFINITY : Date.now() - beat.time;
    if (beat?.phase === 'running' && ageMs < SILENT_MS) return ok(`the bot runs (process ${beat.pid})`);
    const since = Number.isFinite(ageMs) ? `its newest heartbeat is ${Math.round(ageMs / 1_000)} s old` : 'it has no heartbeat';
    return failed(`a process holds the journal, and ${since}`, 'the bot is starting or hangs: see log.jsonl; if it hangs, end the process');
  },
};

const PRESSURE_MEND =
  "replace fewer orders, or replace them less often, or set live.budget to your account's limits; docs/reference/exchange-operations.md";

export const requests: Check = {
  id: 'requests',
  title: "the running bot's requests fit into the exchange's limits",
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: PRESSURE_MEND,
  async run({ folder }) {
    const status = await askBot(folder.control, { command: 'status' }).catch(() => undefined);
    if (status === undefined) return skipped('the bot does not run');
    const { health, requests: standing } = status as Partial<BotStatus>;
    if (standing === undefined) return skipped('the bot runs an earlier version, which does not report this');
    const waiting = health?.find(({ subject }) => subject === 'requests');
    return waiting === undefined ? ok(requestsText(standing)) : warning(waiting.reason, PRESSURE_MEND);
  },
};

/** An answer that was refused longer ago is no news. */
const LATELY_MS = 3_600_000;

export const answers: Check = {
  id: 'answers',
  title: "the running bot takes the exchange's answers",
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'see what answers between bot and exchange: a proxy, a gateway or a cache; docs/reference/live.md',
  async run({ folder }) {
    const status = await askBot(folder.control, { command: 'status' }).catch(() => undefined);
    if (status === undefined) return skipped('the bot does not run');
    const { refused, time } = status as Partial<BotStatus>;
    if (refused === undefined || time === undefined) return skipped('the bot runs an earlier version, which does not report this');
    const lately = refused.filter(({ last }) => time - last < LATELY_MS);
    if (lately.length === 0) return ok('none was refused in the last hour');
    return warning(lately.map(refusedAnswerText).join('\n'), answers.mend);
  },
};

export const latches: Check = {
  id: 'latches',
  title: 'no kill, latch or halt stops the bot from trading',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'repair the journal first',
  run({ folder, instruments }) {
    const nothing = { latches: [], halts: [] };
    const { latches: set, halts } = existsSync(folder.journal) ? standingTrouble(folder.journal, instruments) : nothing;
    const words = set.map(
      ({ rule, strategyId, reason }) => `${rule}${strategyId === undefined ? '' : ` of ${strategyId}`} (${reason ?? ''})`,
    );
    const isKilled = existsSync(folder.killFile);
    if (!isKilled && set.length + halts.length === 0) return ok('no kill file, no latch, no halt');
    const found = [
      ...(isKilled ? [`the kill file ${folder.killFile} exists`] : []),
      ...words.map((word) => `latched: ${word}`),
      ...halts.map(({ symbol, time, reason }) => `halted: ${symbol} since ${isoTime(Math.floor(time))} (${reason})`),
    ];
    const file = isKilled ? 'remove the kill file, then ' : '';
    const isPaused = set.some(({ rule }) => rule === 'paused');
    const others = isKilled || halts.length > 0 || set.some(({ rule }) => rule !== 'paused');
    const lifts = [...(others ? ['`tidegate reset`'] : []), ...(isPaused ? ['`tidegate resume`'] : [])].join(' and ');
    return failed(found.join('; '), `find the cause; ${file}${lifts} while the bot runs`);
  },
};

/** The fields of an entry of pm2's file that are read. */
interface Pm2App {
  readonly name?: string;
  readonly args?: readonly string[] | string;
  readonly cwd?: string;
  readonly kill_timeout?: number;
  readonly wait_ready?: boolean;
}
const PM2_FILE = 'ecosystem.config.cjs';
/** The first major version of pm2 that shows a process that ended before it was ready as stopped. */
const PM2_SHOWS_ENDED = 7;

export const processManager: Check = {
  id: 'manager',
  title: 'pm2 waits for the bot at start and stop',
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: `fix ${PM2_FILE}; docs/how-to/deploy-with-pm2.md`,
  run(patient) {
    const path = join(patient.machine.cwd, PM2_FILE);
    if (!existsSync(path)) return skipped(`there is no ${PM2_FILE} here; with systemd: docs/systemd`);
    const { apps = [] } = requireFile(path) as { apps?: readonly Pm2App[] };
    const own = apps.filter((app) => runs(app, patient));
    if (own.length === 0) return skipped(`no entry of ${PM2_FILE} runs \`${patient.mode} ${basename(patient.path)}\``);
    const { graceMs } = botSection(patient.loaded, patient.mode as 'live');
    for (const { name = 'an entry', kill_timeout: killMs = 1_600, wait_ready: waits } of own) {
      if (killMs <= graceMs) {
        return failed(
          `${name}: pm2 kills the process after ${killMs} ms, but the bot may need ${graceMs} ms to stop`,
          'set kill_timeout above graceMs',
        );
      }
      if (waits !== true) return failed(`${name}: pm2 does not wait until the bot is ready`, 'set wait_ready: true');
    }
    const names = own.map(({ name }) => name).join(', ');
    const version = patient.machine.pm2Version();
    if (version === undefined || Number.parseInt(version, 10) >= PM2_SHOWS_ENDED) return ok(names);
    const found = `${names}; pm2 ${version} shows a bot that ended before it was ready as online`;
    return warning(found, `install pm2 ${PM2_SHOWS_ENDED} or newer; until then, look at \`tidegate status\` after each start`);
  },
};

function runs({ args = [], cwd = '.' }: Pm2App, { path, mode, machine }: Patient): boolean {
  const words = typeof args === 'string' ? args.split(' ') : args;
  return words[0] === mode && words.some((word) => resolve(machine.cwd, cwd, word) === resolve(path));
}

export const watchdog: Check = {
  id: 'watchdog',
  title: 'a watchdog watches the bot',
  modes: ['live'],
  needs: ['folder'],
  mend: 'give this user the right to write to the lock file',
  run({ folder }) {
    if (isLocked(folder.watchdogLock)) return ok('a watchdog runs');
    return warning(
      'no watchdog runs: if the bot hangs, its orders stay open at the exchange',
      'start `tidegate watchdog` with this config: docs/reference/watchdog.md',
    );
  },
};
