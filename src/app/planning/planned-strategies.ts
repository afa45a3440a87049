import { neededIntervals } from '../../engine/strategies/routes.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEventKind, PriceEventKind } from '../../model/market-events.ts';
import { calendarHint } from '../../model/time.ts';
import type { Strategy, StrategyNeeds } from '../../strategy/strategy.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import {
  completedParams,
  isStrategy,
  type LoadedStrategy,
  loadStrategyClass,
  parseParams,
  type StrategyClass,
} from '../loader/load-strategy.ts';
import type { PlannedStrategy } from './run-plans.ts';

/** Market data other than prices that a futures account receives: marks and funding. */
export type FuturesEventKind = Exclude<MarketEventKind, PriceEventKind>;

/** The market data that one strategy class needs, by its `needs` and by the hooks it has. */
export interface FeedNeeds {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly kinds: readonly PriceEventKind[];
  readonly futuresKinds: readonly FuturesEventKind[];
  /** Bar intervals in ms. */
  readonly intervals: readonly number[];
  readonly history: number;
}

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
    const checked = parseParams(Class.params, given, { path, locate: loaded.locate, written: loaded.written });
    const create: PlannedStrategy['create'] = (context) => new Class(context);
    const files = [...sources.keys()];
    strategies.push({ id, symbols, params: checked, schema: Class.params, create, source: sourceHash, files });
    completed.push(completedParams(Class.params, given, checked));
    code.push({ id, entry, sources, sourceHash });
    needs.push(feedNeeds(id, symbols, Class.needs, Class.prototype));
  }
  return { strategies, needs, code, params: completed };
}

export function feedNeeds(
  id: string,
  symbols: readonly string[],
  needs: StrategyNeeds | undefined,
  prototype: Partial<Strategy>,
): FeedNeeds {
  const intervals = neededIntervals(needs);
  const where = `strategy "${id}"`;
  if (intervals.some(Number.isNaN)) {
    const hint =
      [needs?.bars ?? []]
        .flat()
        .map(calendarHint)
        .find((text) => text !== '') ?? '';
    throw new TidegateError(
      'STRATEGY_LOAD_FAILED',
      `${where}: needs.bars are intervals like 1m, 15m, 1h, 1d or 1w, not ${JSON.stringify(needs?.bars)}${hint}`,
    );
  }
  if (prototype.onBar !== undefined && intervals.length === 0) {
    throw new TidegateError('STRATEGY_LOAD_FAILED', `${where} has onBar but does not say which: add \`static needs = { bars: '1m' }\``);
  }
  const kinds: PriceEventKind[] = [];
  if (intervals.length > 0) kinds.push('bar');
  if (needs?.depth === true || prototype.onDepth !== undefined) kinds.push('depth');
  if (needs?.quotes === true || prototype.onQuote !== undefined) kinds.push('quote');
  if (needs?.trades === true || prototype.onTrade !== undefined) kinds.push('trade');
  if (needs?.tickers === true || prototype.onTicker !== undefined) kinds.push('ticker');
  const futuresKinds: FuturesEventKind[] = [];
  if (needs?.marks === true || prototype.onMark !== undefined) futuresKinds.push('mark');
  if (needs?.funding === true || prototype.onFunding !== undefined) futuresKinds.push('funding');
  return { id, symbols, kinds, futuresKinds, intervals, history: needs?.history ?? 0 };
}
