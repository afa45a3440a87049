import type { AccountEvent } from '../../../model/account-events.ts';
import { isoTime } from '../../../model/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { beyondLimits } from '../../../risk/beyond-limits.ts';
import { standingBeyond } from '../../../risk/standing.ts';
import type { State } from '../../../state/state.ts';
import type { Difference } from '../../../venues/rest/trading.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
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

/** Between two heartbeats in the journal, in ms of the wall. */
const BEAT_MS = 10_000;

/**
 * A bot as a process: signals, the control socket, the kill file, whoever manages the process, log and status around it, from before
 * the exchange is asked for the first time. Returns when it has been told to stop, and has.
 * @throws what stopped it otherwise; nothing that was sent is missing in the journal then.
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
      around.left(waiting.leavesNothing, false);
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

/** Everything before the bot is put together. @throws TidegateError START_REFUSED */
async function prepared({ plan, log, handover, prepare }: BotRun, around: BotProcess, waiting: WaitingBot): Promise<void> {
  if (await handover?.(waiting.signal)) waiting.readAgain();
  const { state } = waiting;
  for (const left of requireClaimed(state, plan.strategies)) log.warn('too little for any order is left of an earlier run', { left });
  for (const latch of idleLatches(state, plan.strategies)) log.warn(latch);
  for (const { rule, strategyId, reason = '' } of state.latches.values()) {
    const passes = rule === 'kill' ? 'nothing that a strategy asks for passes' : 'only what reduces passes';
    log.warn(`LATCHED since before: ${passes}; \`tidegate reset\` takes it back`, { rule, strategyId, reason });
  }
  for (const { symbol, condition, reason, time } of state.health.values()) {
    if (condition !== 'halted') continue;
    const since = isoTime(Math.floor(time));
    log.warn('HALTED since before: only what closes passes there, until its cause is gone; `tidegate reset` lifts it', {
      symbol,
      since,
      reason,
    });
  }
  around.watchKillFile();
  await prepare(waiting.signal);
}

async function trade(run: BotRun, around: BotProcess, waiting: WaitingBot, recorder: OpenRecorder | undefined): Promise<void> {
  const { plan, clock, turns, clients, isSameAccount, journal, log, speed } = run;
  const { known } = waiting;
  const bot = new Bot({ known, plan, clock, turns, ...clients, isSameAccount, journal, log, random: Math.random, polled: recorder?.poll });
  const denials = new DenialLog(log);
  bot.engine.account$.subscribe((event) => {
    logEvent(event, bot.state, log);
    denials.onEvent(event);
    around.kills.take(event);
    if (event.kind === 'orderDenied') warnOfStreak(bot.activity.deniedStreak, log);
  });
  const beyond = new BeyondLog(plan, bot.state, log);
  const pressure = new PressureLog(bot, log);
  bot.engine.account$.subscribe((event) => pressure.onEvent(event));
  bot.engine.market$.subscribe(() => {
    beyond.look();
    pressure.look(clock.now());
  });
  around.totals.observe(bot.engine, bot.state);
  around.commands(bot);
  const beat = () => {
    around.beat();
    bot.beat();
    turns.schedule(turns.now() + BEAT_MS * speed, beat);
  };
  // By turns: an engine that takes none is no living bot, whatever its process does.
  const live = () => {
    if (!around.lives()) return;
    turns.schedule(turns.now() + HEARTBEAT_MS * speed, live);
  };
  const strays = new StrayErrors(plan.strategies, { now: () => bot.state, found: (error) => bot.fail(error) });
  try {
    const laid = (differences: readonly Difference[]) => {
      for (const difference of differences) log.warn('journal and exchange differ', { ...difference });
      beyond.look();
      for (const one of standingBeyond(bot.state, plan.limits)) {
        log.warn('A LIMIT WOULD REFUSE WHAT STANDS', { ...one, reason: undefined, ...one.reason });
      }
    };
    await bot.run(laid, () => {
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
  }
  around.left(bot.leavesNothing, bot.laid);
  logSleepers(bot.state, plan.onStop, log);
  denials.close();
  log.info('stopped', around.totals.summary(bot.state));
}

/** Written at this many denials in a row, and each time that they have become ten times as many. */
function warnOfStreak(streak: DeniedStreak | undefined, log: BotLog): void {
  if (streak === undefined || !Number.isInteger(Math.log10(streak.count / DENIED_IN_A_ROW))) return;
  log.error(`every one of the last ${streak.count} intents was DENIED: nothing is traded`, {
    ...streak.codes,
    since: isoTime(Math.floor(streak.since)),
  });
}

const LOOK_MS = 1_000;

/** Warns of limits that the account passes already, before any order: each once for as long as it is passed, from the first prices on. */
class BeyondLog {
  #said = new Set<string>();
  /** By the bot's clock: what it costs does not grow with the prices that come. */
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly plan: BotPlan,
    private readonly state: State,
    private readonly log: BotLog,
  ) {}

  look(): void {
    if (this.state.time < this.#nextAt) return;
    this.#nextAt = this.state.time + LOOK_MS;
    const found = beyondLimits(this.state, this.plan.limits);
    const keys = found.map(({ limit, strategyId = '', symbol = '' }) => `${strategyId}/${limit}/${symbol}`);
    found.forEach((one, index) => {
      if (!this.#said.has(keys[index]!))
        this.log.warn('BEYOND A LIMIT: only what reduces passes there', { ...one, limit: `risk.${one.limit}` });
    });
    this.#said = new Set(keys);
  }
}

/** Requests have to wait this long, on and off, before the log says so, and how often it says it again, in ms of the bot's clock. */
const PRESSURE_MS = 1_000;
const PRESSURE_AGAIN_MS = 60_000;

/** Says that requests wait for the exchange's limits: once, then at intervals for as long as they do, and when they wait no more. */
class PressureLog {
  #since: number | undefined;
  #saidAt: number | undefined;
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
      if (this.#saidAt !== undefined) this.log.info('requests wait no more', { withdrawn: this.#withdrawn });
      this.#since = undefined;
      this.#saidAt = undefined;
      this.#withdrawn = 0;
      return;
    }
    this.#since ??= now;
    if (now < this.#since + PRESSURE_MS || (this.#saidAt !== undefined && now < this.#saidAt + PRESSURE_AGAIN_MS)) return;
    const { queued, since = now, free } = requests;
    if (queued === 0 && this.#withdrawn === 0) return;
    this.#saidAt = now;
    const figures = { queued, oldestWaitMs: Math.round(now - since), free, withdrawn: this.#withdrawn };
    this.log.warn("REQUESTS WAIT: more is asked for than the exchange's limits allow", {
      ...figures,
      since: isoTime(Math.floor(this.#since)),
    });
  }
}

/**
 * The recorder of a bot whose config has a `record` section: it writes what the bot looks at anyway.
 * @throws TidegateError RECORDING_IN_USE where another process records it, DATA_INVALID where nothing can be written.
 */
export async function botRecorder({ record, dataDir }: Config, plan: BotPlan, clock: Clock, log: Log): Promise<OpenRecorder | undefined> {
  if (record === undefined) return undefined;
  const traded = plan.instruments.map(({ symbol }) => symbol);
  const symbols = traded.filter((symbol) => record.symbols?.includes(symbol) ?? true);
  const others = (record.symbols ?? []).filter((symbol) => !traded.includes(symbol));
  if (others.length > 0) log.warn('not recorded: the bot does not look at them; `tidegate record` would', { symbols: others });
  if (symbols.length === 0) return undefined;
  return openRecorder({ dataDir, record, symbols, silentMs: plan.poll.staleMs, clock, log });
}
