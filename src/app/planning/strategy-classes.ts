import type { LoadedConfig } from '../config/load-config.ts';
import {
  completedParams,
  isStrategy,
  type LoadedStrategy,
  loadStrategyClass,
  parseParams,
  type StrategyClass,
} from '../loader/load-strategy.ts';
import { type FeedNeeds, feedNeeds } from './data-use.ts';
import type { PlannedStrategy } from './run-plans.ts';

/** The code of one strategy as it was loaded. */
export interface StrategyCode extends Pick<LoadedStrategy, 'entry' | 'sources' | 'sourceHash'> {
  readonly id: string;
}

/** The strategies of a config, what each must be fed, and their code. */
export interface PlannedStrategies {
  readonly strategies: PlannedStrategy[];
  readonly needs: FeedNeeds[];
  readonly code: StrategyCode[];
  /** The parameters of each as they took effect, to be read again. */
  readonly params: Readonly<Record<string, unknown>>[];
}

/**
 * The strategies of a config, loaded and with checked parameters, and what each must be fed.
 * @throws TidegateError STRATEGY_NOT_FOUND, STRATEGY_LOAD_FAILED, STRATEGY_PARAMS_INVALID.
 */
export async function plannedStrategies(loaded: LoadedConfig): Promise<PlannedStrategies> {
  const strategies: PlannedStrategy[] = [];
  const needs: FeedNeeds[] = [];
  const code: StrategyCode[] = [];
  const completed: PlannedStrategies['params'] = [];
  for (const [index, { id, file, export: exportName, symbols, params }] of loaded.config.strategies.entries()) {
    const { StrategyClass: loadedClass, entry, sources, sourceHash } = await loadStrategyClass(file, exportName, { isStrategy });
    const Class = loadedClass as StrategyClass;
    const path = ['strategies', index, 'params'];
    const given = Class.params === undefined ? params : ((loaded.valueAs(Class.params, path) ?? params) as typeof params);
    const checked = parseParams(Class.params, given, { path, locate: loaded.locate });
    const create: PlannedStrategy['create'] = (context) => new Class(context);
    const files = [...sources.keys()];
    strategies.push({ id, symbols, params: checked, schema: Class.params, create, source: sourceHash, files });
    completed.push(completedParams(Class.params, given, checked));
    code.push({ id, entry, sources, sourceHash });
    needs.push(feedNeeds(id, symbols, Class.needs, Class.prototype));
  }
  return { strategies, needs, code, params: completed };
}
