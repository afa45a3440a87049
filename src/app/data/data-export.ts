import { exportCsv } from '../../recording/export-csv.ts';
import type { SeriesKind, SeriesMeta } from '../../recording/series-meta.ts';
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

/** Writes one series as a CSV file and prints what it holds. */
export async function dataExport(recording: string, options: DataExportOptions, print: (line: string) => void): Promise<SeriesMeta> {
  const { dataDir, symbol, kind, out, replace } = options;
  const of = { symbol, kind, intervalMs: intervalOption('--of', options.of) };
  const meta = await exportCsv({ dataDir, name: recording, of, out, replace });
  print(`${seriesSummary(meta)}, written to ${out}`);
  return meta;
}
