import type { BarPlan, PricesBefore } from '../../engine/bar-maker.ts';
import { OPERATION_TABLE } from '../../exchange/operations/operation-table.ts';
import { LIMITS } from '../../local-exchange/http/request-limits.ts';
import { isQueueRule, type SlippageSettings } from '../../matching/settings.ts';
import { BarBuilder } from '../../model/bar-builder.ts';
import { type BarInterval, barStart, longestBarMs } from '../../model/bar-interval.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind, PriceEventKind } from '../../model/market-events.ts';
import type { Log } from '../../ports/log.ts';
import { FUNDING_JITTER_MS } from '../../recording/funding-time.ts';
import { RECONCILE_DEFAULTS } from '../../venues/reconcile/settings.ts';
import type { PollSettings } from '../../venues/simulated/polled/polled-half.ts';
import type { ReplayMonitor } from '../../venues/simulated/replay.ts';
import type { RequestLimits } from '../../venues/simulated/request-pacer.ts';
import { MICROSECOND_MS, type SeriesSource } from '../../venues/simulated/row-source.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { namingFolders } from '../config/reading/data-folder.ts';
import { placed } from '../config/reading/problems.ts';
import type { ConfigPath } from '../config/reading/tree.ts';
import type { Config } from '../config/schema/schema.ts';
import { fillSettings, type ModelCode, modelWarnings, ownModels } from './own-models.ts';
import { amounts, plannedAccount, plannedFutures, plannedInstruments } from './planned-account.ts';
import { builtBars, coveringKinds, futuresFeed, poorerPrices, priceFeed, recordedNeeds } from './planned-feeds.ts';
import { historyReader, historySeriesOf, PastRows, requireHistory, wantedBars } from './planned-history.ts';
import { plannedLatency } from './planned-latency.ts';
import { type Fed, type Period, plannedPeriod, priceWarnings } from './planned-period.ts';
import { plannedSignals, signalWarnings } from './planned-signals.ts';
import { choiceText, joining, plannedStrategies, receivedSymbols, referenceTexts, type StrategyCode } from './planned-strategies.ts';
import { implausible } from './plausible.ts';
import { DataJudge, kindText, RecordedData, type RecordedSeries } from './recorded-data.ts';
import { riskLimits } from './risk-limits.ts';
import { type BacktestPlan, capabilitiesOf, DETECT_SHARE, type PlannedSource } from './run-plans.ts';

/** A plan with all other data about the run that a command needs. */
export interface PlannedRun {
  readonly plan: BacktestPlan;
  /** The series that feed the run. */
  readonly series: readonly RecordedSeries[];
  /** The series from which bars before the start are read. */
  readonly historySeries: readonly RecordedSeries[];
  readonly code: readonly StrategyCode[];
  /** The code of the user's models of the simulator. */
  readonly models: readonly ModelCode[];
  /** The effective config, with the parameters of strategies, as YAML without secrets. */
  readonly configText: string;
  readonly warnings: readonly string[];
  /** Warnings about the data that the run has read: to be called once, after the run. */
  readonly dataWarnings: () => readonly string[];
  /** The kinds of prices that the run uses. */
  readonly prices: readonly PriceEventKind[];
  /** The needs that were chosen, a line for each strategy whose class leaves a choice; and what each gets of its references. */
  readonly choices: readonly string[];
  /** The length of the shortest bars that a strategy needs, in ms; undefined if none needs bars. */
  readonly barMs: number | undefined;
}

/**
 * Makes a plan from a checked config: loads the strategies, finds the data, and refuses combinations that cannot work.
 * @param datedTicks symbols whose tick comes from the recording's terms at the time of the run.
 * @param inMemory the data, instead of the recordings of the config.
 * @param opens opens the recordings.
 * @throws TidegateError with the place and the expected value.
 */
