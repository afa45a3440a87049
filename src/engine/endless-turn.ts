import type { TidegateError } from '../model/errors.ts';
import { type Blame, blamed } from './blame.ts';
import type { Wish } from './orders/wish.ts';
import { wrongAnswer } from './strategies/no-intent.ts';

/** Steps that one turn may take before it counts as a strategy that answers itself for ever. */
export const MAX_STEPS_PER_TURN = 1_000_000;

/** The error for such a turn. @param wish the newest that was reviewed: a strategy is told of its own orders alone. */
export function endlessTurn(wish: Wish | undefined, at: Omit<Blame, 'who'>): TidegateError {
  const who = wish === undefined ? 'the engine' : `strategy "${authorOf(wish)}"`;
  return blamed(wrongAnswer('its own events are answered without end'), { who, ...at });
}

function authorOf(wish: Wish): string {
  if ('host' in wish) return wish.host.id;
  return ('release' in wish ? wish.release : wish.replace).request.strategyId;
}
