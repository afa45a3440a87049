import { accessSync, constants, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { FileLock } from '../../journal/journal-lock.ts';
import { inspectJournal, standingTrouble, withJournal } from '../../journal/journal-reader.ts';
import { isoTime } from '../../model/time.ts';
import { standingBeyond, standingText } from '../../risk/standing.ts';
import { readKnown } from '../live/bot/journal-history.ts';
import { botPlanOf, botSection } from '../live/plan-bot.ts';
import { type BotStatus, requestsText } from '../live/process/bot-status.ts';
import { askBot } from '../live/process/control-socket.ts';
import { readHeartbeat } from '../live/process/heartbeat.ts';
import type { BotMode } from '../planning/bot-folder.ts';
import { plannedStrategies } from '../planning/planned-strategies.ts';
import { SILENT } from '../planning/run-plans.ts';
import { type Check, failed, ok, type Patient, skipped, warning } from './check.ts';

export const botFolderCheck: Check = {
  id: 'folder',
  title: "the bot's folder can be written to",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: 'give the folder to the user of the bot',
  run({ folder: { path, journal } }) {
    const places = [journal, `${journal}-wal`, path].filter(existsSync);
    const nearest = places.length > 0 ? places : [nearestOf(path)];
    for (const place of nearest) {
      try {
        accessSync(place, place === path || places.length === 0 ? constants.W_OK | constants.X_OK : constants.R_OK | constants.W_OK);
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code === 'EACCES' ? 'this user may not write there' : (error as Error).message;
        return failed(`${place}: ${why}`, 'give it to the user of the bot, or name another folder in `dir`');
      }
    }
    return ok(path);
  },
};

/** The folder that would be made lies somewhere in one that is there. */
function nearestOf(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestOf(dirname(path));
}

export const journal: Check = {
  id: 'journal',
  title: 'the journal is whole, and of this bot',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'put the journal aside and start with a copy that is whole, or with none: the exchange is then asked what is open',
  run({ folder, loaded, instruments }) {
    if (!existsSync(folder.journal)) return skipped('there is none yet');
    const { records } = inspectJournal(folder.journal, { bot: loaded.config.name, instruments });
    return ok(`${records} records, each as it was written`);
  },
};

/** A bot that writes a heartbeat a second, and has not for so long, hangs, or is still starting. */
const SILENT_MS = 10_000;

const REFUSABLE_MEND = 'raise the limit, or cancel or close what stands; what closes passes all the same, in several orders';

export const refusable: Check = {
  id: 'refusable',
  title: 'no limit would refuse what the journal leaves standing',
  modes: ['paper', 'live'],
  needs: ['strategies', 'journal'],
  mend: 'mend the journal first',
  async run({ folder, instruments, loaded, mode }) {
    if (!existsSync(folder.journal)) return skipped('there is no journal yet');
    const { strategies, needs } = await plannedStrategies(loaded);
    const parts = { strategies, needs, params: [], history: () => [], log: SILENT, speed: 1 };
    const plan = { ...botPlanOf(loaded, mode as BotMode, parts), instruments };
    const found = withJournal(folder.journal, instruments, (journal) => standingBeyond(readKnown(plan, journal).state, plan.limits));
    if (found.length > 0) return warning(found.map(standingText).join('\n'), REFUSABLE_MEND);
    return ok('positions and orders are within the limits on orders');
  },
};

export const running: Check = {
  id: 'running',
  title: 'no process of the bot hangs',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'let this user write to the lock file',
  run({ folder }) {
    const path = `${folder.journal}.lock`;
    const lock = existsSync(path) ? FileLock.take(path) : undefined;
    lock?.release();
    if (!existsSync(path) || lock !== undefined) return ok('the bot does not run');
    const beat = readHeartbeat(folder.heartbeat);
    const ageMs = beat === undefined ? Number.POSITIVE_INFINITY : Date.now() - beat.time;
    if (beat?.phase === 'running' && ageMs < SILENT_MS) return ok(`the bot runs (process ${beat.pid})`);
    const since = Number.isFinite(ageMs) ? `its newest heartbeat is ${Math.round(ageMs / 1_000)} s old` : 'it has no heartbeat';
    return failed(`a process holds the journal, and ${since}`, 'it is starting, or hangs: see log.jsonl; end that process where it hangs');
  },
};

const PRESSURE_MEND = 'renew fewer orders, or less often, or set live.budget to what the exchange grants you; docs/exchange.md';

export const requests: Check = {
  id: 'requests',
  title: "the running bot's requests fit into the exchange's limits",
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: PRESSURE_MEND,
  async run({ folder }) {
    const status = await askBot(folder.socket, { command: 'status' }).catch(() => undefined);
    if (status === undefined) return skipped('the bot does not run');
    const { health, requests: standing } = status as Partial<BotStatus>;
    if (standing === undefined) return skipped('the bot is of an earlier version, which does not say');
    const waiting = health?.find(({ subject }) => subject === 'requests');
    return waiting === undefined ? ok(requestsText(standing)) : warning(waiting.reason, PRESSURE_MEND);
  },
};

export const latches: Check = {
  id: 'latches',
  title: 'nothing keeps the bot from trading',
  modes: ['paper', 'live'],
  needs: ['folder'],
  mend: 'mend the journal first',
  run({ folder, instruments }) {
    const nothing = { latches: [], halts: [] };
    const { latches: set, halts } = existsSync(folder.journal) ? standingTrouble(folder.journal, instruments) : nothing;
    const words = set.map(
      ({ rule, strategyId, reason }) => `${rule}${strategyId === undefined ? '' : ` of ${strategyId}`} (${reason ?? ''})`,
    );
    const isKilled = existsSync(folder.killFile);
    if (!isKilled && set.length + halts.length === 0) return ok('no kill file, no latch, no halt');
    const found = [
      ...(isKilled ? [`the kill file ${folder.killFile} is there`] : []),
      ...words.map((word) => `latched: ${word}`),
      ...halts.map(({ symbol, time, reason }) => `halted: ${symbol} since ${isoTime(Math.floor(time))} (${reason})`),
    ];
    const file = isKilled ? 'remove the kill file, then ' : '';
    return failed(found.join('; '), `find out why; ${file}\`tidegate reset\` while the bot runs`);
  },
};

/** An entry of pm2's file, as far as it is looked at. */
interface Pm2App {
  readonly name?: string;
  readonly args?: readonly string[] | string;
  readonly cwd?: string;
  readonly kill_timeout?: number;
  readonly wait_ready?: boolean;
}
const PM2_FILE = 'ecosystem.config.cjs';

export const processManager: Check = {
  id: 'manager',
  title: "pm2's file gives the bot its time",
  modes: ['paper', 'live'],
  needs: ['config'],
  mend: `mend ${PM2_FILE}; docs/live.md`,
  run(patient) {
    const path = join(patient.machine.cwd, PM2_FILE);
    if (!existsSync(path)) return skipped(`there is no ${PM2_FILE} here; with systemd: docs/systemd`);
    const { apps = [] } = createRequire(path)(path) as { apps?: readonly Pm2App[] };
    const own = apps.filter((app) => runs(app, patient));
    if (own.length === 0) return skipped(`no entry of ${PM2_FILE} runs \`${patient.mode} ${basename(patient.path)}\``);
    const { graceMs } = botSection(patient.loaded, patient.mode as 'live');
    for (const { name = 'an entry', kill_timeout: killMs = 1_600, wait_ready: waits } of own) {
      if (killMs <= graceMs) {
        return failed(`${name}: pm2 kills after ${killMs} ms, the bot may take ${graceMs} to stop`, 'set kill_timeout above graceMs');
      }
      if (waits !== true) return failed(`${name}: pm2 does not wait until the bot is ready`, 'set wait_ready: true');
    }
    return ok(own.map(({ name }) => name).join(', '));
  },
};

function runs({ args = [], cwd = '.' }: Pm2App, { path, mode, machine }: Patient): boolean {
  const words = typeof args === 'string' ? args.split(' ') : args;
  return words[0] === mode && words.some((word) => resolve(machine.cwd, cwd, word) === resolve(path));
}

export const watchdog: Check = {
  id: 'watchdog',
  title: 'a watchdog runs beside the bot',
  modes: ['live'],
  needs: ['folder'],
  mend: 'let this user write to the lock file',
  run({ folder }) {
    const path = join(folder.path, 'watchdog.lock');
    const lock = existsSync(path) ? FileLock.take(path) : undefined;
    lock?.release();
    if (existsSync(path) && lock === undefined) return ok('it runs');
    return warning(
      'none runs: a bot that hangs leaves its orders at the exchange',
      'start `tidegate watchdog` with the config: docs/watchdog.md',
    );
  },
};
