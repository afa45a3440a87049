import { existsSync } from 'node:fs';
import type { Server } from 'node:net';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { State } from '../../../state/state.ts';
import { SystemClock, type TurnClock } from '../../../venues/rest/real-clock.ts';
import type { BotFolder, BotMode } from '../../planning/bot-folder.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { OpenRecorder } from '../../record/open-recorder.ts';
import type { BotLog } from '../../terminal/bot-log.ts';
import type { BotScreen } from '../../terminal/bot-screen.ts';
import { type ServiceManager, serviceManager, watchSignals } from '../../terminal/signals.ts';
import { type Commanded, WaitingBot } from '../bot/waiting-bot.ts';
import type { BotClients } from '../bot-clients.ts';
import { type BotStatus, botStatus, statusLine } from './bot-status.ts';
import { answerTo, openControlSocket } from './control-socket.ts';
import { writeHeartbeat } from './heartbeat.ts';
import { KillFile } from './kill-file.ts';
import { KillReport } from './kill-report.ts';
import { RunTotals } from './order-lines.ts';

/** The parts of a bot's process. */
export interface BotRun {
  readonly mode: BotMode;
  readonly plan: BotPlan;
  readonly folder: BotFolder;
  readonly clock: Clock;
  readonly turns: TurnClock;
  /** How much faster than the wall the clock goes. */
  readonly speed: number;
  readonly clients: BotClients;
  /** A person says that the keys are of the journal's account. */
  readonly isSameAccount?: boolean | undefined;
  readonly journal: BotJournal;
  readonly log: BotLog;
  readonly screen: BotScreen;
  /** Takes over the orders that a watchdog placed for the bot. @returns whether there were any. */
  readonly handover?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Reads from the exchange what the bot needs before it is built. Retries until the exchange answers or the signal aborts. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
  /** Opens the recorder of the prices that the bot polls, if the config records them; it is closed with the bot. */
  readonly openRecorder: () => Promise<OpenRecorder | undefined>;
  /** Stops the bot when it is aborted: the end of a recording. */
  readonly over?: AbortSignal | undefined;
}

/** A process without a turn for this long counts as hung, in ms of wall time. */
const HUNG_MS = 35_000;
const STATUS_EVERY_MS = { screen: 1_000, log: 60_000 };

/** The process around a bot: signals, control socket, kill file and heartbeat. They bring commands to the bot and report its state. */
export class BotProcess {
  readonly totals = new RunTotals();
  readonly kills = new KillReport();
  readonly manager: ServiceManager;
  recorder: OpenRecorder | undefined;
  #bot: Commanded | undefined;
  #phase: BotStatus['phase'] = 'starting';
  readonly #started = performance.now();
  #beatAt = this.#started;
  #overtaken: TidegateError | undefined;
  #killFile: KillFile | undefined;
  #socket: Server | undefined;
  #timer: NodeJS.Timeout | undefined;
  #forgetSignals = () => {};

  constructor(private readonly run: BotRun) {
    const alive = () => this.#phase === 'starting' || performance.now() < this.#beatAt + HUNG_MS;
    this.manager = serviceManager(process.env, process.send?.bind(process), new SystemClock(), run.log, alive);
  }

