import { neededIntervals } from '../../engine/strategies/routes.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEventKind, PriceEventKind } from '../../model/market-events.ts';
import type { Strategy, StrategyNeeds } from '../../strategy/strategy.ts';

/** What a futures account is told of its contracts beside prices. */
export type FuturesEventKind = Exclude<MarketEventKind, PriceEventKind>;

/** What one strategy class must be fed: from its `needs`, and from the hooks it has. */
export interface FeedNeeds {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly kinds: readonly PriceEventKind[];
  readonly futuresKinds: readonly FuturesEventKind[];
  /** Bar intervals in ms. */
  readonly intervals: readonly number[];
  readonly history: number;
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
    throw new TidegateError(
      'STRATEGY_LOAD_FAILED',
      `${where}: needs.bars are intervals like 1m, 15m, 1h or 1d, not ${JSON.stringify(needs?.bars)}`,
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
