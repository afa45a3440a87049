import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import type { Logger, pino as Pino } from 'pino';
import type { Log } from '../../../ports/log.ts';
import type { Plots } from '../../../ports/plots.ts';
import { PlotCurves } from '../../../report/plot-curves.ts';
import type { RunReport } from '../../../report/run-report.ts';
import type { TableForm } from '../../base/table-formats.ts';
import { PlotFiles } from '../../plots/plot-files.ts';
import { writeReport } from '../../write-report.ts';
import type { ObservedRun } from '../observed-run.ts';
import type { RowTables } from '../recorders/run-recorder.ts';
import { writeAccountFile } from './account-file.ts';
import { type CodeParts, writeCodeFile } from './code-file.ts';
import { EventFiles } from './event-files.ts';
import { makeOutFolder, writeTables } from './out-folder.ts';
import { markRunning } from './run-mark.ts';
import { RunTables } from './run-tables.ts';
import type { Summary } from './summary.ts';
import { writeTableForms } from './table-forms.ts';

/** The results of a run that are written after it. */
interface RunResults {
  readonly observed: ObservedRun;
  readonly summary: Summary;
  /** The summary of the run on the best path, if both paths were requested. */
  readonly best: Summary | undefined;
  readonly report: RunReport;
}

/** The folder of a backtest that is in progress: its config, code and log, the tables that grow with the run, and at the end the rest. */
export class RunFolder {
  readonly tables: Pick<RunTables, keyof RowTables | 'trade'>;
  readonly log: Log;
  /** Receives what strategies plot, for `plots.csv` and for the page. */
  readonly plots: Plots;
  readonly curves = new PlotCurves();
  /** Present if the events of the run are written. */
  readonly events: EventFiles | undefined;
  /** Its path relative to the working directory. */
  readonly shown: string;
  readonly #folder: string;
  readonly #form: TableForm;
  readonly #tables: RunTables;
  readonly #plots: PlotFiles;
  readonly #log: ReturnType<typeof logFile>;
  readonly #unmark: () => void;

  /**
   * @param given the folder, which must be new or empty; default: the first free `runs/<name>-<n>`.
   * @param now the time of the run, for its log; `NaN` before the run.
   * @throws TidegateError OUT_NOT_EMPTY
   */
  constructor(given: string | undefined, parts: CodeParts, now: () => number) {
    const { config, planned, options } = parts;
    this.#folder = makeOutFolder(config.name, given);
    this.#form = config.report;
    this.shown = relative(process.cwd(), this.#folder) || '.';
    this.#unmark = markRunning(this.#folder);
    this.#log = logFile(this.#folder, now);
    this.log = this.#log;
    writeFileSync(join(this.#folder, 'config.yaml'), planned.configText);
    writeCodeFile(this.#folder, parts);
    this.events = options.events === true ? new EventFiles(this.#folder) : undefined;
    this.#tables = new RunTables(this.#folder, planned.plan.account.kind === 'futures');
    this.tables = this.#tables;
    const files = new PlotFiles(this.#folder);
    this.#plots = files;
    this.plots = {
      point: (plot, time, value) => {
        files.point(plot, time, value);
        this.curves.point(plot, time, value);
      },
    };
  }

  /** Ends the files that grow with the run. */
  endRun({ run: { recorder } }: ObservedRun): void {
    this.#tables.finish(recorder.fills, recorder.rates.converts);
    this.#plots.close();
    this.events?.close();
    this.#log.close();
  }

  /** Writes the results, and removes the mark of a run in progress. */
  async finish({ observed: { run, figures }, summary, best, report }: RunResults): Promise<void> {
    const folder = this.#folder;
    const { benchmark, futures } = figures.record;
    const equity = run.state.portfolio.curve.samples;
    writeTables(folder, {
      recorder: run.recorder,
      equity,
      benchmark,
      futures: futures !== undefined,
    });
    await writeTableForms(folder, this.#form);
    writeAccountFile(folder, run);
    writeSummary(join(folder, 'summary.json'), summary);
    if (best !== undefined) writeSummary(join(folder, 'summary-best.json'), best);
    await writeReport(folder, report);
    this.#unmark();
  }
}

/**
 * The run's log: `log.jsonl` in the out folder, with the time of the run and not of the wall clock. Most runs log nothing, so pino is
 * loaded for the first line.
 */
function logFile(folder: string, now: () => number): Log & { close(): void } {
  const path = join(folder, 'log.jsonl');
  writeFileSync(path, '');
  let opened: { readonly logger: Logger; close(): void } | undefined;
  const logger = () => {
    opened ??= openedLog(path, now);
    return opened.logger;
  };
  return {
    debug: (message, fields) => logger().debug(fields ?? {}, message),
    info: (message, fields) => logger().info(fields ?? {}, message),
    warn: (message, fields) => logger().warn(fields ?? {}, message),
    close: () => opened?.close(),
  };
}

function openedLog(path: string, now: () => number) {
  const pino: typeof Pino = createRequire(import.meta.url)('pino');
  const file = pino.destination({ dest: path, sync: true });
  const logger = pino({ level: 'debug', base: null, timestamp: () => `,"time":${Number.isFinite(now()) ? now() : 0}` }, file);
  return { logger, close: () => file.end() };
}

function writeSummary(path: string, summary: Summary): void {
  writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`);
}
