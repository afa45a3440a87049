import type { BarPlan } from '../../engine/bar-maker.ts';
import { isQueueRule } from '../../matching/settings.ts';
import type { BarInterval } from '../../model/bar-interval.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type MarketEventKind, PRICE_EVENT_KINDS, type PriceEventKind } from '../../model/market-events.ts';
import { parseInterval } from '../../model/time.ts';
import type { SeriesMeta } from '../../recording/columns/series-meta.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import { accountCurrency, conversions } from '../config/account-settings.ts';
import type { Config } from '../config/schema/schema.ts';
import { type Fed, overlaps, type Period, rangeText } from './planned-period.ts';
import { type FeedNeeds, type FuturesEventKind, type HasData, receivedSymbols } from './planned-strategies.ts';
import { kindText, type RecordedData } from './recorded-data.ts';
import { capabilitiesOf } from './run-plans.ts';

interface PriceFeed {
  /** The kinds of prices for matching and strategies. */
  readonly kinds: readonly PriceEventKind[];
  /** The kinds that are recorded for all traded symbols too, that the run could use, and does not. */
  readonly unused: readonly PriceEventKind[];
  /** In the declared order of kinds, then of instruments. */
  readonly fed: readonly Fed[];
}

/**
 * Chooses the recorded prices of the run. Traded instruments need every kind in use. Instruments that only convert an asset into the
 * account's currency, references, and others with data, use whichever of these kinds is recorded.
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
      `no recorded ${kinds.join('s and ')}s of ${symbol}, whose price converts ${asset} into ${accountCurrency(config)}; the recordings have: ${data.names}`,
    );
  }
  for (const { symbol, isReference } of instruments) {
    if (!isReference || kinds.some((kind) => data.has(symbol, kind))) continue;
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `no recorded ${kinds.join('s and ')}s of ${symbol}, which is a reference of a strategy; the recordings have: ${data.names}`,
    );
  }
  const isUnused = (kind: PriceEventKind) => !kinds.includes(kind) && [...traded].every((symbol) => data.has(symbol, kind));
  const unused = use === undefined ? allowed.filter(isPrice).filter(isUnused) : [];
  return { kinds, unused, fed };
}

function isPrice(kind: MarketEventKind): kind is PriceEventKind {
  return (PRICE_EVENT_KINDS as readonly MarketEventKind[]).includes(kind);
}

/** Kinds of prices, the one that shows most of the market first. */
const RICHEST_FIRST: readonly PriceEventKind[] = ['depth', 'quote', 'trade', 'ticker', 'bar'];

/** A kind covers a run if it has at least this share of the run's length. */
const COVERS = 0.99;

/** The recorded kinds that cover nearly the whole run, for each symbol. @param to epoch ms, like the times of the period. */
export function coveringKinds(
  kinds: readonly PriceEventKind[],
  symbols: readonly string[],
  data: RecordedData,
  { firstPrice, lastPrice }: Period,
  to: number,
): PriceEventKind[] {
  const end = Math.min(lastPrice, to);
  const covers = ({ firstTime, lastTime }: SeriesMeta) =>
    Math.min(lastTime, end) - Math.max(firstTime, firstPrice) >= COVERS * (end - firstPrice);
  return kinds.filter((kind) => symbols.every((symbol) => covers(data.find(symbol, kind, []).meta)));
}

/** A warning if the run has chosen poorer prices than are recorded, and neither the config nor a strategy has named the kind. */
export function poorerPrices(
  { kinds, unused }: Pick<PriceFeed, 'kinds' | 'unused'>,
  needs: readonly FeedNeeds[],
  limit: unknown,
): string[] {
  const rank = (kind: PriceEventKind) => RICHEST_FIRST.indexOf(kind);
  const used = Math.min(...kinds.map(rank));
  const richer = unused.filter((kind) => rank(kind) < used).toSorted((a, b) => rank(a) - rank(b));
  const isNamed = needs.some((need) => need.kinds.some((kind) => kind !== 'bar'));
  // Strategies of bars take recorded bars on purpose. A queue is longer or shorter with each kind.
  const isMeant = isNamed || kinds.includes('bar');
  if (richer.length === 0 || (isMeant && !isQueueRule(limit))) return [];
  const what = isQueueRule(limit) ? 'queues' : 'fills';
  const closer = richer.map(kindText).join(' and ');
  const setting = `backtest.use: [${[richer[0], ...kinds.filter((kind) => kind !== 'bar')].join(', ')}]`;
  return [
    `the run uses ${kinds.map(kindText).join(' and ')}; ${closer} ${closer === 'depth' ? 'is' : 'are'} recorded too, and ${what} would be closer to the market with ${closer === 'depth' ? 'it' : 'them'} (${setting})`,
  ];
}

