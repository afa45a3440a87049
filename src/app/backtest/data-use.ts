import { neededIntervals } from '../../engine/routes.ts';
import { TidegateError } from '../../model/errors.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import type { StrategyNeeds } from '../../strategy/needs.ts';
import type { Strategy } from '../../strategy/strategy.ts';

/** What one strategy class must be fed: from its `needs`, and from the hooks it has. */
export interface FeedNeeds {
  readonly id: string;
  readonly symbols: readonly string[];
  readonly kinds: readonly MarketEventKind[];
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
  const kinds: MarketEventKind[] = [];
  if (intervals.length > 0) kinds.push('bar');
  if (needs?.quotes === true || prototype.onQuote !== undefined) kinds.push('quote');
  if (needs?.trades === true || prototype.onTrade !== undefined) kinds.push('trade');
  if (needs?.tickers === true || prototype.onTicker !== undefined) kinds.push('ticker');
  return { id, symbols, kinds, intervals, history: needs?.history ?? 0 };
}

/**
 * Which recorded kinds feed matching and strategies: what the config says; else bars where the strategies
 * need only bars and these are recorded; else the richest (quotes and trades before tickers) that serves.
 * @throws TidegateError CONFIG_INVALID, VENUE_CANNOT.
 */
export function kindsInUse(
  needs: readonly FeedNeeds[],
  wanted: readonly MarketEventKind[] | undefined,
  recorded: (kind: MarketEventKind) => boolean,
  allowed: readonly MarketEventKind[],
): MarketEventKind[] {
  const kinds = wanted === undefined ? derived(needs, (kind) => allowed.includes(kind) && recorded(kind)) : [...wanted];
  if (kinds.includes('bar') && kinds.length > 1) {
    throw new TidegateError(
      'CONFIG_INVALID',
      'backtest.use: bars feed matching alone; beside quotes, trades or tickers they are built from these',
    );
  }
  for (const kind of kinds) {
    if (allowed.includes(kind)) continue;
    throw new TidegateError(
      'VENUE_CANNOT',
      `the exchange's profile has no ${kind}s (it has ${allowed.join(' and ')}s): use those, or say \`profile: full\``,
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

function derived(needs: readonly FeedNeeds[], recorded: (kind: MarketEventKind) => boolean): MarketEventKind[] {
  const asked = new Set(needs.flatMap(({ kinds }) => kinds));
  const richer = (['quote', 'trade', 'ticker'] as const).filter((kind) => asked.has(kind));
  if (richer.length > 0) {
    // Bars cannot be built from quotes: trades, or else tickers, join them.
    const bars = asked.has('bar') && !asked.has('trade') && !asked.has('ticker');
    return bars ? [...richer, recorded('trade') ? 'trade' : 'ticker'] : richer;
  }
  if (recorded('bar')) return ['bar'];
  return recorded('trade') ? ['trade'] : ['ticker'];
}
