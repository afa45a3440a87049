import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { findRecording, listRecordings, seriesLike } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { type SeriesKind, seriesTitle } from '../../recording/columns/series-meta.ts';
import { readSeries } from '../../recording/columns/series-reader.ts';
import { recordingsWithSignals } from '../../recording/signals/signal-file.ts';
import { renderSeriesPage } from '../../report/html/series-page.ts';
import { type ShownSeries, showSeries } from '../../report/shown-series.ts';
import { clientScript } from '../write-report.ts';
import { alignedLines, counted, intervalOption, plural, timeOption } from './cli-text.ts';
import { showSignals } from './signals.ts';

/** The largest number of points and candles on one page, some 60 bytes each. */
const POINTS_OF_PAGE = 20_000;
const POINTS_OF_SERIES = 8_000;

export interface DataShowOptions {
  readonly dataDir: string;
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | 'signal' | undefined;
  /** Length of the bars, as `1m`. */
  readonly of?: string | undefined;
  /** ISO 8601, [from, to). */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly rows: string;
  readonly out?: string | undefined;
  readonly replace?: boolean | undefined;
}

/**
 * Prints the first and last rows and the statistics of each selected series, and writes a page with their charts.
 * @throws TidegateError DATA_NOT_FOUND if no series matches or none has a row in the period; USAGE; DATA_EXISTS; DATA_CORRUPT.
 */
export async function dataShow(name: string, options: DataShowOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, of, replace } = options;
  const rows = countOption('--rows', options.rows);
  const from = options.from === undefined ? Number.NEGATIVE_INFINITY : timeOption('--from', options.from);
  const to = options.to === undefined ? Number.POSITIVE_INFINITY : timeOption('--to', options.to);
  const hasSignals = recordingsWithSignals(dataDir).includes(name);
  const hasSeries = (await listRecordings(dataDir)).some((recording) => recording.name === name);
  if (kind === 'signal' || (hasSignals && !hasSeries)) {
    if (kind !== 'signal' && kind !== undefined) throw new TidegateError('DATA_NOT_FOUND', `recording "${name}" has only signals`);
    await showSignals(dataDir, name, { from, to, symbol, most: rows }, print);
    return;
  }
  const places = seriesLike(await findRecording(dataDir, name), { symbol, kind, intervalMs: intervalOption('--of', of) }, 'of that kind');
  const out = options.out ?? join('runs', `${name}.data.html`);
  if (options.out !== undefined && replace !== true && existsSync(out))
    throw new TidegateError('DATA_EXISTS', `${out} already exists; use --replace to replace it`);
  const points = Math.min(POINTS_OF_SERIES, Math.floor(POINTS_OF_PAGE / places.length));
  const shown: (ShownSeries & { readonly title: string })[] = [];
  for (const place of places) {
    // The state of a book depends on all its earlier rows.
    const reader = readSeries(await openSeriesAt(dataDir, place), { fromMs: place.kind === 'depth' ? undefined : from });
    shown.push({ title: seriesTitle(place), ...showSeries(reader, { from, to, rows, points }) });
  }
  if (shown.every((series) => series.rows === 0))
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `recording "${name}" has no row between --from and --to in ${shown.map(({ title }) => title).join(', ')}`,
    );
  for (const series of shown) printSeries(series, print);
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, renderSeriesPage(name, shown, await clientScript()));
  print(`page: ${out}`);
}

const MOST = 1_000;

/** A whole number from 0 to 1000. @throws TidegateError USAGE for other text. */
function countOption(flag: string, text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MOST) return count;
  throw new TidegateError('USAGE', `${flag} "${text}"; expected a whole number from 0 to ${MOST}`);
}

const STATISTIC_HEADINGS = ['column', 'first', 'last', 'least', 'mean', 'greatest', 'zeros'];

function printSeries(
  { title, rows, names, head, tail, statistics }: ShownSeries & { readonly title: string },
  print: (line: string) => void,
): void {
  print(`${title}: ${plural(rows, 'row')}`);
  if (rows === 0) return;
  const right = names.map((_, column) => column).slice(1);
  const left = rows - head.length - tail.length;
  const between = left === 0 ? [] : [names.map((_, column) => (column === 0 ? `... ${counted(left)} more` : ''))];
  if (head.length > 0) for (const line of alignedLines([names, ...head, ...between, ...tail], right)) print(`  ${line}`);
  const figures = statistics.map(({ name, first, last, least, mean, greatest, zeros }) => [
    name,
    first,
    last,
    least,
    mean,
    greatest,
    counted(zeros),
  ]);
  for (const line of alignedLines([STATISTIC_HEADINGS, ...figures], [1, 2, 3, 4, 5, 6])) print(`  ${line}`);
  print('');
}