/** Whether a backtest has the data of a choice of needs: in its recordings, its profile and its `backtest.use`. */
export function recordedNeeds({ backtest, account }: Config, open: () => Promise<RecordedData>): HasData {
  const { use: stated, observation, profile, futures } = backtest;
  const allowed = capabilitiesOf(profile).marketData;
  const use = observation === 'polled' ? ['ticker'] : stated === undefined ? undefined : [stated].flat();
  return async ({ symbols, references = [], kinds, futuresKinds }) => {
    const data = await open();
    const has = (kind: PriceEventKind) =>
      allowed.includes(kind) && (use === undefined || use.includes(kind)) && symbols.every((symbol) => data.has(symbol, kind));
    const contracts = account.kind === 'futures' ? symbols.filter(isPerpetual) : [];
    const perpetuals = references.filter(isPerpetual);
    const hasOfFutures = (kind: FuturesEventKind) =>
      contracts.length === 0 && perpetuals.length > 0
        ? perpetuals.some((symbol) => data.has(symbol, kind))
        : account.kind === 'futures' &&
          contracts.every((symbol) => data.has(symbol, kind) || (kind === 'funding' && typeof futures?.funding === 'object'));
    return kinds.every((kind) => has(kind) || (kind === 'bar' && (has('trade') || has('ticker')))) && futuresKinds.every(hasOfFutures);
  };
}

/** The bar intervals that strategies need of an instrument. */
function intervalsOf({ symbol }: Instrument, needs: readonly FeedNeeds[]): BarInterval[] {
  return [...new Set(needs.filter((need) => receivedSymbols(need).includes(symbol)).flatMap(({ intervals }) => intervals))];
}

function isPerpetual(symbol: string): boolean {
  return symbol.endsWith('-PERP');
}

/**
 * Chooses the recorded kinds for matching and strategies: those of the config; else bars, if the strategies need only bars and these are
 * recorded; else the kinds that the strategies need, with trades or tickers for bars.
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
    throw new TidegateError('CONFIG_INVALID', 'backtest.use: remove `bar`: with quotes, trades or tickers, bars are built from those');
  }
  const prices = PRICE_EVENT_KINDS.filter((kind) => allowed.includes(kind));
  for (const kind of kinds) {
    if (allowed.includes(kind)) continue;
    throw new TidegateError(
      'VENUE_CANNOT',
      `the exchange's profile has no ${kind}s, only ${prices.join('s and ')}s: use those, or set backtest.profile to full`,
    );
  }
  for (const { id, kinds: own } of needs) {
    const missing = own.filter(
      (kind) => !kinds.includes(kind) && !(kind === 'bar' && (kinds.includes('ticker') || kinds.includes('trade'))),
    );
    if (missing.length === 0) continue;
    throw new TidegateError(
      'CONFIG_INVALID',
      `strategy "${id}" needs ${missing.join(' and ')}s, but the run uses ${kinds.join(' and ')}s (backtest.use)`,
    );
  }
  return kinds;
}

function derived(needs: readonly FeedNeeds[], recorded: (kind: PriceEventKind) => boolean): PriceEventKind[] {
  const asked = new Set(needs.flatMap(({ kinds }) => kinds));
  const richer = (['depth', 'quote', 'trade', 'ticker'] as const).filter((kind) => asked.has(kind));
  if (richer.length > 0) {
    // Bars cannot be built from quotes, so trades or else tickers are added.
    // Depth alone does not show which orders of a queue were filled; trades do.
    if (asked.has('depth') && !asked.has('trade') && recorded('trade')) richer.push('trade');
    const bars = asked.has('bar') && !richer.includes('trade') && !asked.has('ticker');
    return bars ? [...richer, recorded('trade') ? 'trade' : 'ticker'] : richer;
  }
  if (recorded('bar')) return ['bar'];
  return recorded('trade') ? ['trade'] : ['ticker'];
}

/** The bars that the engine builds: needed ones that are not recorded, from trades or else tickers if the run uses these. */
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

interface FuturesFeed {
  /** Recorded marks, then recorded funding, each in the order of the instruments. */
  readonly fed: readonly Fed[];
  /** Constant funding by symbol, if the config sets it. */
  readonly constant: ReadonlyMap<string, ConstantFunding>;
  readonly warnings: readonly string[];
}

/**
 * Chooses the marks and the funding of the perpetuals that strategies trade in a futures account, and of those that are references in any
 * account: recorded ones if there are any, unless the config sets something else.
 * @throws TidegateError DATA_NOT_FOUND, or CONFIG_INVALID if a strategy needs data that the run does not have.
 */
