import type { BarPlan } from '../../engine/bar-maker.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type MarketEventKind, PRICE_EVENT_KINDS, type PriceEventKind } from '../../model/market-events.ts';
import { isoTime, parseInterval } from '../../model/time.ts';
import type { ConstantFunding } from '../../venues/simulated/sources.ts';
import { accountCurrency, conversionSymbol } from '../config/account-settings.ts';
import type { Config } from '../config/schema/schema.ts';
import { historyComplete, type WantedBars } from './planned-history.ts';
import type { FeedNeeds, FuturesEventKind } from './planned-strategies.ts';
import { kindText, type RecordedData, type RecordedSeries } from './recorded-data.ts';

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

/** When a run begins, and when its last price is known, both in epoch ms. */
interface Period {
  readonly from: number;
  readonly lastPrice: number;
}

/**
 * The period of a run over these prices. Without `from`, it begins where every strategy's history is complete. A `from` inside a
 * recorded bar counts from that bar's end, where history is wanted: else the bar would be neither in the history nor in the run.
 * @param wanted the bars from before the start.
 * @throws TidegateError DATA_NOT_FOUND where some price has nothing in it.
 */
export function plannedPeriod({ backtest }: Config, wanted: readonly WantedBars[], data: RecordedData, fed: readonly Fed[]): Period {
  const begins = backtest.from ?? earliest(backtest, wanted, data, fed);
  const from = fed
    .filter(({ instrument, kind }) => kind === 'bar' && wanted.some((one) => one.instrument === instrument))
    .reduce(atOpen, begins);
  const lacking =
    fed.find(({ series }) => !overlaps(series, from, backtest.to)) ??
    (fed.some((one) => feeds(one, from, backtest.to)) ? undefined : fed[0]);
  if (lacking !== undefined) throw nothingOf(lacking, from, backtest);
  return { from, lastPrice: Math.max(...fed.map(({ series: { meta } }) => meta.lastTime + (meta.intervalMs ?? 0))) };
}

/** Where a run without `from` begins: with the first price, or once all prices are there and the history is complete. */
function earliest({ warmup, to }: Config['backtest'], wanted: readonly WantedBars[], data: RecordedData, fed: readonly Fed[]): number {
  const firsts = fed.map(({ series }) => series.meta.firstTime);
  if (warmup === 'cold' || wanted.length === 0) return Math.min(...firsts);
  return Math.max(...firsts, historyComplete(wanted, data, to ?? Number.POSITIVE_INFINITY));
}

/** The first open of a recorded bar at or after `time`. */
function atOpen(time: number, { series: { meta } }: Fed): number {
  const { firstTime, intervalMs = 0 } = meta;
  if (intervalMs === 0 || firstTime >= time) return time;
  return firstTime + Math.ceil((time - firstTime) / intervalMs) * intervalMs;
}

/** Whether some of a series lies in [from, to) whole: of bars those that are over by then. */
function feeds({ series: { meta } }: Fed, from: number, to = Number.POSITIVE_INFINITY): boolean {
  return Math.max(from, meta.firstTime) + (meta.intervalMs ?? 0) <= to;
}

function nothingOf({ instrument, kind, series }: Fed, from: number, { from: asked, to }: Config['backtest']): TidegateError {
  const bounds = [
    asked === undefined ? `${isoTime(from)} (when the history that strategies need is complete)` : 'backtest.from',
    to === undefined ? 'the end of the recording' : 'backtest.to',
  ];
  const between = asked === undefined && from <= series.meta.firstTime ? 'before backtest.to' : `between ${bounds.join(' and ')}`;
  return new TidegateError(
    'DATA_NOT_FOUND',
    `no ${kindText(kind)} of ${instrument.symbol} ${between}: the recording has ${rangeText(series)}`,
  );
}

const DAY_MS = 86_400_000;

/** Warnings about the prices that a reader of the result should know. */
export function priceWarnings({ backtest }: Config, fed: readonly Fed[], { lastPrice }: Period): string[] {
  const first = Math.max(...fed.map(({ series }) => series.meta.firstTime));
  const last = Math.min(...fed.map(({ series }) => series.meta.lastTime));
  const warnings: string[] = [];
  if (backtest.from !== undefined && backtest.from < first) warnings.push(`the data begins at ${isoTime(first)}, after backtest.from`);
  if (backtest.to !== undefined && Number.isFinite(last) && backtest.to > last + DAY_MS)
    warnings.push(`the data ends at ${isoTime(last)}, before backtest.to`);
  const end = Math.min(lastPrice, backtest.to ?? lastPrice);
  for (const { kind, series } of fed) {
    const { symbol, synthetic, lastTime, intervalMs = 0 } = series.meta;
    const known = lastTime + intervalMs;
    if (known < end - DAY_MS) warnings.push(`${symbol}: its ${kind}s end at ${isoTime(known)}, long before the run does`);
    if (synthetic !== undefined)
      warnings.push(`${symbol}: recording "${series.recording}" is synthetic: its results say nothing of a market`);
  }
  return warnings;
}

