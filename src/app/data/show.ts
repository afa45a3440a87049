import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { findRecording, seriesLike } from '../../recording/catalogue/find-recording.ts';
import { keepSeries } from '../../recording/catalogue/keep-series.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { type SeriesKind, seriesTitle } from '../../recording/columns/series-meta.ts';
import { readSeries } from '../../recording/columns/series-reader.ts';
import { synthesise } from '../../recording/synth/synth.ts';
import type { SynthInstrument } from '../../recording/synth/synth-stream.ts';
import { renderSeriesPage } from '../../report/html/series-page.ts';
import { type ShownSeries, showSeries } from '../../report/shown-series.ts';
import { clientScript } from '../write-report.ts';
import { countOption } from './import-export.ts';
import { alignedLines, counted, intervalOption, plural, seriesSummary, timeOption } from './text-layout.ts';

/** Points and candles on one page: some 60 bytes each. */
const POINTS_OF_PAGE = 20_000;
const POINTS_OF_SERIES = 8_000;

export interface DataShowOptions {
  readonly dataDir: string;
  readonly symbol?: string | undefined;
  readonly kind?: SeriesKind | undefined;
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
 * Prints the first and last rows and the statistics of each series that is meant, and writes a page with their pictures.
 * @throws TidegateError DATA_NOT_FOUND where no series is meant or none has a row in the period; USAGE; DATA_EXISTS; DATA_CORRUPT.
 */
export async function dataShow(name: string, options: DataShowOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, symbol, kind, of, replace } = options;
  const places = seriesLike(await findRecording(dataDir, name), { symbol, kind, intervalMs: intervalOption('--of', of) }, 'of that kind');
  const from = options.from === undefined ? Number.NEGATIVE_INFINITY : timeOption('--from', options.from);
  const to = options.to === undefined ? Number.POSITIVE_INFINITY : timeOption('--to', options.to);
  const rows = countOption('--rows', options.rows);
  const out = options.out ?? join('runs', `${name}.data.html`);
  if (options.out !== undefined && replace !== true && existsSync(out))
    throw new TidegateError('DATA_EXISTS', `${out}: is there already; --replace replaces it`);
  const points = Math.min(POINTS_OF_SERIES, Math.floor(POINTS_OF_PAGE / places.length));
  const shown: (ShownSeries & { readonly title: string })[] = [];
  for (const place of places) {
    // Of depth all rows before make the book.
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
  print(`picture: ${out}`);
}

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
  for (const line of alignedLines([HEADINGS, ...figures], [1, 2, 3, 4, 5, 6])) print(`  ${line}`);
  print('');
}

const HEADINGS = ['column', 'first', 'last', 'least', 'mean', 'greatest', 'zeros'];

export interface DataSynthOptions {
  readonly dataDir: string;
  readonly name: string;
  readonly seed: string;
  readonly from: string;
  /** `SYMBOL:tick:price` each, such as `BTC-USDT:0.01:94000`. */
  readonly instrument: readonly string[];
  readonly interval: string;
  /** How long each kind lasts, such as `28d`; a kind without one is not made, 28 days of bars when none has one. */
  readonly bars?: string | undefined;
  readonly tickers?: string | undefined;
  readonly quotes?: string | undefined;
  readonly trades?: string | undefined;
  readonly depth?: string | undefined;
  /** Of `-PERP` symbols alone, as is funding. */
  readonly marks?: string | undefined;
  readonly funding?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** Makes a synthetic recording and prints what it holds. */
export async function dataSynth(options: DataSynthOptions, print: (line: string) => void): Promise<void> {
  const { dataDir, name, replace } = options;
  const lengths: [SeriesKind, string, string | undefined][] = [
    ['bar', '--bars', options.bars],
    ['ticker', '--tickers', options.tickers],
    ['quote', '--quotes', options.quotes],
    ['trade', '--trades', options.trades],
    ['depth', '--depth', options.depth],
    ['mark', '--marks', options.marks],
    ['funding', '--funding', options.funding],
  ];
  if (lengths.every(([, , text]) => text === undefined)) lengths[0]![2] = '28d';
  const intervalMs = intervalOption('--interval', options.interval);
  const series = lengths.flatMap(([kind, flag, text]) =>
    text === undefined ? [] : [{ kind, durationMs: intervalOption(flag, text), intervalMs: kind === 'bar' ? intervalMs : undefined }],
  );
  const instruments = options.instrument.map(instrument);
  const made = { seed: seed(options.seed), startMs: timeOption('--from', options.from), instruments, series };
  const kept = await keepSeries({ dataDir, name, replace }, (staging) => synthesise({ ...staging, ...made }));
  for (const one of kept) print(seriesSummary(one.series.meta));
  print('synthetic: made up from the seed, no market ever traded at these prices');
}

function instrument(text: string): SynthInstrument {
  const [symbol = '', tick = '', price = '', ...rest] = text.split(':');
  if (price !== '' && rest.length === 0) return { symbol, tick, price };
  throw new TidegateError('USAGE', `--instrument "${text}"; expected SYMBOL:tick:price, such as BTC-USDT:0.01:94000`);
}

function seed(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TidegateError('USAGE', `--seed "${text}"; expected a whole number of at most 15 digits`);
}
