import type { FillSettings } from '../../../matching/settings.ts';
import { Decimal } from '../../../model/decimal.ts';
import type { Log } from '../../../ports/log.ts';
import { FUNDING_JITTER_MS } from '../../../recording/funding-time.ts';
import type { ReplayMonitor } from '../../../venues/simulated/replay-monitor.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema/schema.ts';
import { capabilitiesOf } from '../../wiring/profiles.ts';
import type { BacktestPlan, PlannedSource } from '../backtest-plan.ts';
import { amounts, plannedAccount, plannedFutures } from './account.ts';
import { DataJudge } from './data-judge.ts';
import { requireFillData } from './fill-rules.ts';
import { futuresFeed } from './futures-feed.ts';
import { historyReader, historySeriesOf, requireHistory, wantedBars } from './history-reader.ts';
import { plannedInstruments } from './instruments.ts';
import { plannedPeriod, priceWarnings } from './period.ts';
import { plannedLatency } from './planned-latency.ts';
import { pollSettings } from './poll-settings.ts';
import { builtBars, priceFeed } from './price-feed.ts';
import { pricesBefore } from './prices-before.ts';
import { RecordedData, type RecordedSeries } from './recorded-data.ts';
import { requestLimits } from './request-limits.ts';
import { riskLimits } from './risk-limits.ts';
import { requireSlippageData } from './slippage-data.ts';
import { plannedStrategies, type StrategyCode } from './strategy-classes.ts';

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
