import { TidegateError } from '../../model/errors.ts';
import { findRecording, findSeries } from '../../recording/catalogue/find-recording.ts';
import { keepSeries } from '../../recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../recording/checks/check-series.ts';
import { SERIES_COLUMNS, type SeriesKind } from '../../recording/columns/series-meta.ts';
import { exportSeries } from '../../recording/export-series.ts';
import { importCsv } from '../../recording/import/import-csv.ts';
import { Quarantine } from '../../recording/import/rows.ts';
import { withTablesAsText } from '../../recording/import/tables.ts';
import { requireLocal } from '../../recording/remote-storage.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { intervalOption, plural, seriesSummary, wrapped } from './cli-text.ts';

export interface DataImportOptions {
  readonly dataDir: string;
  readonly name: string;
  readonly symbol: string;
  readonly kind: SeriesKind;
  /** As `1m`, `4h`, `1d`; told from the data when absent. */
  readonly interval?: string | undefined;
  readonly time?: 'open' | 'close' | undefined;
  /** `name=header` pairs, each entry one or several with commas between. */
  readonly columns?: readonly string[] | undefined;
  /** The symbol whose rows are meant, as the files write it. */
  readonly only?: string | undefined;
  /** File that takes the rows that cannot be imported. */
  readonly quarantine?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Imports files as one series and prints what it became and what a check found in it. */
export async function dataImport(files: readonly string[], options: DataImportOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, name, symbol, kind, time, only, replace } = options;
  requireLocal(dataDir, 'what is imported');
  if (kind !== 'bar' && (options.interval !== undefined || time !== undefined)) {
    throw new TidegateError('USAGE', `--interval and --time are for bars, not for ${kind === 'funding' ? kind : `a ${kind}`}`);
  }
  const columns = columnNames(options.columns ?? [], kind);
  const intervalMs = intervalOption('--interval', options.interval);
  const quarantine = options.quarantine === undefined ? undefined : new Quarantine(options.quarantine, replace ?? false);
  const { series, file } = await whole(quarantine, () =>
    withTablesAsText(files, async (texts) => {
      const [kept] = await keepSeries({ dataDir, name, replace }, (staging) => [
        importCsv({ ...staging, files: texts, symbol, kind, intervalMs, time, columns, only, quarantine }),
      ]);
      return kept!;
    }),
  );
  print(seriesSummary(series.meta));
  print(`written to ${file}`);
  if (quarantine !== undefined) print(`${plural(quarantine.count, 'row')} refused, listed in ${quarantine.path}`);
  const { findings } = checkSeries(series);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 2)) print(line);
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  if (errors > 0) print(`${plural(errors, 'error')} in the data: "tidegate data check ${name}" shows this again`);
}

/** The quarantine's file stays only where the series does. */
async function whole<T>(quarantine: Quarantine | undefined, work: () => Promise<T>): Promise<T> {
  try {
    const done = await work();
    quarantine?.finish();
    return done;
  } catch (error) {
    quarantine?.abort();
    throw error;
  }
}

function columnNames(entries: readonly string[], kind: SeriesKind): Record<string, string> {
  const known = ['time', ...SERIES_COLUMNS[kind].map((column) => column.name)];
  const names: Record<string, string> = {};
  for (const entry of entries.flatMap((text) => text.split(','))) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, Math.max(at, 0)).trim();
    const header = entry.slice(at + 1).trim();
    if (!known.includes(name) || header === '') {
      throw new TidegateError('USAGE', `--columns "${entry}"; expected <name>=<header> with a name of ${known.join(', ')}`);
    }
    names[name] = header;
  }
  return names;
}

export interface DataExportOptions {
  readonly dataDir: string;
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
  /** Length of the bars, as `1m`. */
  readonly of?: string | undefined;
  readonly out: string;
  readonly replace?: boolean | undefined;
}

/** Writes one series as a file and prints what it holds. Ctrl-C ends it with 130 and leaves nothing behind. */
export async function dataExport(recording: string, options: DataExportOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, out, replace } = options;
  const wish = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const series = await openSeriesAt(dataDir, findSeries(await findRecording(dataDir, recording), wish, 'to export'));
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort);
  try {
    const whole = await exportSeries(series, { out, replace, signal: interrupt.signal });
    if (whole) print(`${seriesSummary(series.meta)}, written to ${out}`);
    else process.exitCode = EXIT_CODES.interrupted;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort);
  }
}
