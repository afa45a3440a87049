import { existsSync } from 'node:fs';
import type { Server } from 'node:net';
import { COMMANDED } from '../../../engine/guards/flattening.ts';
import type { BotJournal } from '../../../journal/bot-journal.ts';
import { TidegateError } from '../../../model/errors.ts';
import { tradableOf } from '../../../model/instrument.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { SteerCommand } from '../../../ports/market-feed.ts';
import type { State } from '../../../state/state.ts';
import { SystemClock, type TurnClock } from '../../../venues/rest/real-clock.ts';
import type { BotFolder, BotMode } from '../../planning/bot-folder.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { OpenRecorder } from '../../record/open-recorder.ts';
import type { BotLog } from '../../terminal/bot-log.ts';
import type { BotScreen } from '../../terminal/bot-screen.ts';
import { type ServiceManager, serviceManager, watchSignals } from '../../terminal/signals.ts';
import { limitCommand } from '../bot/setting-changes.ts';
import { beginSignals, waitingRows } from '../bot/signal-files.ts';
import { StartWaits } from '../bot/until-answered.ts';
import { type Commanded, WaitingBot } from '../bot/waiting-bot.ts';
import type { BotClients } from '../bot-clients.ts';
import type { ClocksRead } from '../clock-checks.ts';
import { type BotStatus, botStatus, type StopBegun, statusLine } from './bot-status.ts';
import { CommandFiles } from './command-files.ts';
import { answerTo, openControlSocket } from './control-socket.ts';
import { writeHeartbeat } from './heartbeat.ts';
import { KillFile } from './kill-file.ts';
import { ClosedFills, KillReport } from './kill-report.ts';
import { RunTotals } from './order-lines.ts';
import { type PostSettings, SignalReceiver } from './signal-post.ts';

/** The parts of a bot's process. */
export interface BotRun {
  readonly mode: BotMode;
  readonly plan: BotPlan;
  readonly folder: BotFolder;
  readonly clock: Clock;
  readonly turns: TurnClock;
  /** The speed of the clock against the wall clock. */
  readonly speed: number;
  readonly clients: BotClients;
  /** The user confirms that the keys belong to the journal's account. */
  readonly isSameAccount?: boolean | undefined;
  readonly journal: BotJournal;
  readonly log: BotLog;
  readonly screen: BotScreen;
  /** Where signals are received over HTTP, if the config has posted signals. */
  readonly post?: PostSettings | undefined;
  /** Takes over the orders that a watchdog placed for the bot. @returns whether there were any. */
  readonly handover?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Reads from the exchange the data that the bot's construction needs. Retries until the exchange replies or the signal aborts. */
  readonly prepare: (waiting: WaitingBot, waits: StartWaits) => Promise<void>;
  /** Sets the function that is called when the wall clock was set, with the change in ms. A paper bot shares the clock of its exchange. */
  readonly watchClock?: ((found: (byMs: number) => void) => void) | undefined;
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
  /** The thing that the start waits for. */
  readonly waits: StartWaits;
  readonly kills = new KillReport();
  /** The fills of `tidegate close`. */
  readonly closed = new ClosedFills(COMMANDED);
  readonly manager: ServiceManager;
  recorder: OpenRecorder | undefined;
  #bot: Commanded | undefined;
  #phase: BotStatus['phase'] = 'starting';
  #stopBegun: StopBegun | undefined;
  readonly #started = performance.now();
  #beatAt = this.#started;
  #watchdogActed: TidegateError | undefined;
  #killFile: KillFile | undefined;
  #files: CommandFiles | undefined;
  /** The number of kills that the kill file has caused. */
  #killedByFile = 0;
  #socket: Server | undefined;
  #receiver: SignalReceiver | undefined;
  #timer: NodeJS.Timeout | undefined;
  #forgetSignals = () => {};

  constructor(private readonly run: BotRun) {
    this.waits = new StartWaits(() => run.clock.now());
    const alive = () => this.#phase === 'starting' || performance.now() < this.#beatAt + HUNG_MS;
    this.manager = serviceManager(process.env, process.send?.bind(process), new SystemClock(), run.log, alive);
  }

