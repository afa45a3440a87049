import { exportCsv } from '../../recording/export-csv.ts';
import type { SeriesKind } from '../../recording/series-meta.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { intervalOption } from './interval-option.ts';
import { seriesSummary } from './series-text.ts';

export interface DataExportOptions {
  readonly dataDir: string;
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
  /** Length of the bars, as `1m`. */
  readonly of?: string | undefined;
  readonly out: string;
  readonly replace?: boolean | undefined;
}

/** Writes one series as a CSV file and prints what it holds. Ctrl-C ends it with 130 and leaves nothing behind. */
export async function dataExport(recording: string, options: DataExportOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, out, replace } = options;
  const of = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const interrupt = new AbortController();
  const abort = () => interrupt.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort);
  try {
    const meta = await exportCsv({ dataDir, name: recording, of, out, replace, signal: interrupt.signal });
    if (meta === undefined) process.exitCode = EXIT_CODES.interrupted;
    else print(`${seriesSummary(meta)}, written to ${out}`);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, abort);
  }
}
