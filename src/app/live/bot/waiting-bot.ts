import type { BotJournal } from '../../../journal/bot-journal.ts';
import { NO_REQUESTS, type RiskLatched } from '../../../model/account-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Command, KillCommand } from '../../../ports/market-feed.ts';
import { applyAccount } from '../../../state/apply.ts';
import type { State } from '../../../state/state.ts';
import type { RequestsQueue } from '../../../venues/rest/rest-venue.ts';
import type { Difference } from '../../../venues/rest/trading.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { Activity } from './activity.ts';
import { type Known, readKnown } from './journal-history.ts';

/** The commands that a bot takes, whether it runs or is about to. */
export interface Commanded {
  readonly state: State;
  /** Where exchange and journal disagreed at the start. */
  readonly differences: readonly Difference[];
  /** How often the exchange is asked at present, in ms. */
  readonly periods: { readonly marketMs: number; readonly accountMs: number };
  /** What waits to be sent, and how much of the exchange's limits is free. */
  readonly requests: RequestsQueue;
  /** What it did lately. */
  readonly activity: Activity;
  stop(): void;
  /** Ends it with this error. */
  fail(error: unknown): void;
  kill(flatten: boolean, reason: string): void;
  reduce(reason: string, strategyId?: string): void;
  reset(strategyId?: string): void;
}

/**
 * Takes commands until the bot can be built, which may wait for its exchange for hours. A command is in the journal at once,
 * and the bot finds it there.
 */
export class WaitingBot implements Commanded {
  readonly differences = [];
  readonly requests: RequestsQueue = { ...NO_REQUESTS, scarce: false, scarceAt: Number.NEGATIVE_INFINITY };
  known: Known;
  readonly #over = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  /** @throws TidegateError JOURNAL_DAMAGED. */
  constructor(
    private readonly plan: BotPlan,
    private readonly journal: BotJournal,
    private readonly clock: Clock,
  ) {
    this.known = readKnown(plan, journal);
  }

  get state(): State {
    return this.known.state;
  }

  get activity(): Activity {
    return this.known.past.activity;
  }

  get periods(): Commanded['periods'] {
    const { tickerMs, accountMs } = this.plan.poll;
    return { marketMs: tickerMs, accountMs };
  }

  /** Nothing is waited for any more. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get leavesNothing(): boolean {
    return nothingToCancel(this.plan, this.state);
  }

  /** The journal has been written to since it was read. */
  readAgain(): void {
    this.known = readKnown(this.plan, this.journal);
  }

  /** @throws what it was to fail with. */
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
  }

  reduce(reason: string, strategyId?: string): void {
    this.#keep({ kind: 'command', command: 'reduce', strategyId, reason });
  }

  reset(strategyId?: string): void {
    this.#keep({ kind: 'command', command: 'reset', strategyId });
  }

  #keep(command: Command): void {
    keepCommand(this.journal, this.state, this.clock.now(), command);
  }
}

/** Whether a stop has nothing to do at the exchange, as far as the journal knows. */
export function nothingToCancel({ onStop }: Pick<BotPlan, 'onStop'>, { openOrders }: Pick<State, 'openOrders'>): boolean {
  return onStop === 'keep' || openOrders.size === 0;
}

/** Where the journal's memory keeps commands that no engine has carried out. */
const MEMORY = 'bot/commands';

/**
 * Takes in a command while no engine takes turns: it is durable at once, and carried out as soon as an engine runs, in this
 * process or in a later one. A kill latches at once, too.
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

/** Commands of this or an earlier process that no engine has carried out yet, in their order. */
export function pendingCommands(journal: BotJournal): readonly Command[] {
  return (journal.recall(MEMORY) ?? []) as readonly Command[];
}

/** Removes a command that an engine carries out in the turn that is written now. */
export function forgetCommand(journal: BotJournal): void {
  const [, ...left] = pendingCommands(journal);
  journal.remember(MEMORY, left.length > 0 ? left : undefined);
}

/** @returns nothing where the latch that is set says as much. */
function killed(time: number, { reason, flatten }: KillCommand, set: RiskLatched | undefined): RiskLatched | undefined {
  if (set !== undefined && (set.flatten === true || !flatten)) return undefined;
  return { kind: 'riskLatched', time, rule: 'kill', drawdown: 0, limit: 0, reason, ...(flatten ? { flatten } : {}) };
}