  /**
   * Opens the ways for commands.
   * @returns the object that takes commands until the bot is built.
   * @throws TidegateError JOURNAL_DAMAGED, CONFIG_INVALID, DATA_INVALID
   */
  async open(): Promise<WaitingBot> {
    const { plan, folder, journal, clock, screen, log, over, post } = this.run;
    // This comes first: without a handler, a signal ends the process, and reading a long journal takes time.
    this.#forgetSignals = watchSignals({ stop: this.#stop, kill: this.#kill, reopenLog: () => log.reopen() });
    const waiting = new WaitingBot(plan, journal, clock);
    this.#bot = waiting;
    over?.addEventListener('abort', () => this.#stop('the recording has ended'));
    const strategies = plan.strategies.map(({ id }) => id);
    const { killFile: path } = folder;
    const files = new CommandFiles(folder, {
      stop: this.#stop,
      reduce: (reason, strategyId) => {
        try {
          if (strategyId === undefined || strategies.includes(strategyId)) this.#bot?.reduce(reason, strategyId);
          else log.warn(`the bot has no strategy "${strategyId}": a reduce for it has no effect`);
          return true;
        } catch (error) {
          this.#bot?.fail(error);
          return false;
        }
      },
    });
    this.#files = files;
    files.look();
    this.#socket = await openControlSocket(
      folder.control,
      answerTo({
        status: () => this.status(),
        stop: this.#stop,
        kill: this.#kill,
        reduce: (reason, strategyId) => this.#bot?.reduce(reason, strategyId),
        reset: (strategyId) => this.#bot?.reset(strategyId),
        steer: this.#steer,
        change: this.#change,
        symbols: tradableOf(plan.instruments).map(({ symbol }) => symbol),
        closesOnly: () => this.#bot?.closesOnly === true,
        strategies,
        lookAtFiles: () => {
          files.look();
          return this.#killFile?.look() ?? existsSync(path);
        },
        isNew: (id) => files.isNew(id),
        path,
      }),
    );
    if (post !== undefined) {
      const sources = (plan.signalFiles ?? []).filter((source) => source.post === true);
      beginSignals(sources, { journal, clock, log });
      this.#receiver = await SignalReceiver.open({
        ...post,
        sources,
        clock,
        log,
        waiting: () => waitingRows(sources, journal, clock.now()),
        open: () => this.#phase !== 'stopping',
      });
    }
    const report = () => {
      if (screen.live) screen.status(statusLine(this.status()));
      else log.info('status', { ...brief(this.status()) });
    };
    this.#timer = setInterval(report, screen.live ? STATUS_EVERY_MS.screen : STATUS_EVERY_MS.log);
    return waiting;
  }

  /** Starts to watch the kill file. Orders that a watchdog wrote before the start have been handled already. */
  watchKillFile(): void {
    const { folder, clients, log } = this.run;
    const killFile = new KillFile(folder.killFile, {
      log,
      kill: (flatten, reason, id) => {
        if (this.#files?.isNew(id) !== false) {
          this.#killedByFile++;
          this.#kill(flatten, reason);
        }
        const latch = this.state?.latches.get('kill');
        return latch !== undefined && (latch.flatten === true || !flatten);
      },
      watchdogActed: (text) => {
        const error = new TidegateError(
          'WATCHDOG_ACTED',
          `${text}. The watchdog acts for the bot, so the bot ends; the next start takes over the watchdog's orders`,
        );
        this.#watchdogActed = error;
        this.#bot?.fail(error);
      },
    });
    this.#killFile = killFile;
    // A process that was suspended has old data: it reads the files before it sends anything.
    clients.guard.forbids = (effect) => {
      const before = this.#killedByFile;
      if (this.#watchdogActed === undefined) killFile.look();
      this.#files?.look();
      if (this.#watchdogActed !== undefined) return this.#watchdogActed.message;
      return effect === 'order' && this.#killedByFile > before ? 'the bot was killed before the order was sent' : undefined;
    };
    killFile.look();
  }

  /** The state from the journal; `undefined` before it has been read. */
  get state(): State | undefined {
    return this.#bot?.state;
  }

  /** Sends commands to this bot from now on. */
  commands(bot: Commanded): void {
    this.#bot = bot;
  }

  /** @throws TidegateError WATCHDOG_ACTED */
  running(): void {
    if (this.#phase === 'starting') this.#phase = 'running';
    this.#beatAt = performance.now();
    if (this.#watchdogActed !== undefined) throw this.#watchdogActed;
  }

  beat(): void {
    this.#beatAt = performance.now();
  }

  /** Writes a heartbeat. @returns false if a watchdog has acted: then the bot must not look alive any more. */
  lives(): boolean {
    this.#killFile?.look();
    if (this.#watchdogActed !== undefined) return false;
    this.#signOfLife('running');
    return true;
  }

  /**
   * Reports the end of a run that was stopped.
   * @param isClean a stop has nothing left to do.
   * @param reconciled journal and exchange were reconciled. @throws TidegateError WATCHDOG_ACTED
   */
  stopped(isClean: boolean, reconciled: boolean): void {
    if (this.#watchdogActed !== undefined) throw this.#watchdogActed;
    const { log, screen } = this.run;
    const { openOrders } = this.status();
    const early = 'stopped before journal and exchange were reconciled';
    if (isClean) this.#signOfLife('stopped');
    if (!reconciled && isClean) log.info(`${early}: there was nothing to cancel`, { openOrders });
    else if (!reconciled) log.warn(`${early}: open orders are NOT canceled; the next start queries them`, { openOrders });
    else if (!isClean)
      log.warn('graceMs is over: some orders or positions to be closed are still open; the next start goes on', { openOrders });
    screen.end();
  }

  status(): BotStatus {
    const { plan, mode, clock, journal, clients } = this.run;
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
      signals: this.#receiver?.status,
      waitingSignals: waitingRows(plan.signalFiles ?? [], journal, clock.now()),
      refused: clients.refused.all,
      kills: this.kills,
      closed: this.closed,
      waits: this.waits,
      stop: this.#stopBegun,
      clocks: mode === 'live' && clients.client.timeKnown ? clocksOf(clients.client) : undefined,
    });
  }

  close(): void {
    this.run.screen.end();
    clearInterval(this.#timer);
    this.#killFile?.close();
    this.#files?.close();
    this.#forgetSignals();
    this.manager.close();
    this.#socket?.close();
    this.#receiver?.close();
  }

  readonly #stop = (why: string): void => {
    if (this.#phase === 'stopping') return;
    const { plan, speed, log, clock } = this.run;
    this.#stopBegun = { since: clock.now(), isEarly: this.#phase === 'starting' };
    this.#phase = 'stopping';
    log.info('stopping', { why, onStop: plan.onStop, graceMs: plan.graceMs / speed });
    this.manager.stopping();
    this.#bot?.stop();
  };

  readonly #steer = (command: SteerCommand): void => {
    const { kind, command: name, ...rest } = command;
    this.run.log.warn(`command: ${name}`, 'limits' in rest ? { ...rest.change } : rest);
    this.#bot?.steer(command);
  };

  readonly #change = (assignment: string): string | undefined => {
    if (this.#phase !== 'running') return `the bot is ${this.#phase}: a setting can be changed only while it runs`;
    const { limits: present, changes } = this.#bot!;
    try {
      this.#steer(limitCommand(assignment, { plan: this.run.plan, present, changes }));
      return undefined;
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      return error.message;
    }
  };

  readonly #kill = (flatten: boolean, reason: string): void => {
    this.run.log.warn('killed: all orders are canceled, and nothing of the strategies is sent until a reset', { flatten, reason });
    this.kills.begin();
    try {
      this.#bot?.kill(flatten, reason);
    } catch (error) {
      // If the kill cannot be stored, the bot must end.
      this.#bot?.fail(error);
    }
  };

  #signOfLife(phase: 'running' | 'stopped'): void {
    const { folder, mode } = this.run;
    writeHeartbeat(folder.heartbeat, { pid: process.pid, mode, phase, time: Date.now() });
  }
}

function clocksOf(client: BotClients['client']): ClocksRead {
  return { wall: Date.now(), exchange: client.serverTime(), errorMs: client.timeErrorMs };
}

function brief({ trading, equity, positions, openOrders, requests, latches, health, lastTickAgeMs }: BotStatus): Partial<BotStatus> {
  return { trading, equity, positions, openOrders, requests, latches, health, lastTickAgeMs };
}
