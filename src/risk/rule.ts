import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { ScopeLimits } from './limits.ts';

/** What a rule may look at. */
export interface RiskContext {
  readonly state: ReadonlyState;
  readonly limits: ScopeLimits;
  /** Whose positions, orders and equity count against the limits: a strategy's id; `undefined` for the account. */
  readonly of: string | undefined;
  /**
   * Ticks at which the order's instrument trades when the order would: the last price, or for a stop the price
   * that triggers it. `NaN` before the first price.
   */
  readonly marketTicks: number;
  /** Epoch ms. */
  readonly now: number;
  /** `hold`: it will wait at the engine, and be reviewed again when it goes out. */
  readonly purpose: 'send' | 'hold';
  /** Trigger of the stop that is armed as the order fills, in ticks; `undefined` where it brings none. */
  readonly stopLossTicks: number | undefined;
  /** Judge a close by what rests beside it too, as if it opened; see `RiskGate.crowds`. */
  readonly besideResting?: boolean | undefined;
  /** See `RULES`; the newest if left out. */
  readonly rules?: number | undefined;
}

/** One rule answers one question: an order and the state give a reason to deny, or nothing. */
export type RiskRule = (order: OrderRequest, context: RiskContext) => Denial | undefined;
