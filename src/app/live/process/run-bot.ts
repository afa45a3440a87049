import type { BotJournal } from '../../../journal/bot-journal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { SystemClock } from '../../../venues/rest/system-clock.ts';
import type { TurnClock } from '../../../venues/rest/turn-clock.ts';
import type { OpenRecorder } from '../../record/open-recorder.ts';
import { StrayErrors } from '../../wiring/stray-errors.ts';
import { Bot } from '../bot/bot.ts';
import type { BotPlan } from '../bot/bot-plan.ts';
import { readKnown } from '../bot/known.ts';
import { idleLatches, requireClaimed } from '../bot/unclaimed.ts';
import { type BotStatus, botStatus } from '../control/bot-status.ts';
import { answerTo } from '../control/control-answers.ts';
import { openControlSocket } from '../control/control-socket.ts';
import { KillFile } from '../control/kill-file.ts';
import { statusLine } from '../control/status-text.ts';
import type { BotLog } from '../log/bot-log.ts';
import type { BotScreen } from '../log/bot-screen.ts';
import { DenialLog } from '../log/denial-log.ts';
import { logEvent } from '../log/order-lines.ts';
import { RunTotals } from '../log/run-totals.ts';
import type { BotClients } from '../planning/bot-clients.ts';
import type { BotFolder, BotMode } from './bot-folder.ts';
import { HEARTBEAT_MS, writeHeartbeat } from './heartbeat.ts';
import { serviceManager } from './service-manager.ts';
import { watchSignals } from './signals.ts';

export interface BotRun {
  readonly mode: BotMode;
  readonly plan: BotPlan;
  readonly folder: BotFolder;
  readonly clock: Clock;
  readonly turns: TurnClock;
  /** How much faster than the wall the clock goes. */
  readonly speed: number;
  readonly clients: BotClients;
  readonly journal: BotJournal;
  readonly log: BotLog;
  readonly screen: BotScreen;
  /** Takes what the bot looks at, where it is to be recorded; closed with the bot. */
  readonly recorder?: OpenRecorder | undefined;
  /** Stops the bot when it is aborted: the end of a recording. */
  readonly over?: AbortSignal | undefined;
}

/** Between two heartbeats in the journal, in ms of the wall. */
const BEAT_MS = 10_000;
/** Without a heartbeat for so long the process counts as hung. */
const HUNG_MS = 3.5 * BEAT_MS;
const STATUS_EVERY_MS = { screen: 1_000, log: 60_000 };

/**
 * A bot as a process: signals, the control socket, the kill file, whoever manages the process, log and status around it.
 * Returns when it has been told to stop, and has.
 * @throws what stopped it otherwise; nothing that was sent is missing in the journal then.
 */
