import type { MarketEvent } from '../model/market-events.ts';
import type { AccountEvent } from '../model/order-events.ts';
import { applyAccount, applyMarket } from './apply.ts';
import type { State } from './state.ts';

/**
 * Folds what an earlier run remembered into a fresh state, in its order: the state is then as it stood there.
 * @throws TidegateError INVARIANT_BROKEN for events that cannot have happened in this order.
 */
export function resumeState(state: State, events: Iterable<MarketEvent | AccountEvent>): void {
  for (const event of events) {
    switch (event.kind) {
      case 'quote':
      case 'bar':
      case 'depth':
      case 'trade':
      case 'ticker':
      case 'mark':
      case 'funding':
        applyMarket(state, event);
        break;
      default:
        applyAccount(state, event);
    }
  }
}
