import type { FillSettings } from '../../matching/settings.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { Instrument } from '../../model/instrument.ts';
import { intervalText, parseInterval } from '../../model/interval.ts';
import { type Bar, MARKET_EVENT_KINDS, type MarketEventKind } from '../../model/market-events.ts';
import type { Log } from '../../ports/log.ts';
import type { StrategyContext } from '../../strategy/context.ts';
import type { StrategyNeeds } from '../../strategy/needs.ts';
import { Strategy } from '../../strategy/strategy.ts';
import type { ReplayMonitor } from '../../venues/simulated/timeline.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { loadStrategyClass } from '../loader/load-strategy.ts';
import { parseParams } from '../loader/parse-params.ts';
import { capabilitiesOf } from '../wiring/profiles.ts';
import type { BacktestPlan, PlannedSource, PlannedStrategy } from './backtest-plan.ts';
import { barsBefore } from './bar-history.ts';
import { type FeedNeeds, feedNeeds, kindsInUse } from './data-use.ts';
import { RecordedData, type RecordedSeries } from './recorded-data.ts';
import { riskLimits } from './risk-limits.ts';

export interface PlannedRun {
  readonly plan: BacktestPlan;
  /** The series that feed the run. */
  readonly series: readonly RecordedSeries[];
  readonly warnings: readonly string[];
}

type StrategyClass = (new (
  context: StrategyContext,
) => Strategy) & {
  readonly params?: Parameters<typeof parseParams>[0];
  readonly needs?: StrategyNeeds;
  readonly prototype: Partial<Strategy>;
};

/**
 * From a checked config to a plan: strategies loaded, data found, what cannot work refused.
 * @throws TidegateError naming the place and what was expected.
 */
export async function planBacktest(loaded: LoadedConfig, log: Log, monitor?: ReplayMonitor): Promise<PlannedRun> {
  const { config } = loaded;
  const { backtest, account } = config;
  const profile = account.kind === 'netting' ? 'full' : backtest.profile;
  const strategies: PlannedStrategy[] = [];
  const needs: FeedNeeds[] = [];
  for (const [index, { id, file, export: exportName, symbols, params }] of config.strategies.entries()) {
    const { StrategyClass: loadedClass } = await loadStrategyClass(file, exportName, { isStrategy });
    const Class = loadedClass as StrategyClass;
    const checked = parseParams(Class.params, params, { path: ['strategies', index, 'params'], locate: loaded.locate });
    strategies.push({ id, symbols, params: checked, create: (context) => new Class(context) });
    needs.push(feedNeeds(id, symbols, Class.needs, Class.prototype));
  }
  const instruments = Object.entries(config.instruments).map(([symbol, spec], index) => new Instrument(index, { symbol, ...spec }));
  const data = new RecordedData(config.dataDir, backtest.data);
  const use = backtest.use === undefined ? undefined : [backtest.use].flat();
  const traded = instruments.filter(
    ({ symbol }) => needs.some(({ symbols }) => symbols.includes(symbol)) || data.series.some(({ meta }) => meta.symbol === symbol),
  );
  const kinds = kindsInUse(needs, use, (kind) => traded.every(({ symbol }) => data.has(symbol, kind)), capabilitiesOf(profile).marketData);
  const fed = chooseSeries(traded, kinds, needs, data);
  const { from, warnings } = startTime(config, needs, fed);
  const history = historyReader(config, needs, instruments, data, from, warnings);
  const plan: BacktestPlan = {
    name: config.name,
    instruments,
    account: {
      kind: account.kind as 'spot' | 'netting',
      currency: currencyOf(config, instruments),
      equityEveryMs: parseInterval(config.report.equityEvery) ?? 3_600_000,
    },
    balances: new Map(Object.entries(account.balances).map(([asset, amount]) => [asset, new Decimal(amount)])),
    strategies,
    limits: riskLimits(config.risk),
    fills: fillSettings(backtest.fills),
    exits: backtest.fills.exits,
    latency: backtest.latency,
    profile,
    marketBuyCollar: new Decimal(backtest.marketBuyCollar),
    closeAtEnd: backtest.atEnd === 'close',
    sources: fed.map(
      ({ instrument, kind, series }): PlannedSource => ({ instrument, kind, open: () => data.open(series, instrument, from) }),
    ),
    from,
    to: backtest.to ?? Number.POSITIVE_INFINITY,
    bars: {
      from: kinds.includes('trade') ? 'trade' : kinds.includes('ticker') ? 'ticker' : 'bar',
      intervals: instruments.map((instrument) => builtIntervals(instrument, needs, fed)),
      graceMs: backtest.barGraceMs,
    },
    history,
    log,
    monitor,
  };
  return { plan, series: fed.map(({ series }) => series), warnings };
}

/** Fractions are text in the config, as all decimals are; the share of a volume is a plain number, as volumes are. */
function fillSettings({ exits: _, barVolumeShare, ...rest }: Config['backtest']['fills']): FillSettings {
  return { ...rest, barVolumeShare: barVolumeShare === undefined ? undefined : Number(barVolumeShare) };
}

interface Fed {
  readonly instrument: Instrument;
  readonly kind: MarketEventKind;
  readonly series: RecordedSeries;
}

function isStrategy(candidate: unknown): boolean {
  return typeof candidate === 'function' && candidate.prototype instanceof Strategy;
}

