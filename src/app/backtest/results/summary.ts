import { createHash } from 'node:crypto';
import type { Instrument } from '../../../model/instrument.ts';
import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import type { BothPaths } from '../../../report/run-report.ts';
import type { State } from '../../../state/state.ts';
import { type BreakdownBy, type BreakdownRow, breakdown } from '../../../statistics/breakdown.ts';
import type { Finding } from '../../../statistics/diagnosis/check.ts';
import type { Statistics } from '../../../statistics/statistics.ts';
import type { RequestFigures } from '../../../venues/simulated/request-pacer.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { RecordedSeries } from '../../planning/recorded-data.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import { type Figures, pathTrades } from './figures.ts';
import { deniedByCode } from './out-folder.ts';

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
  /** Futures accounts: received less paid; no fee. */
  readonly totalFunding?: string;
  /** Futures accounts: closes by the venue for lack of margin. */
  readonly liquidations?: number;
  /** By asset; of the spot wallet beside a futures account as `spot:BTC`. */
  readonly finalBalances: Readonly<Record<string, string>>;
  /** Base quantity by symbol, net and signed; of futures as `BTC-USDT-PERP:long`, never negative. Flat ones are left out. */
  readonly finalPositions: Readonly<Record<string, string>>;
  /** Futures accounts: what the simulator's insurance fund holds, by collateral; below zero where it paid more than it had. */
  readonly insuranceFund?: Readonly<Record<string, string>>;
  /** Fraction of the peak, over every market event. */
  readonly maxDrawdown: number;
  readonly statistics: Statistics;
  /** What was asked for with `--breakdown`, and only then. */
  readonly breakdowns?: Readonly<Partial<Record<BreakdownBy, readonly BreakdownRow[]>>>;
  /** Fills that hung on the assumed path inside a bar. */
  readonly pathDependentFills: number;
  /** Where there were any: the closed trades in which one took part, and their net profit. */
  readonly pathDependentTrades?: number;
  readonly pathDependentProfit?: string;
  /** Where there were any: bars in which the price passed a stop that did not work before the next bar opened. */
  readonly unguardedBars?: number;
  /** With `--path both`, the same run on both paths; all else is of the worst. */
  readonly paths?: BothPaths;
  /** Requests that placed or canceled, and how they waited for the limits of `backtest.limits`. */
  readonly requests?: RequestFigures;
  readonly deniedByCode: Readonly<Record<string, number>>;
  readonly eventLogSha256: string;
  readonly dataSha256: string;
  readonly elapsedMs: number;
  readonly eventsPerSecond: number;
  readonly out: string;
  readonly warnings: readonly string[];
  /** What a reviewer would say of the result, the severest first; null where the run did not reach its end. */
  readonly findings: readonly Finding[] | null;
  /** True when the run was stopped before the end of its data; the figures are of what was done. */
  readonly interrupted: boolean;
  /** Code and message of what stopped the run, if something did. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface SummaryParts {
  readonly config: Config;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly series: readonly RecordedSeries[];
  readonly warnings: readonly string[];
  readonly findings: readonly Finding[] | null;
  readonly elapsedMs: number;
  readonly out: string;
  readonly error: Summary['error'];
  readonly breakdowns: readonly BreakdownBy[];
  readonly paths?: BothPaths | undefined;
}

export function summarise(parts: SummaryParts): Summary {
  const { config, run, figures, series, warnings, findings, elapsedMs, out, error, breakdowns, paths } = parts;
  const { state, recorder } = run;
  const { record, trades, statistics } = figures;
  const { finalBalances, finalPositions } = holdingsOf(state);
  const futures = record.futures !== undefined;
  const onPath = pathTrades(trades);
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
    ...(futures && { totalFunding: String(statistics.funding), liquidations: recorder.liquidations.length }),
    finalBalances,
    finalPositions,
    ...(futures && { insuranceFund: insuranceFundOf(run) }),
    maxDrawdown: record.drawdown.depth,
    statistics,
    ...(breakdowns.length > 0 && { breakdowns: Object.fromEntries(breakdowns.map((by) => [by, breakdown(trades, by, record)])) }),
    pathDependentFills: run.pathFills,
    ...(run.pathFills > 0 && { pathDependentTrades: onPath.count, pathDependentProfit: onPath.profit.toFixed() }),
    ...(run.unguardedBars > 0 && { unguardedBars: run.unguardedBars }),
    ...(paths && { paths }),
    ...(run.requests && { requests: run.requests }),
    deniedByCode: deniedByCode(recorder.denied),
    eventLogSha256: run.eventLogSha256,
    dataSha256: dataSha256(series, config.backtest),
    elapsedMs: Math.round(elapsedMs),
    eventsPerSecond: Math.round(run.marketEvents / Math.max(elapsedMs / 1000, 1e-6)),
    out,
    warnings,
    findings,
    interrupted: run.interrupted,
    error,
  };
}

function isoTime(time: number): string | null {
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}

function insuranceFundOf({ state, insurance }: SimulatedRun): Readonly<Record<string, string>> {
  const collaterals = new Set(state.instruments.filter(({ contract }) => contract !== undefined).map(({ quote }) => quote));
  return Object.fromEntries([...collaterals].map((asset) => [asset, insurance(asset).toFixed()]));
}

/** One hash of all data that fed the run: each series by name and content, and the period. */
function dataSha256(series: readonly RecordedSeries[], { from, to }: Config['backtest']): string {
  const hash = createHash('sha256');
  for (const { meta } of series) hash.update(`${seriesFileName(meta)} ${meta.sha256}\n`);
  return hash.update(`${from ?? ''} ${to ?? ''}\n`).digest('hex');
}

/** What is left at the end, as summary.json has it: decimal text by name. */
interface Holdings {
  readonly finalBalances: Readonly<Record<string, string>>;
  readonly finalPositions: Readonly<Record<string, string>>;
}

/**
 * Balances by asset (of a spot wallet beside futures as `spot:BTC`) and open positions by symbol: net and signed,
 * or `BTC-USDT-PERP:long` and `:short` where both are held side by side, never negative.
 */
export function holdingsOf(state: State): Holdings {
  const balances = [...state.portfolio.balances].map(([name, { total }]) => [name, total.toFixed()] as const);
  const positions = state.instruments.flatMap((instrument) =>
    state.sides(instrument).length > 1 ? sidesOf(state, instrument) : netOf(state, instrument),
  );
  return { finalBalances: Object.fromEntries(balances), finalPositions: Object.fromEntries(positions) };
}

type Held = readonly (readonly [name: string, quantity: string])[];

function netOf(state: State, instrument: Instrument): Held {
  const steps = state.heldSteps(instrument);
  return steps === 0 ? [] : [[instrument.symbol, instrument.step.toText(steps)]];
}

function sidesOf(state: State, instrument: Instrument): Held {
  return (['long', 'short'] as const).flatMap((side) => {
    const { steps } = state.position(instrument, side);
    return steps === 0 ? [] : [[`${instrument.symbol}:${side}`, instrument.step.toText(Math.abs(steps))] as const];
  });
}
