import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Command } from '../../../ports/market-feed.ts';
import type { State } from '../../../state/state.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { Bot } from './bot.ts';
import { nothingToCancel } from './nothing-to-cancel.ts';
import { type Known, readKnown } from './past.ts';
import { keepCommand } from './pending-commands.ts';

/** What may be asked of a bot from outside, whether it runs or is about to. */
export type Commanded = Pick<Bot, 'state' | 'differences' | 'periods' | 'stop' | 'fail' | 'kill' | 'reduce' | 'reset'>;

/**
 * Stands for a bot until that can be put together, which may wait for its exchange for hours. What it is told to do is in the
 * journal at once, where the bot finds it.
 */
export class WaitingBot implements Commanded {
  readonly differences = [];
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

  get periods(): Bot['periods'] {
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
