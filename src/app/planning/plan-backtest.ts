import type { BarPlan, PricesBefore } from '../../engine/bar-maker.ts';
import { OPERATION_TABLE } from '../../exchange/operations/operation-table.ts';
import { LIMITS } from '../../local-exchange/http/request-limits.ts';
import { type FillSettings, isQueueRule, type SlippageModel } from '../../matching/settings.ts';
import { BarBuilder } from '../../model/bar-builder.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { PriceEventKind } from '../../model/market-events.ts';
import type { Log } from '../../ports/log.ts';
import { FUNDING_JITTER_MS } from '../../recording/funding-time.ts';
import { REST_DEFAULTS } from '../../venues/rest/trading.ts';
import type { PollSettings } from '../../venues/simulated/polled/observed.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { RequestLimits } from '../../venues/simulated/request-pacer.ts';
import type { SeriesSource } from '../../venues/simulated/row-source.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema/schema.ts';
import { amounts, plannedAccount, plannedFutures, plannedInstruments } from './planned-account.ts';
import { builtBars, type Fed, futuresFeed, plannedPeriod, priceFeed, priceWarnings } from './planned-feeds.ts';
import { historyReader, historySeriesOf, PastRows, requireHistory, wantedBars } from './planned-history.ts';
import { plannedLatency } from './planned-latency.ts';
import { plannedStrategies, type StrategyCode } from './planned-strategies.ts';
import { DataJudge, kindText, RecordedData, type RecordedSeries } from './recorded-data.ts';
import { riskLimits } from './risk-limits.ts';
import { type BacktestPlan, capabilitiesOf, DETECT_SHARE, type PlannedSource } from './run-plans.ts';

export interface PlannedRun {
  readonly plan: BacktestPlan;
  /** The series that feed the run. */
  readonly series: readonly RecordedSeries[];
  /** Those that bars before its start are read from. */
  readonly historySeries: readonly RecordedSeries[];
  readonly code: readonly StrategyCode[];
  /** The config as it took effect, parameters of strategies included, as YAML without secrets. */
  readonly configText: string;
  readonly warnings: readonly string[];
  /** What the run found in its data: to be called once, after it. */
  readonly dataWarnings: () => readonly string[];
  /** The shortest bar that strategies decide on, in ms; undefined where none needs bars. */
  readonly barMs: number | undefined;
}

/**
 * From a checked config to a plan: strategies loaded, data found, what cannot work refused.
 * @param datedTicks symbols whose tick stands beside the recording, for the time of the run.
 * @throws TidegateError naming the place and what was expected.
 */
