import type { StrategyContext } from '../../../strategy/context.ts';
import type { StrategyNeeds } from '../../../strategy/needs.ts';
import { Strategy } from '../../../strategy/strategy.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { loadStrategyClass } from '../../loader/load-strategy.ts';
import { parseParams } from '../../loader/parse-params.ts';
import type { PlannedStrategy } from '../../wiring/core-plan.ts';
import { type FeedNeeds, feedNeeds } from './data-use.ts';

type StrategyClass = (new (
  context: StrategyContext,
) => Strategy) & {
  readonly params?: Parameters<typeof parseParams>[0];
  readonly needs?: StrategyNeeds;
  readonly prototype: Partial<Strategy>;
};

/**
 * The strategies of a config, loaded and with checked parameters, and what each must be fed.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED, STRATEGY_PARAMS_INVALID.
 */
export async function plannedStrategies({ config, locate }: LoadedConfig): Promise<{ strategies: PlannedStrategy[]; needs: FeedNeeds[] }> {
  const strategies: PlannedStrategy[] = [];
  const needs: FeedNeeds[] = [];
  for (const [index, { id, file, export: exportName, symbols, params }] of config.strategies.entries()) {
    const { StrategyClass: loadedClass } = await loadStrategyClass(file, exportName, { isStrategy });
    const Class = loadedClass as StrategyClass;
    const checked = parseParams(Class.params, params, { path: ['strategies', index, 'params'], locate });
    strategies.push({ id, symbols, params: checked, create: (context) => new Class(context) });
    needs.push(feedNeeds(id, symbols, Class.needs, Class.prototype));
  }
  return { strategies, needs };
}

function isStrategy(candidate: unknown): boolean {
  return typeof candidate === 'function' && candidate.prototype instanceof Strategy;
}