export async function planBacktest(
  loaded: LoadedConfig,
  log: Log,
  monitor?: ReplayMonitor,
  datedTicks?: ReadonlySet<string>,
  inMemory?: RecordedData,
  opens: typeof openData = openData,
): Promise<PlannedRun> {
  const { config } = loaded;
  const { backtest, account } = config;
  const open = once(async () => inMemory ?? opens(loaded, datedTicks));
  const loadedStrategies = await plannedStrategies(loaded, 'backtest', recordedNeeds(config, open));
  const { needs, code, params } = loadedStrategies;
  const { models, code: modelCode } = await ownModels(backtest, ['backtest'], loaded);
  const instruments = plannedInstruments(config);
  const data = await open();
  const prices = priceFeed(config, instruments, needs, data, capabilitiesOf(backtest.profile).marketData);
  requireFillData(backtest.fills, prices.kinds);
  requireSlippageData(backtest.fills, prices.kinds);
  for (const { instrument, series } of prices.fed)
    await placed(loaded, ['instruments', instrument.symbol, 'tickSize'], () => data.requireTick(series, instrument));
  const dates = ({ code, message }: TidegateError) => (code === 'DATA_NOT_FOUND' ? datesOf(message, backtest) : undefined);
  const period = await placed(loaded, dates, () => plannedPeriod(config, wantedBars(needs, instruments), data, prices.fed));
  const futures = futuresFeed(config, instruments, needs, data, period);
  const { history, missing } = historyReader(needs, instruments, data, period.from);
  if (backtest.start === 'all') requireHistory(missing, backtest.warmup);
  const fed = [...prices.fed, ...futures.fed];
  const built = { ...builtBars(prices, instruments, needs, backtest.barGraceMs), to: backtest.to };
  // A poller has no prices from before its start.
  const bars = backtest.observation === 'polled' ? built : { ...built, before: pricesBefore(built, prices.fed, data, period.from) };
  const lastTime = backtest.to ?? Math.max(...prices.fed.map(({ series }) => series.meta.lastTime));
  const { latency, warnings: latencyWarnings } = await plannedLatency(backtest.latency, models.latency, period.from, lastTime);
  const judge = new DataJudge(backtest.to ?? Number.POSITIVE_INFINITY);
  const plan: BacktestPlan = {
    name: config.name,
    instruments,
    account: plannedAccount(config),
    balances: amounts(account.balances),
    spotBalances: amounts(account.spot),
    strategies: joining(loadedStrategies, backtest),
    limits: riskLimits(config.risk),
    fills: fillSettings(backtest.fills, models),
    exitsWaitForNextBar: backtest.fills.exits === 'nextBar' && fed.some(({ kind }) => kind === 'bar'),
    latency,
    requestLimits: requestLimits(backtest.limits),
    polled: backtest.observation === 'polled' ? pollSettings(backtest.pollMs) : undefined,
    profile: backtest.profile,
    marketBuyCollar: new Decimal(backtest.marketBuyCollar),
    futures: plannedFutures(backtest, futures.constant),
    closeAtEnd: backtest.atEnd === 'close',
    sources: fed.map(({ instrument, kind, series }): PlannedSource => {
      // A funding that is due at `from` may have a time just before it. A book is built from the beginning of its recording.
      const from = kind === 'depth' ? Number.NEGATIVE_INFINITY : kind === 'funding' ? period.from - FUNDING_JITTER_MS : period.from;
      return {
        instrument,
        kind,
        open: () => judge.watch(series, data.open(series, instrument, from, backtest.to), from),
        ...(instrument.isReference && { within: periodOfReference(period, backtest.to) }),
      };
    }),
    from: period.from,
    to: backtest.to ?? Number.POSITIVE_INFINITY,
    bars,
    signals: await plannedSignals(loaded, needs, data.signals),
    history,
    log,
    monitor,
  };
  const isFed = (symbol: string, kind: MarketEventKind) => fed.some((one) => one.instrument.symbol === symbol && one.kind === kind);
  const references = referenceTexts(needs, (symbol, kind) => isFed(symbol, kind) || (kind === 'bar' && isFed(symbol, built.from)));
  const choices = [...needs.map(choiceText).filter((text) => text !== ''), ...references.lines];
  const traded = needs.flatMap(({ symbols }) => symbols);
  const covering = coveringKinds(prices.unused, traded, data, period, plan.to);
  const received = new Set(needs.flatMap(receivedSymbols));
  const warnings = [
    ...loadedStrategies.warnings,
    ...(inMemory === undefined
      ? implausible(
          config,
          'backtest',
          prices.fed.map(({ series }) => series.meta),
        )
      : []),
    ...modelWarnings(modelCode, [...code, ...modelCode]),
    ...poorerPrices({ kinds: prices.kinds, unused: covering }, needs, backtest.fills.limit),
    ...signalWarnings(plan.signals ?? [], received, period.firstPrice, Math.min(period.lastPrice, plan.to)),
    ...priceWarnings(config, prices.fed, period),
    ...futures.warnings,
    ...references.warnings,
    ...latencyWarnings,
    ...(backtest.start === 'all' ? missing : []),
  ];
  const intervals = needs.flatMap((need) => need.intervals);
  const barMs = intervals.length === 0 ? undefined : Math.min(...intervals.map(longestBarMs));
  const historySeries = historySeriesOf(needs, instruments, data);
  return {
    plan,
    series: fed.map(({ series }) => series),
    historySeries,
    code,
    models: modelCode,
    configText: loaded.textWith(params),
    warnings,
    dataWarnings: () => judge.warnings(),
    barMs,
    prices: prices.kinds,
    choices,
  };
}

/** Opens the recordings of a config. @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT, DATA_INVALID. */
export function openData(loaded: LoadedConfig, datedTicks?: ReadonlySet<string>): Promise<RecordedData> {
  const { config, dataFolders } = loaded;
  const symbols = plannedInstruments(config).map(({ symbol }) => symbol);
  const missing = ({ message }: TidegateError): ConfigPath | undefined => {
    const index = config.backtest.data.findIndex((name) => message.startsWith(`no recording "${name}"`));
    return index < 0 ? undefined : ['backtest', 'data', index];
  };
  return placed(loaded, missing, () =>
    RecordedData.open(config.dataDir, config.backtest.data, symbols, datedTicks).catch(namingFolders(dataFolders, 'dataDir')),
  );
}