export async function planBacktest(
  loaded: LoadedConfig,
  log: Log,
  monitor?: ReplayMonitor,
  datedTicks?: ReadonlySet<string>,
): Promise<PlannedRun> {
  const { config } = loaded;
  const { backtest, account } = config;
  const { strategies, needs, code, params } = await plannedStrategies(loaded);
  const instruments = plannedInstruments(config);
  const symbols = instruments.map(({ symbol }) => symbol);
  const data = await RecordedData.open(config.dataDir, backtest.data, symbols, datedTicks);
  const prices = priceFeed(config, instruments, needs, data, capabilitiesOf(backtest.profile).marketData);
  requireFillData(backtest.fills, prices.kinds);
  requireSlippageData(backtest.fills, prices.kinds);
  const period = plannedPeriod(config, wantedBars(needs, instruments), data, prices.fed);
  const futures = futuresFeed(config, instruments, needs, data, period);
  const { history, missing } = historyReader(needs, instruments, data, period.from);
  requireHistory(missing, backtest.warmup);
  const fed = [...prices.fed, ...futures.fed];
  const built = builtBars(prices, instruments, needs, backtest.barGraceMs);
  // A poller knows nothing from before its start.
  const bars = backtest.observation === 'polled' ? built : { ...built, before: pricesBefore(built, prices.fed, data, period.from) };
  const lastTime = backtest.to ?? Math.max(...prices.fed.map(({ series }) => series.meta.lastTime));
  const { latency, warnings: latencyWarnings } = plannedLatency(backtest.latency, period.from, lastTime);
  const judge = new DataJudge(backtest.to ?? Number.POSITIVE_INFINITY);
  const plan: BacktestPlan = {
    name: config.name,
    instruments,
    account: plannedAccount(config),
    balances: amounts(account.balances),
    spotBalances: amounts(account.spot),
    strategies,
    limits: riskLimits(config.risk),
    fills: fillSettings(backtest.fills),
    exitsWaitForNextBar: backtest.fills.exits === 'nextBar' && fed.some(({ kind }) => kind === 'bar'),
    latency,
    requestLimits: requestLimits(backtest.limits),
    polled: backtest.observation === 'polled' ? pollSettings(backtest.pollMs) : undefined,
    profile: backtest.profile,
    marketBuyCollar: new Decimal(backtest.marketBuyCollar),
    triggerTimeoutMs: backtest.triggerTimeoutMs,
    futures: plannedFutures(backtest, futures.constant),
    closeAtEnd: backtest.atEnd === 'close',
    sources: fed.map(({ instrument, kind, series }): PlannedSource => {
      // A funding that is due at `from` may bear a stamp just before it; a book is made from its beginning.
      const from = kind === 'depth' ? Number.NEGATIVE_INFINITY : kind === 'funding' ? period.from - FUNDING_JITTER_MS : period.from;
      return { instrument, kind, open: () => judge.watch(series, data.open(series, instrument, from, backtest.to), from) };
    }),
    from: period.from,
    to: backtest.to ?? Number.POSITIVE_INFINITY,
    bars,
    history,
    log,
    monitor,
  };
  const warnings = [...priceWarnings(config, prices.fed, period), ...futures.warnings, ...latencyWarnings, ...missing];
  const intervals = needs.flatMap((need) => need.intervals);
  const barMs = intervals.length === 0 ? undefined : Math.min(...intervals);
  const historySeries = historySeriesOf(needs, instruments, data);
  return {
    plan,
    series: fed.map(({ series }) => series),
    historySeries,
    code,
    configText: loaded.textWith(params),
    warnings,
    dataWarnings: () => judge.warnings(),
    barMs,
  };
}

/** Fractions are text in the config, as all decimals are; the share of a volume is a plain number, as volumes are. */
function fillSettings({ exits: _, barVolumeShare, ...rest }: Config['backtest']['fills']): FillSettings {
  return { ...rest, barVolumeShare: barVolumeShare === undefined ? undefined : Number(barVolumeShare) };
}

/** Kinds that tell what stands in a queue, or what goes of it. */
const QUEUE_KINDS: readonly PriceEventKind[] = ['depth', 'quote', 'trade'];

/** @throws TidegateError CONFIG_INVALID where the data that feeds the run cannot serve a rule by which orders fill. */
export function requireFillData({ limit, restingBy }: Config['backtest']['fills'], kinds: readonly PriceEventKind[]): void {
  const fed = kinds.map(kindText).join(' and ');
  const refuse = (path: string, expected: string) => {
    throw new TidegateError('CONFIG_INVALID', `backtest.fills.${path}: ${expected}, but the run is fed by ${fed} (backtest.use)`);
  };
  if (isQueueRule(limit) && !kinds.some((kind) => QUEUE_KINDS.includes(kind))) refuse('limit', 'a queue needs depth, quotes or trades');
  if (restingBy === 'trades' && !kinds.includes('trade')) refuse('restingBy', '"trades" needs trades');
}

type Model = SlippageModel extends infer One ? (One extends SlippageModel ? keyof One : never) : never;

/** Kinds of price from which a model knows what it needs, and what that is. */
const NEEDS: Readonly<Record<Model, { readonly kinds: readonly PriceEventKind[]; readonly what: string }>> = {
  spread: { kinds: ['quote'], what: 'a spread, which quotes tell, or `halfSpreadTicks` above 0' },
  volumeShare: { kinds: ['bar'], what: 'the volume of bars' },
  squareRoot: { kinds: ['bar', 'trade'], what: 'volumes, which bars and trades tell' },
};

/**
 * Slippage is modelled where no book tells what an order costs.
 * @throws TidegateError CONFIG_INVALID where the prices of a run do not tell what the model needs, or tell the book itself.
 */