export function futuresFeed(
  config: Config,
  instruments: readonly Instrument[],
  needs: readonly FeedNeeds[],
  data: RecordedData,
  period: Period,
): FuturesFeed {
  const { futures, to = Number.POSITIVE_INFINITY } = config.backtest;
  const { funding, marks } = futures ?? {};
  const contracts =
    futures === undefined
      ? []
      : instruments.filter(({ kind, symbol }) => kind === 'futures' && needs.some(({ symbols }) => symbols.includes(symbol)));
  const followed = instruments.filter((one) => contracts.includes(one) || (one.kind === 'futures' && one.isReference));
  const end = Math.min(to, period.lastPrice);
  const warnings: string[] = [];
  const references = followed.filter(({ isReference }) => isReference);
  const recorded = (kind: FuturesEventKind, stated: boolean, among = followed): Fed[] =>
    among
      .filter(({ symbol, isReference }) => (stated && !isReference) || data.has(symbol, kind))
      .map((instrument) => ({ instrument, kind, series: data.find(instrument.symbol, kind, []) }));
  const fed = [
    ...(marks === 'last' ? [] : recorded('mark', marks === 'recorded')),
    ...(funding === 'none' ? [] : recorded('funding', funding === 'recorded', typeof funding === 'object' ? references : followed)),
  ];
  if (marks !== 'last') warnings.push(...coverage('mark', contracts, fed, period.from, end));
  if (funding === undefined || funding === 'recorded') warnings.push(...coverage('funding', contracts, fed, period.from, end));
  const constant = new Map(typeof funding === 'object' ? contracts.map(({ symbol }) => [symbol, constantFunding(funding)]) : []);
  requireFuturesNeeds(
    config,
    needs,
    (symbol, kind) =>
      fed.some((one) => one.kind === kind && one.instrument.symbol === symbol) || (kind === 'funding' && constant.has(symbol)),
  );
  return { fed, constant, warnings };
}

function constantFunding({ rate, every }: { readonly rate: string; readonly every: string }): ConstantFunding {
  return { rate: new Decimal(rate), everyMs: parseInterval(every)! };
}

/** The assumption without recorded marks or funding. */
const WITHOUT: Readonly<Record<FuturesEventKind, string>> = {
  mark: 'margin and funding use the last price',
  funding: 'no funding is charged (import it, or set backtest.futures.funding)',
};

const DAY_MS = 86_400_000;

/** Warnings if a kind is recorded for no part or only for a part of the run. */
function coverage(kind: FuturesEventKind, contracts: readonly Instrument[], fed: readonly Fed[], from: number, end: number): string[] {
  return contracts.flatMap((instrument) => {
    const series = fed.find((one) => one.kind === kind && one.instrument === instrument)?.series;
    const what = `${instrument.symbol}: ${kindText(kind)}`;
    if (series === undefined) return [`${what} not recorded: ${WITHOUT[kind]}`];
    if (!overlaps(series, from, end)) return [`${what} recorded only outside the run (${rangeText(series)}): ${WITHOUT[kind]}`];
    const { firstTime, lastTime } = series.meta;
    return firstTime > from + DAY_MS || lastTime < end - DAY_MS
      ? [`${what} recorded only for a part of the run (${rangeText(series)})`]
      : [];
  });
}

const SETTING = { mark: 'marks', funding: 'funding' } as const satisfies Record<FuturesEventKind, string>;
const OFF: Readonly<Record<FuturesEventKind, string>> = { mark: 'last', funding: 'none' };
const REMEDY: Readonly<Record<FuturesEventKind, string>> = {
  mark: 'import marks (`tidegate data import` with `--kind mark`)',
  funding: 'import funding (`tidegate data import` with `--kind funding`), or set backtest.futures.funding to a constant rate',
};

/**
 * Refuses a run in which a strategy needs marks or funding that the run does not have.
 * @throws TidegateError CONFIG_INVALID, DATA_NOT_FOUND.
 */
function requireFuturesNeeds(
  { account, backtest }: Config,
  needs: readonly FeedNeeds[],
  has: (symbol: string, kind: FuturesEventKind) => boolean,
): void {
  for (const { id, symbols, references = [], futuresKinds } of needs) {
    for (const kind of futuresKinds) {
      const text = `strategy "${id}" needs ${kindText(kind)}`;
      const contracts = account.kind === 'futures' ? symbols.filter(isPerpetual) : [];
      const perpetuals = references.filter(isPerpetual);
      if (contracts.length === 0 && perpetuals.some((symbol) => has(symbol, kind))) continue;
      if (account.kind !== 'futures' && perpetuals.length === 0)
        throw new TidegateError('CONFIG_INVALID', `${text}, which a ${account.kind} account does not receive: set account.kind to futures`);
      const owed = contracts.length > 0 ? contracts : perpetuals;
      if (owed.length === 0) throw new TidegateError('CONFIG_INVALID', `${text}, but trades no futures instrument (-PERP)`);
      const missing = owed.find((symbol) => !has(symbol, kind));
      if (missing === undefined) continue;
      if (backtest.futures?.[SETTING[kind]] === OFF[kind])
        throw new TidegateError('CONFIG_INVALID', `${text}, but backtest.futures.${SETTING[kind]} is ${OFF[kind]}`);
      throw new TidegateError('DATA_NOT_FOUND', `${text}, but ${missing} has no recorded ${kindText(kind)}: ${REMEDY[kind]}`);
    }
  }
}
