import type { State } from '../../state/state.ts';
import { Strategy } from '../../strategy/strategy.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { unclaimed } from '../live/bot/unclaimed.ts';
import type { PlannedStrategy } from '../wiring/core-plan.ts';

/** Wants nothing: the watchdog runs no code of a user's, which may be what hung the bot. */
class StandIn extends Strategy {}

/** One in the place of each strategy of a config, so that orders and positions have their owners. */
export function standIns({ config }: LoadedConfig): PlannedStrategy[] {
  return config.strategies.map(standIn);
}

/** The same, with whom and what the config no longer has and the journal still knows: to be canceled and closed as well. */
export function standInsFor(state: State, strategies: readonly PlannedStrategy[]): PlannedStrategy[] {
  const symbolsOf = new Map(strategies.map(({ id, symbols }) => [id, symbols]));
  for (const { strategyId: id, instrument } of unclaimed(state, strategies))
    symbolsOf.set(id, [...(symbolsOf.get(id) ?? []), instrument.symbol]);
  return [...symbolsOf].map(([id, symbols]) => standIn({ id, symbols }));
}

function standIn({ id, symbols }: Pick<PlannedStrategy, 'id' | 'symbols'>): PlannedStrategy {
  return { id, symbols, params: undefined, create: (context) => new StandIn(context) };
}
