import type { OrderRequest } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { ReadonlyState } from '../state/state.ts';
import type { RiskLimits } from './limits.ts';

export interface RiskContext {
  readonly state: ReadonlyState;
  readonly limits: RiskLimits;
}

/** One question a rule: an intent and the state, to a reason or nothing. */
export type RiskRule = (order: OrderRequest, context: RiskContext) => Denial | undefined;
