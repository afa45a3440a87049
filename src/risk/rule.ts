import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { RiskLimits } from './limits.ts';

/** What a rule may look at. */
export interface RiskContext {
  readonly state: ReadonlyState;
  readonly limits: RiskLimits;
  /**
   * Ticks at which the order's instrument trades when the order would: the last price, or for a stop the price
   * that triggers it. `NaN` before the first price.
   */
  readonly marketTicks: number;
}

/** One question a rule: an order and the state, to a reason or nothing. */
export type RiskRule = (order: OrderRequest, context: RiskContext) => Denial | undefined;
