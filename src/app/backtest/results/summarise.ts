import { createHash } from 'node:crypto';
import { type Instrument, tradableOf } from '../../../model/instrument.ts';
import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import type { BothPaths } from '../../../report/run-report.ts';
import type { State } from '../../../state/state.ts';
import { type BreakdownBy, breakdown } from '../../../statistics/breakdown.ts';
import type { Finding } from '../../../statistics/diagnosis/check.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { PlannedRun } from '../../planning/plan-backtest.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import { type Figures, pathTrades } from './figures.ts';
import type { Summary } from './summary.ts';

interface SummaryParts {
  readonly config: Config;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly planned: Pick<PlannedRun, 'series' | 'prices' | 'choices'> & { readonly plan: Pick<PlannedRun['plan'], 'signals'> };
  readonly warnings: readonly string[];
  readonly findings: readonly Finding[] | null;
  readonly elapsedMs: number;
  readonly out: string;
  readonly error: Summary['error'];
  readonly breakdowns: readonly BreakdownBy[];
  readonly paths?: BothPaths | undefined;
}

export function summarise(parts: SummaryParts): Summary {
  const { config, run, figures, planned, warnings, findings, elapsedMs, out, error, breakdowns, paths } = parts;
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
    denied: recorder.denials.count,
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
    ...(run.stopsBeyondFill > 0 && { stopsBeyondFill: run.stopsBeyondFill }),
    ...(run.targetsBeyondFill > 0 && { targetsBeyondFill: run.targetsBeyondFill }),
    ...(paths && { paths }),
    ...(run.requests && { requests: run.requests }),
    deniedByCode: recorder.denials.byCode(),
    eventLogSha256: run.eventLogSha256,
    dataSha256: dataSha256(planned, config.backtest),
    prices: planned.prices,
    ...(planned.choices.length > 0 && { choices: planned.choices }),
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
  const collaterals = new Set(
    tradableOf(state.instruments)
      .filter(({ contract }) => contract !== undefined)
      .map(({ quote }) => quote),
  );
  return Object.fromEntries([...collaterals].map((asset) => [asset, insurance(asset).toFixed()]));
}

/** One hash of all data of the run: each series and each set of signals by name and content, and the period. */
function dataSha256({ series, plan: { signals = [] } }: SummaryParts['planned'], { from, to }: Config['backtest']): string {
  const hash = createHash('sha256');
  for (const { meta } of series) hash.update(`${seriesFileName(meta)} ${meta.sha256}\n`);
  for (const { name, sha256, delayMs } of signals) hash.update(`signal ${name} ${sha256} ${delayMs}\n`);
  return hash.update(`${from ?? ''} ${to ?? ''}\n`).digest('hex');
}

/** The final balances and positions in summary.json: decimal text by name. */
interface Holdings {
  readonly finalBalances: Readonly<Record<string, string>>;
  readonly finalPositions: Readonly<Record<string, string>>;
}

/**
 * Balances by asset (those in the spot wallet of a futures account as `spot:BTC`) and open positions by symbol: net and signed, or
 * `BTC-USDT-PERP:long` and `:short`, never negative, if both sides can be held.
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
