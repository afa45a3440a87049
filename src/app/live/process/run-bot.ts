import type { AccountEvent } from '../../../model/account-events.ts';
import { isoTime } from '../../../model/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { beyondLimits } from '../../../risk/beyond-limits.ts';
import { existingBreaches } from '../../../risk/existing-breaches.ts';
import { unlimitedLosses } from '../../../risk/limits.ts';
import type { Difference } from '../../../venues/reconcile/settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import { PlotFiles } from '../../plots/plot-files.ts';
import { type OpenRecorder, openRecorder } from '../../record/open-recorder.ts';
import type { BotLog } from '../../terminal/bot-log.ts';
import { StrayErrors } from '../../wiring/stray-errors.ts';
import { DENIED_IN_A_ROW, type DeniedStreak } from '../bot/activity.ts';
import { Bot } from '../bot/bot.ts';
import { idleLatches, requireClaimed } from '../bot/unclaimed.ts';
import type { WaitingBot } from '../bot/waiting-bot.ts';
import { BotProcess, type BotRun } from './bot-process.ts';
import { underPressure } from './bot-status.ts';
import { HEARTBEAT_MS } from './heartbeat.ts';
import { DenialLog, logEvent } from './order-lines.ts';
import { logFailure, logSleepers } from './unguarded.ts';

/** The time between two heartbeats in the journal, in ms of the wall clock. */
const BEAT_MS = 10_000;

/** A bot writes at most one value of each plot in each period of this length, in ms of its clock: some 30 MB in a year. */
const PLOT_EVERY_MS = 60_000;

/**
 * Runs a bot as a process, with signals, control socket, kill file, service manager, log and status. These work before the first request
 * to the exchange. Returns when the bot was stopped and has ended.
 * @throws the error that ended it otherwise; everything that was sent is in the journal then.
 */
export async function runBot(run: BotRun): Promise<void> {
  const { log, journal, clients, plan } = run;
  const around = new BotProcess(run);
  let recorder: OpenRecorder | undefined;
  try {
    const waiting = await around.open();
    await prepared(run, around, waiting);
    if (!waiting.signal.aborted) {
      recorder = await run.openRecorder();
      around.recorder = recorder;
    }
    waiting.rethrow();
    if (waiting.signal.aborted) {
      around.stopped(waiting.leavesNothing, false);
      logSleepers(waiting.state, plan.onStop, log);
      log.info('stopped');
    } else await trade(run, around, waiting, recorder);
  } catch (error) {
    logFailure(error, around.state, log);
    throw error;
  } finally {
    around.close();
    journal.close();
    await clients.close();
    await recorder?.close();
  }
}

/** The steps of the start before the bot is built. @throws TidegateError START_REFUSED */
async function prepared({ plan, mode, log, handover, prepare }: BotRun, around: BotProcess, waiting: WaitingBot): Promise<void> {
  around.waits.begin('a watchdog that acts for this bot');
  if (await handover?.(waiting.signal)) waiting.readAgain();
  const { state } = waiting;
  const ids = plan.strategies.map(({ id }) => id);
  const unlimited = mode === 'live' ? unlimitedLosses(plan.limits, ids) : [];
  if (unlimited.length > 0)
    log.warn('NO LOSS LIMIT: nothing limits the losses of these strategies; set risk.account.maxDrawdown, dailyLoss or maxLossPerTrade', {
      strategies: unlimited,
    });
  for (const left of requireClaimed(state, plan.strategies))
    log.warn('a position of an earlier run is too small to be closed by an order', { left });
  for (const latch of idleLatches(state, plan.strategies)) log.warn(latch);
  for (const { rule, strategyId, reason = '' } of state.latches.values()) {
    const passes = rule === 'kill' ? 'no order of a strategy passes' : 'only reducing orders pass';
    log.warn(`LATCHED in an earlier run: ${passes}; \`tidegate ${rule === 'paused' ? 'resume' : 'reset'}\` lifts it`, {
      rule,
      strategyId,
      reason,
    });
  }
  for (const { symbol, condition, reason, time } of state.health.values()) {
    if (condition !== 'halted') continue;
    const since = isoTime(Math.floor(time));
    log.warn('HALTED in an earlier run: only closes pass for this symbol until its cause is gone; `tidegate reset` lifts it', {
      symbol,
      since,
      reason,
    });
  }
  around.watchKillFile();
  await prepare(waiting, around.waits);
}

