import { createHash } from 'node:crypto';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import { seriesFileName } from '../../recording/series-meta.ts';
import type { RunRecord } from '../../statistics/run-record.ts';
import { computeStatistics, type Statistics } from '../../statistics/statistics.ts';
import type { Trades } from '../../statistics/trade.ts';
import { tradesOf } from '../../statistics/trades.ts';
import type { Config } from '../config/schema.ts';
import type { RecordedSeries } from './recorded-data.ts';
import type { SimulatedRun } from './simulate-run.ts';

/** summary.json: what `--json` prints. Money is decimal text; times are ISO 8601, UTC. */
export interface Summary {
  readonly name: string;
  readonly strategies: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly marketEvents: number;
  readonly intents: number;
  readonly denied: number;
  readonly orders: number;
  readonly fills: number;
  readonly closedTrades: number;
  readonly currency: string;
  readonly startEquity: string;
  readonly finalEquity: string;
  readonly totalFees: string;
  readonly finalBalances: Readonly<Record<string, string>>;
  /** Net base quantity by symbol, signed; flat symbols are left out. */
  readonly finalPositions: Readonly<Record<string, string>>;
  /** Fraction of the peak, over every market event. */
  readonly maxDrawdown: number;
  readonly statistics: Statistics;
  /** Fills that hung on the assumed path inside a bar. */
  readonly pathDependentFills: number;
  readonly deniedByCode: Readonly<Record<string, number>>;
  readonly eventLogSha256: string;
  readonly dataSha256: string;
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  readonly out: string;
  readonly warnings: readonly string[];
  /** True when the run was stopped before the end of its data; the figures are of what was done. */
  readonly interrupted: boolean;
  /** Code and message of what stopped the run, if something did. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface Figures {
  readonly record: RunRecord;
  readonly trades: Trades;
  readonly statistics: Statistics;
}

/** What statistics are computed from, out of the state and the fills of a run. */
export function figuresOf(run: SimulatedRun, config: Config): Figures {
  const { portfolio } = run.state;
  const { drawdown, curve } = portfolio;
  const record: RunRecord = {
    currency: portfolio.currency,
    from: run.from,
    to: run.to,
    startEquity: portfolio.startEquity ?? portfolio.exactEquity(),
    finalEquity: portfolio.exactEquity(),
    equity: curve.samples,
    dayEquity: curve.days,
    drawdown: {
      depth: drawdown.depth,
      peakTime: drawdown.depthPeakTime,
      troughTime: drawdown.troughTime,
      recoveredTime: drawdown.recoveredTime,
      longestMs: drawdown.longestMs,
    },
    timeInMarketMs: portfolio.timeInMarketMs,
    fills: run.recorder.fills,
    totalFees: run.recorder.fills.reduce((sum, fill) => sum.plus(worthInQuote(fill.feeAsset, fill.fee, fill)), ZERO),
    annualDays: config.report.annualDays,
    valueOf: worthInQuote,
  };
  const trades = tradesOf(record.fills, record.valueOf);
  return { record, trades, statistics: computeStatistics(record, trades) };
}

/** The worth in quote of an amount of base or quote, at the price of the fill it belongs to. */
export function worthInQuote(asset: string, amount: Decimal, { instrument, priceTicks }: Fill): Decimal {
  return asset === instrument.base ? amount.times(instrument.tick.toDecimal(priceTicks)) : amount;
}

/** One hash of all data that fed the run: each series by name and content, and the period. */
export function dataSha256(series: readonly RecordedSeries[], { from, to }: Config['backtest']): string {
  const hash = createHash('sha256');
  for (const { meta } of series) hash.update(`${seriesFileName(meta)} ${meta.sha256}\n`);
  return hash.update(`${from ?? ''} ${to ?? ''}\n`).digest('hex');
}

export interface SummaryParts {
  readonly config: Config;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly series: readonly RecordedSeries[];
  readonly warnings: readonly string[];
  readonly elapsedMs: number;
  readonly out: string;
  readonly error: Summary['error'];
}

export function summarise({ config, run, figures, series, warnings, elapsedMs, out, error }: SummaryParts): Summary {
  const { state, recorder } = run;
  const { record, trades, statistics } = figures;
  const positions = state.positions.flatMap((_, index) => {
    const instrument = state.instruments[index]!;
    const steps = state.heldSteps(instrument);
    return steps === 0 ? [] : [[instrument.symbol, instrument.step.toText(steps)] as const];
  });
  const deniedByCode: Record<string, number> = {};
  for (const { reason } of recorder.denied) deniedByCode[reason.code] = (deniedByCode[reason.code] ?? 0) + 1;
  return {
    name: config.name,
    strategies: config.strategies.map(({ id }) => id),
    from: isoTime(run.from),
    to: isoTime(run.to),
    marketEvents: run.marketEvents,
    intents: recorder.intents,
    denied: recorder.denied.length,
    orders: recorder.orders,
    fills: recorder.fills.length,
    closedTrades: trades.closed.length,
    currency: record.currency,
    startEquity: record.startEquity.toFixed(),
    finalEquity: record.finalEquity.toFixed(),
    totalFees: record.totalFees.toFixed(),
    finalBalances: Object.fromEntries([...state.portfolio.balances.values()].map(({ asset, total }) => [asset, total.toFixed()])),
    finalPositions: Object.fromEntries(positions),
    maxDrawdown: record.drawdown.depth,
    statistics,
    pathDependentFills: run.pathFills,
    deniedByCode,
    eventLogSha256: run.eventLogSha256,
    dataSha256: dataSha256(series, config.backtest),
    elapsedMs: Math.round(elapsedMs),
    eventsPerSecond: Math.round(run.marketEvents / Math.max(elapsedMs / 1000, 1e-6)),
    out,
    warnings,
    interrupted: run.interrupted,
    error,
  };
}

function isoTime(time: number): string | null {
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}
