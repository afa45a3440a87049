import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import type { DataProvenance, PriceChart, RunReport } from '../../../report/run-report.ts';
import { breakdowns } from '../../../statistics/breakdown.ts';
import { dailyReturns, monthlyReturns, rollingWindows } from '../../../statistics/returns/daily-returns.ts';
import { definitionsOf } from '../../../statistics/statistics.ts';
import type { RecordedSeries } from '../../planning/recorded-data.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import type { Figures } from './figures.ts';
import { deniedRows } from './out-folder.ts';
import type { Summary } from './summary.ts';

interface ReportParts {
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
  const rows = breakdowns(trades, record);
  const returns = dailyReturns(record);
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
      bySymbol: rows.symbol,
      byTag: rows.tag,
      bySide: futures ? rows.side : [],
    },
    breakdowns: rows,
    equity: record.equity,
    benchmark: record.benchmark,
    returns: record.dayEquity.map(({ time }, index) => ({ time, value: Number.isNaN(returns[index]) ? null : returns[index]! })),
    rolling: rollingWindows(record),
    charts,
    monthly: monthlyReturns(record),
    trades: trades.closed,
    openTrades: trades.open,
    denied: deniedRows(run.recorder.denied),
    configText,
    data: series.map(provenanceOf),
    warnings: summary.warnings,
    findings: summary.findings ?? undefined,
    ...(summary.paths && { paths: summary.paths }),
  };
}

/** Where a series came from, as the report tells it. */
function provenanceOf({ recording, meta }: RecordedSeries): DataProvenance {
  const origin = meta.synthetic === undefined ? meta.source.join(', ') : `synthetic, seed ${meta.synthetic.seed}`;
  return {
    name: `${recording}/${seriesFileName(meta)}`,
    sha256: meta.sha256,
    facts: [
      { label: 'Rows', value: meta.rows.toLocaleString('en-US') },
      { label: 'From', value: new Date(meta.firstTime).toISOString() },
      { label: 'To', value: new Date(meta.lastTime).toISOString() },
      { label: 'Source', value: origin },
    ],
  };
}
