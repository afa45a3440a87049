import type { AccountEvent } from '../../model/order-events.ts';
import type { ErrorBudget } from '../../risk/limits.ts';
import type { LatchDesk } from './latch-desk.ts';

/**
 * Latches when the venue has refused or failed too often within a window. Counted are refusals of orders (but for a
 * post-only that would have taken, which is no error), outcomes that are not known, and for the account the times at
 * which it or a market can no longer be relied on.
 */
export class ErrorGuard {
  readonly #times: number[] = [];

  constructor(
    private readonly budget: ErrorBudget,
    private readonly desk: Pick<LatchDesk, 'latch'>,
    /** Whose orders count; `undefined`: all. */
    private readonly strategyId: string | undefined,
  ) {}

  /** @param owner strategy of the event's order, if it is about one. */
  onEvent(event: AccountEvent, owner: string | undefined): void {
    if (!this.#counts(event, owner)) return;
    const { errors, perMs, forMs } = this.budget;
    const times = this.#times;
    const { time } = event;
    while (times.length > 0 && times[0]! <= time - perMs) times.shift();
    times.push(time);
    if (times.length < errors) return;
    const { strategyId } = this;
    const until = forMs === undefined ? undefined : time + forMs;
    this.desk.latch({ rule: 'venueErrors', strategyId, drawdown: 0, limit: errors, count: times.length, until });
    times.length = 0;
  }

  #counts(event: AccountEvent, owner: string | undefined): boolean {
    if (event.kind === 'healthChanged') return this.strategyId === undefined && event.condition !== 'fresh';
    const failed = event.kind === 'orderUnknown' || (event.kind === 'orderRejected' && event.reason.code !== 'postOnlyWouldTake');
    return failed && (this.strategyId === undefined || this.strategyId === owner);
  }
}
