import type { BotJournal } from '../../../journal/bot-journal.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { State } from '../../../state/state.ts';
import type { Bot } from './bot.ts';
import type { BotPlan } from './bot-plan.ts';
import { type Known, readKnown } from './known.ts';
import { nothingToCancel } from './nothing-to-cancel.ts';
import { keepKill, pendingKill } from './pending-kill.ts';

/** What may be asked of a bot from outside, whether it runs or is about to. */
export type Commanded = Pick<Bot, 'state' | 'differences' | 'periods' | 'stop' | 'fail' | 'kill' | 'reduce' | 'reset'>;

/**
 * Stands for a bot until that can be put together, which may wait for its exchange for hours. A kill is latched in the journal at once;
 * everything it is told the bot is told anew, in its order.
 */
export class WaitingBot implements Commanded {
  readonly differences = [];
  known: Known;
  readonly #told: ((bot: Commanded) => void)[] = [];
  readonly #over = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  /** @throws TidegateError JOURNAL_DAMAGED. */
  constructor(
    private readonly plan: BotPlan,
    private readonly journal: BotJournal,
    private readonly clock: Clock,
  ) {
    this.known = readKnown(plan, journal);
    const left = pendingKill(journal);
    if (left !== undefined) this.#told.push((bot) => bot.kill(left.flatten, left.reason));
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

  /** Tells the bot all that was told. */
  handOver(bot: Commanded): void {
    for (const tell of this.#told) tell(bot);
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
    keepKill(this.journal, this.state, this.clock.now(), { flatten, reason });
    this.#told.push((bot) => bot.kill(flatten, reason));
  }

  reduce(reason: string, strategyId?: string): void {
    this.#told.push((bot) => bot.reduce(reason, strategyId));
  }

  reset(strategyId?: string): void {
    this.#told.push((bot) => bot.reset(strategyId));
  }
}
