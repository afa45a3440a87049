import { neededIntervals } from '../../engine/strategies/routes.ts';
import { TidegateError } from '../../model/errors.ts';
import { type MarketEventKind, PRICE_EVENT_KINDS, type PriceEventKind } from '../../model/market-events.ts';
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

/** A kind of data in the plural, as messages name it. */
export function kindText(kind: MarketEventKind): string {
  return kind === 'funding' || kind === 'depth' ? kind : `${kind}s`;
}

/**
 * Which recorded kinds feed matching and strategies: what the config says; else bars where the strategies
 * need only bars and these are recorded; else the richest (depth, quotes and trades before tickers) that serves.
 * @throws TidegateError CONFIG_INVALID, VENUE_CANNOT.
 */
export function kindsInUse(
  needs: readonly FeedNeeds[],
  wanted: readonly PriceEventKind[] | undefined,
  recorded: (kind: PriceEventKind) => boolean,
  allowed: readonly MarketEventKind[],
): PriceEventKind[] {
  const kinds = wanted === undefined ? derived(needs, (kind) => allowed.includes(kind) && recorded(kind)) : [...wanted];
  if (kinds.includes('bar') && kinds.length > 1) {
    throw new TidegateError(
      'CONFIG_INVALID',
      'backtest.use: bars feed matching alone; beside quotes, trades or tickers they are built from these',
    );
  }
  const prices = PRICE_EVENT_KINDS.filter((kind) => allowed.includes(kind));
  for (const kind of kinds) {
    if (allowed.includes(kind)) continue;
    throw new TidegateError(
      'VENUE_CANNOT',
      `the exchange's profile has no ${kind}s (it has ${prices.join(' and ')}s): use those, or say \`profile: full\``,
    );
  }
  for (const { id, kinds: own } of needs) {
    const missing = own.filter(
      (kind) => !kinds.includes(kind) && !(kind === 'bar' && (kinds.includes('ticker') || kinds.includes('trade'))),
    );
    if (missing.length === 0) continue;
    throw new TidegateError(
      'CONFIG_INVALID',
      `strategy "${id}" needs ${missing.join(' and ')}s, but the run is fed by ${kinds.join(' and ')}s (backtest.use)`,
    );
  }
  return kinds;
}

function derived(needs: readonly FeedNeeds[], recorded: (kind: PriceEventKind) => boolean): PriceEventKind[] {
  const asked = new Set(needs.flatMap(({ kinds }) => kinds));
  const richer = (['depth', 'quote', 'trade', 'ticker'] as const).filter((kind) => asked.has(kind));
  if (richer.length > 0) {
    // Bars cannot be built from quotes: trades, or else tickers, join them.
    // Trades tell what depth alone does not: who of a queue was filled.
    if (asked.has('depth') && !asked.has('trade') && recorded('trade')) richer.push('trade');
    const bars = asked.has('bar') && !richer.includes('trade') && !asked.has('ticker');
    return bars ? [...richer, recorded('trade') ? 'trade' : 'ticker'] : richer;
  }
  if (recorded('bar')) return ['bar'];
  return recorded('trade') ? ['trade'] : ['ticker'];
}
