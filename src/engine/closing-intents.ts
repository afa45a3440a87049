import type { PlaceOrder } from '../model/intents.ts';
import type { ReadonlyState } from '../state/state.ts';

/** One reduce-only market order for each position that a strategy still holds. */
export function closingIntents(state: ReadonlyState, strategyId: string): PlaceOrder[] {
  const positions = state.books.get(strategyId)?.positions ?? [];
  return positions.flatMap(({ steps }, index): PlaceOrder[] => {
    if (steps === 0) return [];
    const { symbol, step } = state.instruments[index]!;
    const side = steps > 0 ? 'sell' : 'buy';
    const quantity = step.toText(Math.abs(steps));
    return [{ kind: 'place', symbol, side, type: 'market', quantity, reduceOnly: true, tag: 'endOfRun' }];
  });
}