  /**
   * Commands can reach the bot from here on.
   * @returns what takes commands until the bot is built.
   * @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID
   */
  async open(): Promise<WaitingBot> {
    const { plan, folder, journal, clock, screen, log, over } = this.run;
    // First of all: unless it is listened to, a signal ends the process. Reading a long journal takes its time.
    this.#forgetSignals = watchSignals({ stop: this.#stop, kill: this.#kill, reopenLog: () => log.reopen() });
    const waiting = new WaitingBot(plan, journal, clock);
    this.#bot = waiting;
    over?.addEventListener('abort', () => this.#stop('the recording has ended'));
    const strategies = plan.strategies.map(({ id }) => id);
    const { killFile: path } = folder;
    this.#socket = await openControlSocket(
      folder.socket,
      answerTo({
        status: () => this.status(),
        stop: this.#stop,
        kill: this.#kill,
        reduce: (reason, strategyId) => this.#bot?.reduce(reason, strategyId),
        reset: (strategyId) => this.#bot?.reset(strategyId),
        strategies,
        killFile: { look: () => this.#killFile?.look() ?? existsSync(path) },
        path,
      }),
    );
    const report = () => {
      if (screen.live) screen.status(statusLine(this.status()));
      else log.info('status', { ...brief(this.status()) });
    };
    this.#timer = setInterval(report, screen.live ? STATUS_EVERY_MS.screen : STATUS_EVERY_MS.log);
    return waiting;
  }

  /** Watches the kill file from here on: what a watchdog wrote before the start is taken over already. */
  watchKillFile(): void {
    const { folder, clients, log } = this.run;
    const killFile = new KillFile(folder.killFile, {
      log,
      kill: this.#kill,
      overtaken: (text) => {
        const error = new TidegateError('WATCHDOG_ACTED', `${text}. It acts in the bot's place; the next start goes on from what it did`);
        this.#overtaken = error;
        this.#bot?.fail(error);
      },
    });
    this.#killFile = killFile;
    // A process that was frozen wakes up with old news at hand: it looks before anything leaves.
    clients.guard.forbids = () => {
      if (this.#overtaken === undefined) killFile.look();
      return this.#overtaken?.message;
    };
    killFile.look();
  }

  /** As far as the journal has been read; `undefined` before. */
  get state(): State | undefined {
    return this.#bot?.state;
  }

  /** Commands go to this bot from here on. */
  commands(bot: Commanded): void {
    this.#bot = bot;
  }

  /** @throws TidegateError WATCHDOG_ACTED */
  running(): void {
    if (this.#phase === 'starting') this.#phase = 'running';
    this.#beatAt = performance.now();
    if (this.#overtaken !== undefined) throw this.#overtaken;
  }

  beat(): void {
    this.#beatAt = performance.now();
  }

  /** A sign of life. @returns false where nobody may take it for alive any more. */
  lives(): boolean {
    this.#killFile?.look();
    if (this.#overtaken !== undefined) return false;
    this.#signOfLife('running');
    return true;
  }

  /**
   * The run is over as it was asked for.
   * @param nothing all is done that a stop has to do.
   * @param laid journal and exchange were laid side by side. @throws TidegateError WATCHDOG_ACTED
   */
  left(nothing: boolean, laid: boolean): void {
    if (this.#overtaken !== undefined) throw this.#overtaken;
    const { log, screen } = this.run;
    const { openOrders } = this.status();
    const unlaid = 'stopped before journal and exchange could be laid side by side';
    if (nothing) this.#signOfLife('stopped');
    if (!laid && nothing) log.info(`${unlaid}: there was nothing to cancel`, { openOrders });
    else if (!laid) log.warn(`${unlaid}: what was open there is NOT canceled, and is looked up at the next start`, { openOrders });
    else if (!nothing) log.warn('the grace is over: what is left is looked up at the next start', { openOrders });
    screen.end();
  }

  status(): BotStatus {
    const { plan, mode, clock, journal } = this.run;
    return botStatus({
      plan,
      mode,
      bot: this.#bot!,
      phase: this.#phase,
      uptimeMs: performance.now() - this.#started,
      now: clock.now(),
      journal: journal.path,
      lastTick: this.totals.lastTick,
      recorder: this.recorder?.status,
      kills: this.kills,
    });
  }

  close(): void {
    this.run.screen.end();
    clearInterval(this.#timer);
    this.#killFile?.close();
    this.#forgetSignals();
    this.manager.close();
    this.#socket?.close();
  }

  readonly #stop = (why: string): void => {
    if (this.#phase === 'stopping') return;
    this.#phase = 'stopping';
    const { plan, speed, log } = this.run;
    log.info('stopping', { why, onStop: plan.onStop, graceMs: plan.graceMs / speed });
    this.manager.stopping();
    this.#bot?.stop();
  };

  readonly #kill = (flatten: boolean, reason: string): void => {
    this.run.log.warn('killed: everything is canceled, and nothing of the strategies is sent until a reset', { flatten, reason });
    this.kills.begin();
    try {
      this.#bot?.kill(flatten, reason);
    } catch (error) {
      // Where it cannot be latched, the bot must not go on as if nothing had been said.
      this.#bot?.fail(error);
    }
  };

  #signOfLife(phase: 'running' | 'stopped'): void {
    const { folder, mode } = this.run;
    writeHeartbeat(folder.heartbeat, { pid: process.pid, mode, phase, time: Date.now() });
  }
}

function brief({ trading, equity, positions, openOrders, requests, latches, health, lastTickAgeMs }: BotStatus): Partial<BotStatus> {
  return { trading, equity, positions, openOrders, requests, latches, health, lastTickAgeMs };
}