interface FuturesFeed {
  /** Recorded marks, then recorded funding, each in the order of the instruments. */
  readonly fed: readonly Fed[];
  /** Constant funding by symbol, where the config says so. */
  readonly constant: ReadonlyMap<string, ConstantFunding>;
  readonly warnings: readonly string[];
}

/**
 * The marks and the funding of the perpetuals that strategies trade in a futures account: recorded where they are,
 * unless the config says otherwise.
 * @throws TidegateError DATA_NOT_FOUND, or CONFIG_INVALID where a strategy asks for what the run does not have.
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
  const end = Math.min(to, period.lastPrice);
  const warnings: string[] = [];
  const recorded = (kind: FuturesEventKind, stated: boolean): Fed[] =>
    contracts
      .filter(({ symbol }) => stated || data.has(symbol, kind))
      .map((instrument) => ({ instrument, kind, series: data.find(instrument.symbol, kind, []) }));
  const fed = [
    ...(marks === 'last' ? [] : recorded('mark', marks === 'recorded')),
    ...(funding === 'none' || typeof funding === 'object' ? [] : recorded('funding', funding === 'recorded')),
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

/** What a perpetual goes without, where nothing is recorded. */
const WITHOUT: Readonly<Record<FuturesEventKind, string>> = {
  mark: 'margin and funding go by the last price',
  funding: 'none is charged (import it, or set backtest.futures.funding)',
};

/** Where the run has less than all of a recorded kind. */
function coverage(kind: FuturesEventKind, contracts: readonly Instrument[], fed: readonly Fed[], from: number, end: number): string[] {
  return contracts.flatMap((instrument) => {
    const series = fed.find((one) => one.kind === kind && one.instrument === instrument)?.series;
    const what = `${instrument.symbol}: ${kindText(kind)}`;
    if (series === undefined) return [`${what} not recorded: ${WITHOUT[kind]}`];
    if (!overlaps(series, from, end)) return [`${what} recorded only outside the run, ${rangeText(series)}: ${WITHOUT[kind]}`];
    const { firstTime, lastTime } = series.meta;
    return firstTime > from + DAY_MS || lastTime < end - DAY_MS ? [`${what} recorded only in a part of the run, ${rangeText(series)}`] : [];
  });
}

/** Whether a series has anything in [from, to). */
function overlaps({ meta }: Fed['series'], from: number, to = Number.POSITIVE_INFINITY): boolean {
  return meta.lastTime >= from && meta.firstTime < to;
}

function rangeText({ meta }: Fed['series']): string {
  return `${isoTime(meta.firstTime)} to ${isoTime(meta.lastTime)}`;
}

const SETTING = { mark: 'marks', funding: 'funding' } as const satisfies Record<FuturesEventKind, string>;
const OFF: Readonly<Record<FuturesEventKind, string>> = { mark: 'last', funding: 'none' };
const REMEDY: Readonly<Record<FuturesEventKind, string>> = {
  mark: 'import marks (`tidegate data import` with `--kind mark`)',
  funding: 'import funding (`tidegate data import` with `--kind funding`), or set backtest.futures.funding to a constant rate',
};

/**
 * Refuses a run in which a strategy would wait in vain for marks or funding of a perpetual that it trades.
 * @throws TidegateError CONFIG_INVALID, DATA_NOT_FOUND.
 */
function requireFuturesNeeds(
  { account, backtest }: Config,
  needs: readonly FeedNeeds[],
  has: (symbol: string, kind: FuturesEventKind) => boolean,
): void {
  for (const { id, symbols, futuresKinds } of needs) {
    for (const kind of futuresKinds) {
      const text = `strategy "${id}" needs ${kindText(kind)}`;
      const contracts = symbols.filter((symbol) => symbol.endsWith('-PERP'));
      if (account.kind !== 'futures')
        throw new TidegateError('CONFIG_INVALID', `${text}, which a ${account.kind} account is not told: use account.kind futures`);
      if (contracts.length === 0) throw new TidegateError('CONFIG_INVALID', `${text}, but trades no futures instrument (-PERP)`);
      const missing = contracts.find((symbol) => !has(symbol, kind));
      if (missing === undefined) continue;
      if (backtest.futures?.[SETTING[kind]] === OFF[kind])
        throw new TidegateError('CONFIG_INVALID', `${text}, but backtest.futures.${SETTING[kind]} is ${OFF[kind]}`);
      throw new TidegateError('DATA_NOT_FOUND', `${text}, but none of ${missing} is recorded: ${REMEDY[kind]}`);
    }
  }
}
