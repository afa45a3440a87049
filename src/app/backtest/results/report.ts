import { seriesFileName } from '../../../recording/columns/series-meta.ts';
import { formatCount } from '../../../report/format.ts';
import type { Allocation, DataProvenance, PriceChart, RunReport, StrategyTitle } from '../../../report/run-report.ts';
import { breakdowns } from '../../../statistics/breakdown.ts';
import { crisisReturns } from '../../../statistics/returns/crisis-windows.ts';
import { dailyReturns, monthlyReturns, rollingWindows, yearsAgainstBenchmark } from '../../../statistics/returns/daily-returns.ts';
import { worstDrawdowns } from '../../../statistics/returns/drawdown-statistics.ts';
import { definitionsOf } from '../../../statistics/statistics.ts';
import { legsOf } from '../../../statistics/trades/trade.ts';
import { kindText, type RecordedSeries } from '../../planning/recorded-data.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import type { Figures } from './figures.ts';
import type { Summary } from './summary.ts';

type ReportedKey = 'name' | 'marketEvents' | 'intents' | 'denied' | 'orders' | 'fills' | 'prices' | 'warnings' | 'findings';

interface ReportParts {
  readonly summary: Pick<Summary, ReportedKey> & Partial<Pick<Summary, 'choices' | 'paths'>>;
  readonly run: Pick<SimulatedRun, 'from' | 'to' | 'recorder' | 'state'>;
  readonly figures: Figures;
  readonly charts: readonly PriceChart[];
  readonly allocation: Allocation | undefined;
  readonly series: readonly RecordedSeries[];
  readonly strategies: readonly StrategyTitle[];
  /** The effective config. */
  readonly configText: string;
}

/** The content of the terminal tables and the page of a run. */
export function reportOf({ summary, run, figures, charts, allocation, series, strategies, configText }: ReportParts): RunReport {
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
    drawdowns: worstDrawdowns(record),
    years: yearsAgainstBenchmark(record),
    crises: crisisReturns(record),
    allocation,
    ...(record.ruin && { ruin: record.ruin }),
    end: endOf(run.state, record.fills, strategies.length),
    charts,
    monthly: monthlyReturns(record),
    trades: legsOf(trades).closed,
    openTrades: legsOf(trades).open,
    denied: run.recorder.denials.rows(),
    strategies: strategies.map(({ id, symbols, params }) => ({ id, symbols, params })),
    configText,
    data: series.map(provenanceOf),
    prices: summary.prices.map(kindText),
    choices: summary.choices,
    warnings: summary.warnings,
    findings: summary.findings ?? undefined,
    ...(summary.paths && { paths: summary.paths }),
  };
}

/** The first latch in force at the end that stopped all trading. */
function endOf({ latches }: SimulatedRun['state'], fills: Figures['record']['fills'], strategies: number): RunReport['end'] {
  const [latch] = [...latches.values()]
    .filter(({ strategyId, until }) => (strategyId === undefined || strategies === 1) && until === undefined)
    .sort((a, b) => a.time - b.time);
  if (latch === undefined) return undefined;
  let lastFill = latch.time;
  for (const { time } of fills) lastFill = Math.max(lastFill, time);
  return { rule: latch.rule, time: latch.time, lastFill };
}

/** The origin of a series in the report. */
function provenanceOf({ recording, meta }: RecordedSeries): DataProvenance {
  const origin = meta.synthetic === undefined ? meta.source.join(', ') : `synthetic, seed ${meta.synthetic.seed}`;
  return {
    name: `${recording}/${seriesFileName(meta)}`,
    sha256: meta.sha256,
    facts: [
      { label: 'Rows', value: formatCount(meta.rows) },
      { label: 'From', value: new Date(meta.firstTime).toISOString() },
      { label: 'To', value: new Date(meta.lastTime).toISOString() },
      { label: 'Source', value: origin },
    ],
  };
}
