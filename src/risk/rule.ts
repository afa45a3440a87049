import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { ScopeLimits } from './limits.ts';

/** The facts that a rule may use. */
export interface RiskContext {
  readonly state: ReadonlyState;
  readonly limits: ScopeLimits;
  /** The owner of the positions, orders and equity that the limits concern: a strategy's id; `undefined` for the account. */
  readonly of: string | undefined;
  /**
   * The market price of the order's instrument when the order would trade, in ticks: the last price, or for a stop the price
   * that triggers it. `NaN` before the first price.
   */
  readonly marketTicks: number;
  /** Epoch ms. */
  readonly now: number;
  /** `hold`: it will wait in the engine, and be reviewed again when it is sent. */
  readonly purpose: 'send' | 'hold';
  /** Trigger of the stop that is armed as the order fills, in ticks; `undefined` if it has none. */
  readonly stopLossTicks: number | undefined;
  /** Count resting orders with a close too, as if it opened; see `RiskGate.crowds`. */
  readonly countResting?: boolean | undefined;
  /** See `RULES_VERSION`; the newest by default. */
  readonly rules?: number | undefined;
}

/** Checks one condition: returns a reason to deny the order, or nothing. */
export type RiskRule = (order: OrderRequest, context: RiskContext) => Denial | undefined;
