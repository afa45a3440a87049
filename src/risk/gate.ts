import type { Instrument } from '../model/instrument.ts';
import type { ApprovedOrder, OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import { largestOrder } from './largest-order.ts';
import type { RiskLimits, ScopeLimits } from './limits.ts';
import { type Asked, ScopeRules } from './scope-rules.ts';

export type Verdict = { readonly approved: ApprovedOrder } | { readonly denied: Denial };

/** What the gate is told of an order beside the order itself. */
export interface ReviewTerms {
  /** The price that triggers a stop; left out, the last price. */
  readonly marketTicks?: number | undefined;
  /** Trigger of the stop that is armed as the order fills. */
  readonly stopLossTicks?: number | undefined;
}

/** The one way from an order to a venue: every rule of the account, and every one of its strategy, must have nothing to say. */
export class RiskGate {
  readonly #account: ScopeRules;
  readonly #own: ReadonlyMap<string, ScopeRules>;

  constructor(private readonly context: { readonly state: ReadonlyState; readonly limits: RiskLimits }) {
    const { state, limits } = context;
    this.#account = new ScopeRules(state, limits, undefined);
    this.#own = new Map([...(limits.strategies ?? [])].map(([id, own]) => [id, new ScopeRules(state, own, id)]));
  }

  get limits(): RiskLimits {
    return this.context.limits;
  }

  /**
   * Reviews an order that will be sent now (`send`), or one that the engine will hold, which is reviewed
   * again at its release and counts against the rate only then. `now` is epoch ms.
   */
  review(order: OrderRequest, now: number, purpose: 'send' | 'hold', { marketTicks, stopLossTicks }: ReviewTerms = {}): Verdict {
    const asked: Asked = { marketTicks: marketTicks ?? this.#lastTicks(order), now, purpose, stopLossTicks };
    const own = this.#own.get(order.strategyId);
    const denied = this.#account.review(order, asked) ?? own?.review(order, asked);
    if (denied !== undefined) return { denied };
    if (purpose === 'send') {
      this.#account.count(now);
      own?.count(now);
    }
    return { approved: order as ApprovedOrder };
  }

  /** The largest order of an instrument that the limits on single orders let a strategy place now, in steps. */
  largestOrder(instrument: Instrument, strategyId: string): number {
    const { state, limits } = this.context;
    const last = state.market(instrument).lastTicks;
    const own: ScopeLimits | undefined = limits.strategies?.get(strategyId);
    const most = largestOrder(instrument, limits, last);
    return own === undefined ? most : Math.min(most, largestOrder(instrument, own, last));
  }

  #lastTicks({ instrument }: OrderRequest): number {
    return this.context.state.market(instrument).lastTicks;
  }
}
