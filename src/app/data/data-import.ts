import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { checkSeries } from '../../recording/check.ts';
import { importCsv } from '../../recording/import-csv.ts';
import { SERIES_COLUMNS } from '../../recording/series-columns.ts';
import { type SeriesKind, type SeriesMeta, seriesFileName } from '../../recording/series-meta.ts';
import { intervalOption } from './interval-option.ts';
import { seriesSummary } from './series-text.ts';
import { plural, wrapped } from './text-layout.ts';

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
  readonly replace?: boolean | undefined;
}

/** Imports CSV files as one series and prints what it became and what a check found in it. */
export function dataImport(files: readonly string[], options: DataImportOptions, print: (line: string) => void): SeriesMeta {
  const { dataDir, name, symbol, kind, replace } = options;
  if (kind !== 'bar' && (options.interval !== undefined || options.time !== undefined)) {
    throw new TidegateError('USAGE', `--interval and --time are for bars, not for ${kind === 'funding' ? kind : `a ${kind}`}`);
  }
  const columns = columnNames(options.columns ?? [], kind);
  const meta = importCsv({
    files,
    dataDir,
    name,
    symbol,
    kind,
    intervalMs: intervalOption('--interval', options.interval),
    time: options.time,
    columns,
    replace,
  });
  const path = join(dataDir, name, `${seriesFileName(meta)}.bin`);
  print(seriesSummary(meta));
  print(`written to ${path}`);
  const { findings } = checkSeries(path, meta);
  for (const { severity, text } of findings) for (const line of wrapped(`${severity}: ${text}`, 2)) print(line);
  const errors = findings.filter((finding) => finding.severity === 'error').length;
  if (errors > 0) print(`${plural(errors, 'error')} in the data: "tidegate data check ${name}" shows this again`);
  return meta;
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