export async function runBot(run: BotRun): Promise<void> {
  const { mode, plan, folder, clock, turns, clients, journal, log, screen, speed, recorder } = run;
  const started = performance.now();
  const totals = new RunTotals();
  const known = readKnown(plan, journal);
  for (const left of requireClaimed(known.state, plan.strategies)) log.warn('too little for any order is left of an earlier run', { left });
  for (const latch of idleLatches(known.state, plan.strategies)) log.warn(latch);
  const bot = new Bot({ known, plan, clock, turns, ...clients, journal, log, random: Math.random, polled: recorder?.poll });
  const denials = new DenialLog(log);
  bot.engine.account$.subscribe((event) => {
    logEvent(event, bot.state, log);
    denials.onEvent(event);
  });
  totals.observe(bot.engine, bot.state);
  let phase: BotStatus['phase'] = 'starting';
  let beatAt = started;
  const now = () => performance.now();
  const status = () =>
    botStatus({
      plan,
      mode,
      bot,
      phase,
      uptimeMs: now() - started,
      now: clock.now(),
      journal: journal.path,
      lastTick: totals.lastTick,
      recorder: recorder?.status,
    });
  const manager = serviceManager(
    process.env,
    process.send?.bind(process),
    new SystemClock(),
    log,
    () => phase === 'starting' || now() < beatAt + HUNG_MS,
  );
  const stop = (why: string) => {
    if (phase === 'stopping') return;
    phase = 'stopping';
    log.info('stopping', { why, onStop: plan.onStop, graceMs: plan.graceMs / speed });
    manager.stopping();
    bot.stop();
  };
  const kill = (flatten: boolean, reason: string) => {
    log.warn('killed: everything is canceled, and nothing new is opened until a reset', { flatten, reason });
    bot.kill(flatten, reason);
  };
  let overtaken: TidegateError | undefined;
  const killFile = new KillFile(folder.killFile, {
    kill,
    overtaken: (text) => {
      overtaken = new TidegateError('WATCHDOG_ACTED', `${text}. It acts in the bot's place; the next start goes on from what it did`);
      bot.fail(overtaken);
    },
  });
  const strays = new StrayErrors(plan.strategies, { now: () => bot.state, found: (error) => bot.fail(error) });
  // A process that was frozen wakes up with old news at hand: it looks before anything leaves.
  clients.guard.forbids = () => {
    if (overtaken === undefined) killFile.look();
    return overtaken?.message;
  };
  const forgetSignals = watchSignals(stop, kill);
  const socket = await openControlSocket(
    folder.socket,
    answerTo({
      status,
      stop,
      kill,
      reduce: (reason, strategyId) => bot.reduce(reason, strategyId),
      reset: (strategyId) => bot.reset(strategyId),
      strategies: plan.strategies.map(({ id }) => id),
      killFile,
      path: folder.killFile,
    }),
  );
  const timer = setInterval(() => report(), screen.live ? STATUS_EVERY_MS.screen : STATUS_EVERY_MS.log);
  const report = () => {
    if (screen.live) screen.status(statusLine(status()));
    else log.info('status', { ...brief(status()) });
  };
  const beat = () => {
    beatAt = now();
    bot.beat();
    turns.schedule(turns.now() + BEAT_MS * speed, beat);
  };
  const signOfLife = (phase: 'running' | 'stopped') =>
    writeHeartbeat(folder.heartbeat, { pid: process.pid, mode, phase, time: Date.now() });
  // By turns: an engine that takes none is no living bot, whatever its process does.
  const live = () => {
    killFile.look();
    if (overtaken !== undefined) return;
    signOfLife('running');
    turns.schedule(turns.now() + HEARTBEAT_MS * speed, live);
  };
  run.over?.addEventListener('abort', () => stop('the recording has ended'));
  try {
    for (const { rule, strategyId, reason = '' } of bot.state.latches.values()) {
      log.warn('LATCHED since before: only what reduces passes; `tidegate reset` takes it back', { rule, strategyId, reason });
    }
    killFile.look();
    await bot.run((differences) => {
      for (const difference of differences) log.warn('journal and exchange differ', { ...difference });
      if (phase === 'starting') phase = 'running';
      if (overtaken !== undefined) throw overtaken;
      strays.rethrow();
      turns.schedule(turns.now() + BEAT_MS * speed, beat);
      live();
      log.info('ready', { pid: process.pid, resumed: bot.resumed, differences: differences.length });
      manager.ready();
    });
    if (overtaken !== undefined) throw overtaken;
    strays.rethrow();
    if (bot.leavesNothing) signOfLife('stopped');
    if (!bot.laid) logUnlaid(log, bot.leavesNothing, status());
    else if (!bot.leavesNothing) {
      log.warn('the grace is over: what is left is looked up at the next start', { openOrders: status().openOrders });
    }
    screen.end();
    denials.close();
    log.info('stopped', totals.summary(bot.state));
  } finally {
    screen.end();
    clearInterval(timer);
    killFile.close();
    strays.close();
    forgetSignals();
    manager.close();
    socket.close();
    journal.close();
    await clients.close();
    await recorder?.close();
  }
}

/** Nothing was sent, so that whatever was open is so still. */
function logUnlaid(log: Log, leavesNothing: boolean, { openOrders }: BotStatus): void {
  const what = 'stopped before journal and exchange could be laid side by side';
  if (leavesNothing) log.info(`${what}: there was nothing to cancel`, { openOrders });
  else log.warn(`${what}: what was open there is NOT canceled, and is looked up at the next start`, { openOrders });
}

function brief({ equity, positions, openOrders, latches, health, lastTickAgeMs }: BotStatus): Partial<BotStatus> {
  return { equity, positions, openOrders, latches, health, lastTickAgeMs };
}