async function trade(run: BotRun, around: BotProcess, waiting: WaitingBot, recorder: OpenRecorder | undefined): Promise<void> {
  const { plan, folder, clock, turns, clients, isSameAccount, journal, log, speed } = run;
  const { known, closesOnly } = waiting;
  const plots = new PlotFiles(folder.path, {
    everyMs: PLOT_EVERY_MS,
    append: true,
    failed: (error) =>
      log.warn('plots.csv cannot be written: the bot goes on without plots until its next start', { error: String(error) }),
  });
  const parts = { known, plan: { ...plan, plots }, clock, turns, ...clients, isSameAccount, journal, log, waits: around.waits, closesOnly };
  const bot = new Bot({ ...parts, random: Math.random, polled: recorder?.poll });
  const denials = new DenialLog(log);
  bot.engine.account$.subscribe((event) => {
    logEvent(event, bot.state, log);
    denials.onEvent(event);
    around.kills.take(event);
    around.closed.take(event);
    if (event.kind === 'orderDenied') warnOfStreak(bot.activity.deniedStreak, log);
  });
  const beyond = new BeyondLog(bot, log);
  const pressure = new PressureLog(bot, log);
  bot.engine.account$.subscribe((event) => pressure.onEvent(event));
  bot.engine.market$.subscribe(() => {
    beyond.look();
    pressure.look(clock.now());
  });
  around.totals.observe(bot.engine, bot.state);
  around.commands(bot);
  run.watchClock?.((byMs) => bot.clockSet(byMs, Date.now()));
  const beat = () => {
    around.beat();
    bot.beat();
    turns.schedule(turns.now() + BEAT_MS * speed, beat);
  };
  // Writes the heartbeat in turns of the engine: if the engine takes no turns, the heartbeats stop.
  const live = () => {
    if (!around.lives()) return;
    turns.schedule(turns.now() + HEARTBEAT_MS * speed, live);
  };
  const strays = new StrayErrors(plan.strategies, { now: () => bot.state, found: (error) => bot.fail(error) });
  try {
    const reconciled = (differences: readonly Difference[]) => {
      for (const difference of differences) log.warn('journal and exchange differ', { ...difference });
      beyond.look();
      for (const one of existingBreaches(bot.state, bot.limits)) {
        log.warn('A LIMIT WOULD REFUSE A PRESENT POSITION OR ORDER', { ...one, reason: undefined, ...one.reason });
      }
    };
    await bot.run(reconciled, () => {
      around.running();
      strays.rethrow();
      turns.schedule(turns.now() + BEAT_MS * speed, beat);
      live();
      log.info('ready', { pid: process.pid, resumed: bot.resumed, differences: bot.differences.length });
      around.manager.ready();
    });
    strays.rethrow();
  } finally {
    strays.close();
    plots.close();
  }
  around.stopped(bot.leavesNothing, bot.reconciled);
  logSleepers(bot.state, plan.onStop, log);
  denials.close();
  log.info('stopped', around.totals.summary(bot.state));
}

/** Logs a streak of denials at its threshold, and each time that it is ten times as long. */
function warnOfStreak(streak: DeniedStreak | undefined, log: BotLog): void {
  if (streak === undefined || !Number.isInteger(Math.log10(streak.count / DENIED_IN_A_ROW))) return;
  log.error(`all of the last ${streak.count} intents were DENIED: the bot trades nothing`, {
    ...streak.codes,
    since: isoTime(Math.floor(streak.since)),
  });
}

const LOOK_MS = 1_000;

/** Warns of limits that the account already exceeds before any order, from the first prices on: of each limit once while it is exceeded. */
class BeyondLog {
  #logged = new Set<string>();
  /** The time of the next check, by the bot's clock: so its cost does not depend on the number of prices. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly bot: Pick<Bot, 'state' | 'limits'>,
    private readonly log: BotLog,
  ) {}

  look(): void {
    const { state, limits } = this.bot;
    if (state.time < this.#nextAt) return;
    this.#nextAt = state.time + LOOK_MS;
    const found = beyondLimits(state, limits);
    const keys = found.map(({ limit, strategyId = '', symbol = '' }) => `${strategyId}/${limit}/${symbol}`);
    found.forEach((one, index) => {
      if (!this.#logged.has(keys[index]!))
        this.log.warn('OVER A LIMIT: only reducing orders pass for this scope', { ...one, limit: `risk.${one.limit}` });
    });
    this.#logged = new Set(keys);
  }
}

/** How long requests have to wait, on and off, before a warning, and the time between two warnings, in ms of the bot's clock. */
const PRESSURE_MS = 1_000;
const PRESSURE_AGAIN_MS = 60_000;

/** Logs that requests wait for the exchange's limits: once, then at intervals while they wait, and when they do not wait any more. */
class PressureLog {
  #since: number | undefined;
  #loggedAt: number | undefined;
  #withdrawn = 0;

  constructor(
    private readonly bot: Pick<Bot, 'requests'>,
    private readonly log: BotLog,
  ) {}

  onEvent(event: AccountEvent): void {
    if (event.kind === 'orderRejected' && event.reason.code === 'waitedTooLong') this.#withdrawn++;
  }

  look(now: number): void {
    const { requests } = this.bot;
    if (!underPressure(requests, now)) {
      if (this.#loggedAt !== undefined) this.log.info('requests do not wait any more', { withdrawn: this.#withdrawn });
      this.#since = undefined;
      this.#loggedAt = undefined;
      this.#withdrawn = 0;
      return;
    }
    this.#since ??= now;
    if (now < this.#since + PRESSURE_MS || (this.#loggedAt !== undefined && now < this.#loggedAt + PRESSURE_AGAIN_MS)) return;
    const { queued, since = now, free } = requests;
    if (queued === 0 && this.#withdrawn === 0) return;
    this.#loggedAt = now;
    const figures = { queued, oldestWaitMs: Math.round(now - since), free, withdrawn: this.#withdrawn };
    this.log.warn("REQUESTS WAIT: there are more requests than the exchange's limits allow", {
      ...figures,
      since: isoTime(Math.floor(this.#since)),
    });
  }
}

/**
 * Opens the recorder of a bot whose config has a `record` section. It records the prices that the bot polls.
 * @throws TidegateError RECORDING_IN_USE if another process writes this recording, DATA_INVALID if it cannot be written.
 */
export async function botRecorder({ record, dataDir }: Config, plan: BotPlan, clock: Clock, log: Log): Promise<OpenRecorder | undefined> {
  if (record === undefined) return undefined;
  const traded = plan.instruments.map(({ symbol }) => symbol);
  const symbols = traded.filter((symbol) => record.symbols?.includes(symbol) ?? true);
  const others = (record.symbols ?? []).filter((symbol) => !traded.includes(symbol));
  if (others.length > 0)
    log.warn('these symbols are not recorded, because the bot does not poll them; `tidegate record` does', { symbols: others });
  if (symbols.length === 0) return undefined;
  return openRecorder({ dataDir, record, symbols, silentMs: plan.poll.staleMs, clock, log });
}
