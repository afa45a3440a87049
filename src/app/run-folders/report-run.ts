import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Broadcast } from '../../engine/broadcast.ts';
import { RecordedJournal } from '../../journal/journal-reader.ts';
import type { RunStarted } from '../../journal/journal-record.ts';
import { TidegateError } from '../../model/errors.ts';
import { Instrument } from '../../model/instrument.ts';
import { isoTime } from '../../model/time.ts';
import { PlotCurves } from '../../report/plot-curves.ts';
import { applyAccount, applyMarket } from '../../state/apply.ts';
import { State } from '../../state/state.ts';
import { legsOf } from '../../statistics/trades/trade.ts';
import { AllocationRecorder } from '../backtest/recorders/allocation-recorder.ts';
import { benchmarkOf } from '../backtest/recorders/benchmark-recorder.ts';
import { ChartRecorder } from '../backtest/recorders/chart-recorder.ts';
import { MarginRecorder } from '../backtest/recorders/margin-recorder.ts';
import { RunRecorder } from '../backtest/recorders/run-recorder.ts';
import { figuresOf } from '../backtest/results/figures.ts';
import { writeTables } from '../backtest/results/out-folder.ts';
import { reportOf } from '../backtest/results/report.ts';
import { RunTables } from '../backtest/results/run-tables.ts';
import { holdingsOf } from '../backtest/results/summarise.ts';
import { writeTableForms } from '../backtest/results/table-forms.ts';
import { runWarnings } from '../backtest/results/warnings.ts';
import type { TableForm } from '../base/table-formats.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { plannedAccount, plannedInstruments } from '../planning/planned-account.ts';
import { plotsIn } from '../plots/plot-files.ts';
import { rebuildReport, writeReport } from '../write-report.ts';
import { runsIn } from './journal-state.ts';

const JOURNAL = 'journal.sqlite';

/**
 * Makes the page of a run: that of a bot from its journal, that of a backtest from its report.json.
 * @param run a folder, or the journal of a bot.
 * @param form of the tables; default: that of the bot's config. A backtest that lacks it gets it.
 * @returns the path of the page.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, DATA_CORRUPT, JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export async function reportRun(run: string, form: TableForm = {}): Promise<string> {
  if (basename(run) === JOURNAL) return await reportBot(run, form);
  const journal = join(run, JOURNAL);
  if (existsSync(journal)) return await reportBot(journal, form);
  const page = await rebuildReport(run);
  await writeTableForms(run, form);
  return page;
}

/**
 * Writes the report and the tables of a paper or live run into the folder of its journal: all that the bot did, over all its starts. Only
 * reads the journal, so the bot may be running.
 * @param path of the journal.
 * @returns the path of the page.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED; DATA_INVALID for a journal without a config or without prices.
 */
async function reportBot(path: string, form: TableForm): Promise<string> {
  const journal = RecordedJournal.open(path);
  try {
    return await reportOfJournal(journal, path, form);
  } finally {
    journal.close();
  }
}