function chooseSeries(
  traded: readonly Instrument[],
  kinds: readonly MarketEventKind[],
  needs: readonly FeedNeeds[],
  data: RecordedData,
): Fed[] {
  return MARKET_EVENT_KINDS.filter((kind) => kinds.includes(kind)).flatMap((kind) =>
    traded.map((instrument) => {
      const intervals = kind === 'bar' ? intervalsOf(instrument, needs) : [];
      return { instrument, kind, series: data.find(instrument.symbol, kind, intervals) };
    }),
  );
}

function intervalsOf({ symbol }: Instrument, needs: readonly FeedNeeds[]): number[] {
  return [...new Set(needs.filter(({ symbols }) => symbols.includes(symbol)).flatMap(({ intervals }) => intervals))];
}

/** The intervals that must be built: those needed and not recorded. */
function builtIntervals(instrument: Instrument, needs: readonly FeedNeeds[], fed: readonly Fed[]): number[] {
  const recorded = fed.find((other) => other.instrument === instrument && other.kind === 'bar')?.series.meta.intervalMs;
  return intervalsOf(instrument, needs).filter((interval) => interval !== recorded);
}

/** Without `from`, the run begins where every strategy's history is complete. */
function startTime({ backtest }: Config, needs: readonly FeedNeeds[], fed: readonly Fed[]): { from: number; warnings: string[] } {
  const first = Math.max(...fed.map(({ series }) => series.meta.firstTime));
  const last = Math.min(...fed.map(({ series }) => series.meta.lastTime));
  const warnings: string[] = [];
  const history = Math.max(...needs.map(({ history: count, intervals }) => count * Math.max(0, ...intervals)));
  const from =
    backtest.from ??
    (backtest.warmup === 'require' && history > 0 ? first + history : Math.min(...fed.map(({ series }) => series.meta.firstTime)));
  const to = backtest.to ?? Number.POSITIVE_INFINITY;
  for (const { instrument, kind, series } of fed) {
    if (series.meta.lastTime >= from && series.meta.firstTime < to) continue;
    const range = `${isoTime(series.meta.firstTime)} to ${isoTime(series.meta.lastTime)}`;
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `no ${kind}s of ${instrument.symbol} between backtest.from and backtest.to: the recording has ${range}`,
    );
  }
  if (backtest.from !== undefined && backtest.from < first) warnings.push(`the data begins at ${isoTime(first)}, after backtest.from`);
  if (backtest.to !== undefined && Number.isFinite(last) && backtest.to > last + 86_400_000)
    warnings.push(`the data ends at ${isoTime(last)}, before backtest.to`);
  for (const { series } of fed) {
    const { symbol, gaps = 0, synthetic } = series.meta;
    if (gaps > 0) warnings.push(`${symbol}: the recorded bars have ${gaps} gap${gaps === 1 ? '' : 's'}`);
    if (synthetic !== undefined)
      warnings.push(`${symbol}: recording "${series.recording}" is synthetic: its results say nothing of a market`);
  }
  return { from, warnings };
}

function historyReader(
  config: Config,
  needs: readonly FeedNeeds[],
  instruments: readonly Instrument[],
  data: RecordedData,
  from: number,
  warnings: string[],
): BacktestPlan['history'] {
  const bars = new Map<string, readonly Bar[]>();
  for (const { id, symbols, intervals, history } of needs.filter((one) => one.history > 0)) {
    for (const instrument of instruments.filter(({ symbol }) => symbols.includes(symbol))) {
      for (const interval of intervals) {
        const found = data.has(instrument.symbol, 'bar')
          ? barsBefore(instrument, data.open(data.find(instrument.symbol, 'bar', [interval]), instrument), interval, from, history)
          : [];
        bars.set(`${id}/${instrument.symbol}/${interval}`, found);
        if (found.length >= history) continue;
        const text = `strategy "${id}" needs ${history} bars of ${intervalText(interval)} of ${instrument.symbol} before ${isoTime(from)}; there are ${found.length}`;
        if (config.backtest.warmup === 'require')
          throw new TidegateError('DATA_NOT_FOUND', `${text} (start later, or say \`warmup: cold\`)`);
        warnings.push(text);
      }
    }
  }
  return (id, symbol, interval) => {
    const own = needs.find((one) => one.id === id);
    return bars.get(`${id}/${symbol}/${interval ?? own?.intervals[0]}`) ?? [];
  };
}

function currencyOf({ account }: Config, instruments: readonly Instrument[]): string {
  const quotes = [...new Set(instruments.map(({ quote }) => quote))];
  const currency = account.currency ?? quotes[0]!;
  if (account.currency === undefined && quotes.length > 1) {
    throw new TidegateError(
      'CONFIG_INVALID',
      `account.currency: the instruments are quoted in ${quotes.join(' and ')}: say which of them equity is counted in`,
    );
  }
  if (account.kind === 'netting' && quotes.some((quote) => quote !== currency)) {
    throw new TidegateError(
      'CONFIG_INVALID',
      `instruments: a netting account keeps one currency (${currency}); ${quotes.join(' and ')} are quoted here`,
    );
  }
  for (const asset of Object.keys(account.balances)) {
    if (asset === currency || (account.kind === 'spot' && instruments.some(({ base, quote }) => base === asset && quote === currency)))
      continue;
    throw new TidegateError(
      'CONFIG_INVALID',
      `account.balances.${asset}: nothing prices it in ${currency}: add an instrument ${asset}-${currency}, or leave it out`,
    );
  }
  return currency;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
