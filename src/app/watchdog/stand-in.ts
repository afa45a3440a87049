import { Strategy } from '../../strategy/strategy.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { PlannedStrategy } from '../wiring/core-plan.ts';

/** Wants nothing: the watchdog runs no code of a user's, which may be what hung the bot. */
class StandIn extends Strategy {}

/** One in the place of each strategy of a config, so that orders and positions have their owners. */
export function standIns({ config }: LoadedConfig): PlannedStrategy[] {
  return config.strategies.map(({ id, symbols }) => ({ id, symbols, params: undefined, create: (context) => new StandIn(context) }));
}