export function requireSlippageData({ slippage, halfSpreadTicks }: Config['backtest']['fills'], kinds: readonly PriceEventKind[]): void {
  if (slippage === undefined) return;
  const [model] = Object.keys(slippage) as [Model];
  const where = `backtest.fills.slippage.${model}`;
  if (kinds.includes('depth'))
    throw new TidegateError('CONFIG_INVALID', `${where}: takers walk the levels of a recorded book: leave it out`);
  const { kinds: serving, what } = NEEDS[model];
  if (serving.some((kind) => kinds.includes(kind)) || (model === 'spread' && halfSpreadTicks > 0)) return;
  throw new TidegateError('CONFIG_INVALID', `${where}: needs ${what}, and the run is fed by ${kinds.join(' and ')} data`);
}

/** A poller that looks every so many ms, and otherwise as a bot does by default. */
export function pollSettings(pollMs: number): PollSettings {
  const { lookupMs, lookupMinMs, lookupMaxMs, visibilityLagMs } = REST_DEFAULTS;
  return { pollMs, detectMs: pollMs * DETECT_SHARE, lookupMs, lookupMinMs, lookupMaxMs, visibilityLagMs };
}

/** What requests of a backtest wait for, at the weights of the exchange's operations; undefined where nothing limits them. */
export function requestLimits(limits: Config['backtest']['limits']): RequestLimits | undefined {
  if (limits === 'none') return undefined;
  const { batchOrders, cancelOrder, triggerOrder, cancelFuturesOrder } = OPERATION_TABLE;
  const costs = {
    spotOrders: batchOrders.weight,
    spotCancel: cancelOrder.weight,
    futuresOrder: triggerOrder.weight,
    futuresCancel: cancelFuturesOrder.weight,
  };
  return { ...(limits === 'exchange' ? LIMITS : limits), costs };
}

/**
 * What is recorded from before the start of the prices that bars are built from, by instrument index, so that the bars under way
 * at the start are built whole.
 * @param start epoch ms.
 */
function pricesBefore(plan: BarPlan, fed: readonly Fed[], data: RecordedData, start: number): BarPlan['before'] {
  return plan.intervals.map((intervals, index) => {
    const own = fed.find(({ instrument, kind }) => instrument.index === index && kind === plan.from);
    if (own === undefined || own.series.meta.firstTime >= start) return undefined;
    return before(own, plan.from, intervals, data, start);
  });
}

function before(own: Fed, kind: BarPlan['from'], intervals: readonly number[], data: RecordedData, start: number): PricesBefore {
  const { instrument, series } = own;
  const { firstTime } = series.meta;
  const builders = intervals.filter((interval) => start % interval !== 0).map((interval) => new BarBuilder(instrument, interval));
  if (builders.length === 0) return { firstTime, begun: [] };
  const beginnings = builders.map(({ intervalMs }) => Math.floor(start / intervalMs) * intervalMs);
  const source = data.open(series, instrument, Math.min(...beginnings), start);
  const rows = new PastRows(source, Math.min(...beginnings), start, kind === 'bar' ? [0, 1, 2, 3] : [0], kind === 'trade' ? [1] : []);
  for (; rows.time < Number.POSITIVE_INFINITY; rows.next()) {
    const { time } = rows;
    const [open, high, low, close, volume] = rangeOf(kind, rows.values(), source, instrument);
    builders.forEach((builder, index) => {
      if (time >= beginnings[index]!) builder.addRange(time, open, high, low, close, volume, 0);
    });
  }
  return { firstTime, begun: builders.filter(({ endTime }) => endTime < Number.POSITIVE_INFINITY).map((builder) => builder.closeBar()) };
}

/** Open, high, low and close in ticks, and the volume in base units, as events have them. */
function rangeOf(
  kind: BarPlan['from'],
  values: readonly number[],
  { quantityDecimals }: SeriesSource,
  { step }: Instrument,
): [number, number, number, number, number] {
  const [first = 0, second = 0, low = 0, close = 0, volume = 0] = values;
  if (kind === 'bar') return [first, second, low, close, volume / 10 ** quantityDecimals];
  return [first, first, first, first, kind === 'trade' ? step.toNumber(second) : 0];
}
