import type { State } from '../../../state/state.ts';
import type { BotPlan } from '../../planning/run-plans.ts';

/** Whether a stop has nothing to do at the exchange, as far as the journal knows. */
export function nothingToCancel({ onStop }: Pick<BotPlan, 'onStop'>, { openOrders }: Pick<State, 'openOrders'>): boolean {
  return onStop === 'keep' || openOrders.size === 0;
}