/** The setting that leaves no prices to a run, by the error about it; undefined if the config has none. */
function datesOf(message: string, { from, to }: Config['backtest']): ConfigPath | undefined {
  const key = from !== undefined && message.includes('backtest.from') ? 'from' : to === undefined ? undefined : 'to';
  return key && ['backtest', key];
}

/** The prices of a reference alone begin and extend no run: [from, to) in epoch ms. */
function periodOfReference(
  { firstPrice, lastPrice }: Period,
  to = Number.POSITIVE_INFINITY,
): { readonly from: number; readonly to: number } {
  return { from: firstPrice, to: Math.min(to, lastPrice + MICROSECOND_MS) };
}

/** A function that computes its value when it is first called. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The kinds of data that show the length of a queue, or its decreases. */
const QUEUE_KINDS: readonly PriceEventKind[] = ['depth', 'quote', 'trade'];

/** Checks the fill rules against the data. @throws TidegateError CONFIG_INVALID if the run's data is not enough for a fill rule. */
export function requireFillData({ limit, restingBy }: Config['backtest']['fills'], kinds: readonly PriceEventKind[]): void {
  const fed = kinds.map(kindText).join(' and ');
  const refuse = (path: string, expected: string) => {
    throw new TidegateError('CONFIG_INVALID', `backtest.fills.${path}: ${expected}, but the run uses ${fed} (backtest.use)`);
  };
  if (isQueueRule(limit) && !kinds.some((kind) => QUEUE_KINDS.includes(kind))) refuse('limit', 'a queue needs depth, quotes or trades');
  if (restingBy === 'trades' && !kinds.includes('trade')) refuse('restingBy', '"trades" needs trades');
}

type Model = SlippageSettings extends infer One ? (One extends SlippageSettings ? keyof One : never) : never;

/** The data that each slippage model needs, and the kinds that contain it. */
const NEEDS: Readonly<Record<Model, { readonly kinds: readonly PriceEventKind[]; readonly what: string }>> = {
  spread: { kinds: ['quote'], what: 'quotes, which have a spread, or `halfSpreadTicks` above 0' },
  volumeShare: { kinds: ['bar'], what: 'the volume of bars' },
  squareRoot: { kinds: ['bar', 'trade'], what: 'bars or trades, which have volumes' },
};

/**
 * Checks the slippage model against the data: a model is used only if no order book shows the cost of an order.
 * @throws TidegateError CONFIG_INVALID if the run's data is not enough for the model, or if it has order books.
 */
export function requireSlippageData({ slippage, halfSpreadTicks }: Config['backtest']['fills'], kinds: readonly PriceEventKind[]): void {
  // A model of the user says itself what it does without a volume or a spread.
  if (slippage === undefined || 'file' in slippage) return;
  const [model] = Object.keys(slippage) as [Model];
  const where = `backtest.fills.slippage.${model}`;
  if (kinds.includes('depth'))
    throw new TidegateError(
      'CONFIG_INVALID',
      `${where}: remove it: the run uses depth, so market orders fill at the levels of the recorded book`,
    );
  const { kinds: serving, what } = NEEDS[model];
  if (serving.some((kind) => kinds.includes(kind)) || (model === 'spread' && halfSpreadTicks > 0)) return;
  throw new TidegateError('CONFIG_INVALID', `${where}: needs ${what}, but the run uses ${kinds.join(' and ')} data (backtest.use)`);
}

/** The settings of a simulated poller with this period; the others are a bot's defaults. */
export function pollSettings(pollMs: number): PollSettings {
  const { lookupMs, lookupMinMs, lookupMaxMs, visibilityLagMs } = RECONCILE_DEFAULTS;
  return { pollMs, detectMs: pollMs * DETECT_SHARE, lookupMs, lookupMinMs, lookupMaxMs, visibilityLagMs };
}

/** The rate limits of a backtest's requests, with the weights of the exchange's operations; undefined without limits. */
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
 * The prices before the start of the run from which bars are built, by instrument index: so the bars that are open at the start are
 * complete.
 * @param start epoch ms.
 */
function pricesBefore(plan: BarPlan, fed: readonly Fed[], data: RecordedData, start: number): BarPlan['before'] {
  return plan.intervals.map((intervals, index) => {
    const own = fed.find(({ instrument, kind }) => instrument.index === index && kind === plan.from);
    if (own === undefined || own.series.meta.firstTime >= start) return undefined;
    return before(own, plan.from, intervals, data, start);
  });
}

function before(own: Fed, kind: BarPlan['from'], intervals: readonly BarInterval[], data: RecordedData, start: number): PricesBefore {
  const { instrument, series } = own;
  const { firstTime } = series.meta;
  const builders = intervals
    .filter((interval) => barStart(interval, start) !== start)
    .map((interval) => new BarBuilder(instrument, interval));
  if (builders.length === 0) return { firstTime, begun: [] };
  const beginnings = builders.map(({ interval }) => barStart(interval, start));
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

/** A row as open, high, low and close in ticks, and the volume in base units. */
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