async function reportOfJournal(journal: RecordedJournal, path: string, asked: TableForm): Promise<string> {
  const out = dirname(path);
  const { ids: decided, started } = runsIn(journal.records());
  const { loaded, mode } = configOf(started, path);
  const { config } = loaded;
  const instruments = instrumentsOf(journal, config);
  const account = plannedAccount(config);
  const futures = account.kind === 'futures';
  const ids = new Set([...config.strategies.map(({ id }) => id), ...decided]);
  const state = new State(instruments, [...ids], account);
  const tables = new RunTables(out, futures);
  const recorder = new RunRecorder(state, [tables]);
  const charts = new ChartRecorder(instruments);
  const benchmark = benchmarkOf(config, instruments);
  const margin = futures ? new MarginRecorder(instruments, account.equityEveryMs) : undefined;
  const broadcast = new Broadcast();
  recorder.observe(broadcast);
  charts.observe(broadcast, state);
  const allocation = new AllocationRecorder(instruments);
  allocation.observe(state.portfolio);
  benchmark.observe(broadcast, state);
  margin?.observe(broadcast);
  let [from, to, marketEvents] = [Number.NaN, Number.NaN, 0];
  for (const { kind, value, time } of journal.records(instruments)) {
    if (kind === 'market') {
      if (marketEvents++ === 0) from = value.time;
      to = value.time;
      applyMarket(state, value);
      for (const sink of broadcast.sinksOf(value.instrument)) sink.add(value);
      broadcast.market(value);
      broadcast.state(state);
    } else if (kind === 'event') {
      applyAccount(state, value.event);
      recorder.event(value.sequence, value.event);
      broadcast.account(value.event);
    } else if (kind === 'intent') recorder.intent(value.sequence, time, value.strategyId, value.intent);
  }
  state.portfolio.finish(state.time);
  recorder.finish();
  tables.finish(recorder.fills, recorder.rates.converts);
  if (marketEvents === 0)
    throw new TidegateError('DATA_INVALID', `${path}: the bot has received no prices yet: there is nothing to report`);
  const run = { state, recorder, from, to };
  const figures = figuresOf(run, { margin, benchmark, annualDays: config.report.annualDays, tradeRule: config.report.trades });
  const { record, trades, statistics } = figures;
  const watched = {
    ...run,
    interrupted: false,
    late: [],
    pathFills: 0,
    unguardedBars: 0,
    stopsBeyondFill: 0,
    targetsBeyondFill: 0,
    heldIndicators: [],
    idleProtects: new Map(),
    sizesChanged: new Map(),
    requests: undefined,
  };
  const counts = { marketEvents, intents: recorder.intents, denied: recorder.denials.count, orders: recorder.orders };
  const summary = {
    name: config.name,
    mode,
    strategies: config.strategies.map(({ id }) => id),
    from: isoTime(from),
    to: isoTime(to),
    ...counts,
    fills: recorder.fills.length,
    closedTrades: trades.closed.length,
    currency: record.currency,
    startEquity: record.startEquity.toFixed(),
    finalEquity: record.finalEquity.toFixed(),
    totalFees: record.totalFees.toFixed(),
    ...holdingsOf(state),
    maxDrawdown: record.drawdown.depth,
    statistics,
    deniedByCode: recorder.denials.byCode(),
    prices: [],
    warnings: runWarnings({ ...watched, failure: undefined }, figures),
    findings: null,
  };
  writeFileSync(join(out, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  const equity = state.portfolio.curve.samples;
  writeTables(out, { recorder, trades: legsOf(trades).closed, equity, benchmark: record.benchmark, futures });
  const drawn = { charts: charts.charts(recorder.fills, curvesIn(out, from)), allocation: allocation.allocation(state.portfolio) };
  const { format, numbers, times } = config.report;
  const form = { format: asked.format ?? format, numbers: asked.numbers ?? numbers, times: asked.times ?? times };
  await writeTableForms(out, form, 'plots');
  const parts = { series: [], configText: loaded.text, strategies: config.strategies, ...drawn };
  return await writeReport(out, reportOf({ summary, run, figures, ...parts }));
}

/** The plots of a bot, apart from those before the begin of its journal: of another journal in the same folder. */
function curvesIn(folder: string, from: number): PlotCurves {
  const curves = new PlotCurves();
  for (const { plot, time, value } of plotsIn(folder)) if (time >= from) curves.point(plot, time, value);
  return curves;
}

/** The instruments of a journal, with the terms that the config has for them: a journal has only their units. */
function instrumentsOf(journal: RecordedJournal, config: LoadedConfig['config']): Instrument[] {
  const planned = new Map(plannedInstruments(config).map((instrument) => [instrument.symbol, instrument]));
  return journal.instruments().map((one) => new Instrument(one.index, (planned.get(one.symbol) ?? one).spec));
}

/** The config and the mode of the bot's newest start. */
function configOf(started: RunStarted | undefined, path: string): { readonly loaded: LoadedConfig; readonly mode: 'paper' | 'live' } {
  const { config, mode = 'paper' } = started ?? {};
  if (config === undefined) throw new TidegateError('DATA_INVALID', `${path}: has no config, as the bot ran without one or has not begun`);
  return { loaded: loadConfig(config.file, { text: config.text, withoutBacktest: true }), mode };
}
