import { findRecording, findSeries } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import type { SeriesKind } from '../../recording/columns/series-meta.ts';
import { exportSeries } from '../../recording/export-series.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { intervalOption, seriesSummary } from './cli-text.ts';

export interface DataExportOptions {
  readonly dataDir: string;
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
  /** Length of the bars, as `1m`. */
  readonly of?: string | undefined;
  readonly out: string;
  readonly replace?: boolean | undefined;
}

/** Writes one series to a file and prints a summary. Ctrl-C ends it with 130 and leaves no file. */
export async function dataExport(recording: string, options: DataExportOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, out, replace } = options;
  const query = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const series = await openSeriesAt(dataDir, findSeries(await findRecording(dataDir, recording), query, 'to export'));
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
