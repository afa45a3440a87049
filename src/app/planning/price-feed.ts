import type { BarPlan } from '../../engine/bar-maker.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type MarketEventKind, PRICE_EVENT_KINDS, type PriceEventKind } from '../../model/market-events.ts';
import { accountCurrency, conversionSymbol } from '../config/account-settings.ts';
import type { Config } from '../config/schema/schema.ts';
import type { FeedNeeds } from './data-use.ts';
import type { RecordedData, RecordedSeries } from './recorded-data.ts';

/** A recorded series that feeds the run. */
export interface Fed {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly series: RecordedSeries;
}

interface PriceFeed {
  /** The kinds that feed matching and strategies. */
  readonly kinds: readonly PriceEventKind[];
  /** In the declared order of kinds, then of instruments. */
  readonly fed: readonly Fed[];
}

/**
 * Which recorded prices feed the run. Traded instruments have every kind in use; those that only turn an asset
 * into the account's currency, and others of which there is data, have what is recorded of these kinds.
 * @throws TidegateError CONFIG_INVALID, VENUE_CANNOT, DATA_NOT_FOUND.
 */
export function priceFeed(
  config: Config,
  instruments: readonly Instrument[],
  needs: readonly FeedNeeds[],
  data: RecordedData,
  allowed: readonly MarketEventKind[],
): PriceFeed {
  const traded = new Set(needs.flatMap(({ symbols }) => symbols));
  const converting = conversions(config);
  const { use: stated, observation } = config.backtest;
  const use = observation === 'polled' ? (['ticker'] as const) : stated === undefined ? undefined : [stated].flat();
  const recorded = (kind: PriceEventKind) => [...traded, ...converting.values()].every((symbol) => data.has(symbol, kind));
  const kinds = kindsInUse(needs, use, recorded, allowed);
  const fed = PRICE_EVENT_KINDS.filter((kind) => kinds.includes(kind)).flatMap((kind) =>
    instruments
      .filter(({ symbol }) => traded.has(symbol) || data.has(symbol, kind))
      .map((instrument): Fed => {
        const intervals = kind === 'bar' ? intervalsOf(instrument, needs) : [];
        return { instrument, kind, series: data.find(instrument.symbol, kind, intervals) };
      }),
  );
  for (const [asset, symbol] of converting) {
    if (traded.has(symbol) || kinds.some((kind) => data.has(symbol, kind))) continue;
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `no recorded ${kinds.join('s and ')}s of ${symbol}, by which ${asset} is counted in ${accountCurrency(config)}; the recordings hold: ${data.names}`,
    );
  }
  return { kinds, fed };
}

/** Which bars the engine builds: those needed and not recorded, from trades or else tickers where these feed the run. */
export function builtBars(
  { kinds, fed }: PriceFeed,
  instruments: readonly Instrument[],
  needs: readonly FeedNeeds[],
  graceMs: number,
): BarPlan {
  const intervals = instruments.map((instrument) => {
    const recorded = fed.find((other) => other.instrument === instrument && other.kind === 'bar')?.series.meta.intervalMs;
    return intervalsOf(instrument, needs).filter((interval) => interval !== recorded);
  });
  return { from: kinds.includes('trade') ? 'trade' : kinds.includes('ticker') ? 'ticker' : 'bar', intervals, graceMs };
}

/** The bar intervals that strategies need of an instrument, in ms. */
function intervalsOf({ symbol }: Instrument, needs: readonly FeedNeeds[]): number[] {
  return [...new Set(needs.filter(({ symbols }) => symbols.includes(symbol)).flatMap(({ intervals }) => intervals))];
}

/** The instruments that price the assets of the account in its currency, by asset. */
function conversions({ account, instruments, strategies }: Config): Map<string, string> {
  const symbols = Object.keys(instruments);
  const currency = accountCurrency({ account, instruments })!;
  const traded = strategies.flatMap((strategy) => strategy.symbols.map((symbol) => symbol.split('-')));
  const assets = [
    ...Object.keys(account.balances),
    ...Object.keys(account.spot ?? {}),
    ...traded.flatMap(([base, quote, suffix]) => (suffix === undefined ? [base!, quote!] : [quote!])),
  ];
  return new Map(
    assets.flatMap((asset): [string, string][] => {
      const symbol = asset === currency ? undefined : conversionSymbol(asset, currency, symbols);
      return symbol === undefined ? [] : [[asset, symbol]];
    }),
  );
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
