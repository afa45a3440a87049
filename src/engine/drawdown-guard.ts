import type { AccountEvent, RiskLatched } from '../model/order-events.ts';
import type { Drawdown } from '../state/drawdown.ts';
import type { State } from '../state/state.ts';
import type { Reviewer } from './reviewer.ts';

/** Is told when the account's fall from its peak grows, and latches the run when it is too deep. */
export class DrawdownGuard {
  readonly #drawdown: Drawdown;
  /** `Infinity` without a limit, and once the latch is set. */
  #limit: number;

  constructor(
    private readonly state: State,
    private readonly maxDrawdown: number,
    private readonly reviewer: Reviewer,
    private readonly outlets: { emit(event: RiskLatched): void; now(): number },
  ) {
    this.#drawdown = state.portfolio.drawdown;
    this.#limit = state.drawdownLatched ? Number.POSITIVE_INFINITY : maxDrawdown;
    if (maxDrawdown < Number.POSITIVE_INFINITY) this.#drawdown.onDeeper = () => this.#watch();
  }

  /** Called after the state has the event. */
  onEvent({ kind, rule }: Extract<AccountEvent, { kind: 'riskLatched' | 'latchReset' }>): void {
    if (rule !== 'maxDrawdown') return;
    if (kind === 'riskLatched') this.#cancelEntries();
    else this.#limit = this.maxDrawdown;
  }

  /** What the latch means: everything that could still open something is canceled; exits stay. */
  #cancelEntries(): void {
    for (const order of [...this.state.openOrders.values()]) {
      if (!order.request.reduceOnly) this.reviewer.cancel(order, 'riskLatch');
    }
  }

  /** The deepest fall passes the limit at the very event at which the present one first does. */
  #watch(): void {
    if (this.#drawdown.depth > this.#limit) this.#latch();
  }

  #latch(): void {
    this.#limit = Number.POSITIVE_INFINITY;
    const { current } = this.#drawdown;
    this.outlets.emit({ kind: 'riskLatched', time: this.outlets.now(), rule: 'maxDrawdown', drawdown: current, limit: this.maxDrawdown });
  }
}
