import type { BotJournal } from '../../../journal/bot-journal.ts';
import { NO_REQUESTS, type RiskLatched } from '../../../model/account-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Command, CommandedClose, KillCommand, SettingChange, SteerCommand } from '../../../ports/market-feed.ts';
import type { RiskLimits } from '../../../risk/limits.ts';
import { applyAccount } from '../../../state/apply.ts';
import type { State } from '../../../state/state.ts';
import type { Difference } from '../../../venues/reconcile/settings.ts';
import type { RequestsQueue } from '../../../venues/rest/rest-venue.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import { isClosing } from '../process/kill-report.ts';
import type { Activity } from './activity.ts';
import { type Known, readKnown } from './journal-history.ts';

/** The commands of a bot that runs or starts. */
export interface Commanded {
  readonly state: State;
  /** The differences between exchange and journal at the start. */
  readonly differences: readonly Difference[];
  /** The present periods of polling, in ms. */
  readonly periods: { readonly marketMs: number; readonly accountMs: number };
  /** The request queue, and the free share of the exchange's limits. */
  readonly requests: RequestsQueue;
  /** The limits that are in force. */
  readonly limits: RiskLimits;
  /** The settings that were changed while the bot ran, and that its config has not changed since. */
  readonly changes: readonly SettingChange[];
  /** The closes by command that are not finished. */
  readonly closes: readonly CommandedClose[];
  /** The recent activity. */
  readonly activity: Activity;
  /** It was killed before it had its candles: until the next start it only cancels and closes, and no strategy runs. */
  readonly closesOnly: boolean;
  stop(): void;
  /** Ends it with this error. */
  fail(error: unknown): void;
  kill(flatten: boolean, reason: string): void;
  reduce(reason: string, strategyId?: string): void;
  reset(strategyId?: string): void;
  steer(command: SteerCommand): void;
}

/**
 * Takes commands until the bot is built, which may wait for the exchange for hours. A command is stored in the journal at once, where
 * the bot finds it.
 */
export class WaitingBot implements Commanded {
  readonly differences = [];
  readonly closes = [];
  readonly requests: RequestsQueue = { ...NO_REQUESTS, scarce: false, scarceAt: Number.NEGATIVE_INFINITY };
  known: Known;
  closesOnly = false;
  readonly #over = new AbortController();
  readonly #hurry = new AbortController();
  #isKilled: boolean;
  #failure: { readonly error: unknown } | undefined;

  /** @throws TidegateError JOURNAL_DAMAGED. */
  constructor(
    private readonly plan: BotPlan,
    private readonly journal: BotJournal,
    private readonly clock: Clock,
  ) {
    this.known = readKnown(plan, journal);
    this.#isKilled = this.state.latches.has('kill');
  }

  get state(): State {
    return this.known.state;
  }

  get limits(): RiskLimits {
    return this.plan.limits;
  }

  get changes(): readonly SettingChange[] {
    return this.plan.changes ?? [];
  }

  get activity(): Activity {
    return this.known.past.activity;
  }

  get periods(): Commanded['periods'] {
    const { tickerMs, accountMs } = this.plan.poll;
    return { marketMs: tickerMs, accountMs };
  }

  /** Aborted when the wait must end. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether a kill is in force and no reset is waiting: the bot will send only cancels and closes. */
  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** Whether the kill in force has orders to cancel, or positions to close. */
  get isKillUnfinished(): boolean {
    return this.#isKilled && (this.state.openOrders.size > 0 || isClosing(this.state));
  }

  /** Aborted by a kill during the wait. */
  get hurry(): AbortSignal {
    return this.#hurry.signal;
  }

  get leavesNothing(): boolean {
    return nothingToCancel(this.plan, this.state);
  }

  /** Called if the journal was written after it was read. */
  readAgain(): void {
    this.known = readKnown(this.plan, this.journal);
  }

  /** @throws the first error that `fail` received. */
  rethrow(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  stop(): void {
    this.#over.abort();
  }

  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#over.abort();
  }

  kill(flatten: boolean, reason: string): void {
    this.#keep({ kind: 'command', command: 'kill', flatten, reason });
    this.#isKilled = true;
    this.#hurry.abort();
  }

  reduce(reason: string, strategyId?: string): void {
    this.#keep({ kind: 'command', command: 'reduce', strategyId, reason });
  }

  reset(strategyId?: string): void {
    this.#keep({ kind: 'command', command: 'reset', strategyId });
    if (strategyId === undefined) this.#isKilled = false;
  }

  steer(command: SteerCommand): void {
    this.#keep(command);
  }

  #keep(command: Command): void {
    keepCommand(this.journal, this.state, this.clock.now(), command);
  }
}

/** Whether a stop has nothing to cancel at the exchange, by the journal. */
export function nothingToCancel({ onStop }: Pick<BotPlan, 'onStop'>, { openOrders }: Pick<State, 'openOrders'>): boolean {
  return onStop === 'keep' || openOrders.size === 0;
}

/** The text for `closesOnly`. */
export const CLOSES_ONLY =
  'the bot was killed before it had its candles, so its strategies do not run: it only cancels and closes until its next start';

/** The key of the journal's memory for commands that no engine has executed yet. */
const MEMORY = 'bot/commands';

/**
 * Stores a command while no engine runs. It is committed at once, and executed as soon as an engine runs, in this process or a later
 * one. A kill also latches at once.
 * @param now epoch ms. @throws TidegateError JOURNAL_FAILED
 */
export function keepCommand(journal: BotJournal, state: State, now: number, command: Command): void {
  const latched = command.command === 'kill' ? killed(now, command, state.latches.get('kill')) : undefined;
  journal.outside(() => {
    if (latched !== undefined) journal.event(state.sequence, latched);
    journal.remember(MEMORY, [...pendingCommands(journal), command]);
  });
  if (latched !== undefined) applyAccount(state, latched);
}

/** Commands of this or an earlier process that no engine has executed yet, in their order. */
export function pendingCommands(journal: BotJournal): readonly Command[] {
  return (journal.recall(MEMORY) ?? []) as readonly Command[];
}

/** Removes a command that an engine executes in the present turn. */
export function forgetCommand(journal: BotJournal): void {
  const [, ...left] = pendingCommands(journal);
  journal.remember(MEMORY, left.length > 0 ? left : undefined);
}

/** The event of a kill. @returns undefined if the present latch already has this effect. */
function killed(time: number, { reason, flatten }: KillCommand, set: RiskLatched | undefined): RiskLatched | undefined {
  if (set !== undefined && (set.flatten === true || !flatten)) return undefined;
  return { kind: 'riskLatched', time, rule: 'kill', drawdown: 0, limit: 0, reason, ...(flatten ? { flatten } : {}) };
}
