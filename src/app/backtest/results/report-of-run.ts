import type { PriceChart, RunReport } from '../../../report/run-report.ts';
import { breakdown } from '../../../statistics/breakdown.ts';
import { definitionsOf } from '../../../statistics/definitions.ts';
import { monthlyReturns } from '../../../statistics/monthly-returns.ts';
import type { RecordedSeries } from '../planning/recorded-data.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import type { Figures } from './figures.ts';
import { provenanceOf } from './provenance.ts';
import { deniedRows } from './run-warnings.ts';
import type { Summary } from './summary.ts';

export interface ReportParts {
  readonly summary: Summary;
  readonly run: SimulatedRun;
  readonly figures: Figures;
  readonly charts: readonly PriceChart[];
  readonly series: readonly RecordedSeries[];
  /** The config as it took effect. */
  readonly configText: string;
}

/** What the terminal tables and the page show of a run. */
export function reportOf({ summary, run, figures, charts, series, configText }: ReportParts): RunReport {
  const { record, trades, statistics } = figures;
  const futures = record.futures !== undefined;
  return {
    name: summary.name,
    currency: record.currency,
    futures,
    from: run.from,
    to: run.to,
    counts: summary,
    summary: { ...summary },
    statistics,
    definitions: definitionsOf(futures),
    tables: {
      bySymbol: breakdown(trades, 'symbol'),
      byTag: breakdown(trades, 'tag'),
      bySide: futures ? breakdown(trades, 'side') : [],
    },
    equity: record.equity,
    charts,
    monthly: monthlyReturns(record),
    trades: trades.closed,
    openTrades: trades.open,
    denied: deniedRows(run.recorder.denied),
    configText,
    data: series.map(provenanceOf),
    warnings: summary.warnings,
  };
}
