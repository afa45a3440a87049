import { decimalText } from '../recording/columns/decimals.ts';
import { plainText, SERIES_COLUMNS, type SeriesColumn, type SeriesMeta } from '../recording/columns/series-meta.ts';
import type { SeriesRows } from '../recording/columns/series-reader.ts';
import { rowTexts } from '../recording/export-series.ts';
import type { SeriesPicture } from './html/page-data.ts';
import { SeriesPainter } from './series-painter.ts';

/** One line of the statistics of a series, as text: exact but for means, which have two digits more than their column. */
export interface ColumnStatistics {
  readonly name: string;
  readonly first: string;
  readonly last: string;
  readonly least: string;
  readonly mean: string;
  readonly greatest: string;
  readonly zeros: number;
}

/** The texts about a series, or a part of it, for people. */
export interface ShownSeries {
  readonly meta: SeriesMeta;
  /** The number of rows in the part, and its first and last time as text; the other fields are empty where there are none. */
  readonly rows: number;
  readonly from: string;
  readonly to: string;
  /** Column names, time first. */
  readonly names: readonly string[];
  /** The first and the last rows as text; no row is in both. */
  readonly head: readonly (readonly string[])[];
  readonly tail: readonly (readonly string[])[];
  readonly statistics: readonly ColumnStatistics[];
  readonly picture: SeriesPicture;
  /** A description of the picture. */
  readonly note: string;
}

interface ShowOptions {
  /** Epoch ms: [from, to). */
  readonly from: number;
  readonly to: number;
  /** This many of the first rows, and as many of the last. */
  readonly rows: number;
  /** The most points or candles of the picture. */
  readonly points: number;
}

/** Reads a series once, in bounded memory. @throws TidegateError DATA_CORRUPT */
export function showSeries(reader: SeriesRows, { from, to, rows, points }: ShowOptions): ShownSeries {
  const { meta } = reader;
  const columns = SERIES_COLUMNS[meta.kind];
  const texts = rowTexts(reader, meta);
  const figures = columns.map(() => new ColumnFigures());
  const painter = new SeriesPainter(meta, points);
  const head: string[][] = [];
  let tail: string[][] = [];
  let first: string[] = [];
  let last: string[] = [];
  let count = 0;
  const take = (start: number, end: number) => {
    for (const [index, figure] of figures.entries()) figure.update(reader.columns[index]!, start, end);
    painter.update(reader, start, end);
    for (let row = start; row < end && head.length < rows; row++) head.push(texts(row));
    const newest = Array.from({ length: Math.min(rows, end - start) }, (_, index) => texts(end - Math.min(rows, end - start) + index));
    tail = rows === 0 ? [] : [...tail, ...newest].slice(-rows);
    if (count === 0) first = texts(start);
    last = texts(end - 1);
    count += end - start;
  };
  while (reader.next()) {
    // Rows are taken in pieces, as the rows of an unsorted series may leave the period and return.
    for (let row = 0; row < reader.length; ) {
      const start = row;
      while (row < reader.length && reader.time[row]! >= from && reader.time[row]! < to) row++;
      if (row > start) take(start, row);
      else painter.pass(reader, row, ++row);
    }
  }
  const rest = Math.min(rows, count - head.length);
  return {
    meta,
    rows: count,
    from: first[0] ?? '',
    to: last[0] ?? '',
    names: ['time', ...columns.map(({ name }) => name)],
    head,
    tail: rest === 0 ? [] : tail.slice(-rest),
    statistics:
      count === 0 ? [] : columns.map((column, index) => statisticsOf(column, figures[index]!, first[index + 1]!, last[index + 1]!, meta)),
    picture: painter.picture(),
    note: painter.note(),
  };
}

function statisticsOf(column: SeriesColumn, figures: ColumnFigures, first: string, last: string, meta: SeriesMeta): ColumnStatistics {
  const { name, unit } = column;
  const { least, mean, greatest, zeros } = figures;
  if (unit === 'side') return { name, first, last, least: '', mean: sidesText(figures), greatest: '', zeros };
  if (unit === 'flag') return { name, first, last, least: '', mean: `${(100 * mean).toFixed(1)} % true`, greatest: '', zeros };
  if (unit === 'number') return { name, first, last, least: plainText(least, unit), mean: '', greatest: plainText(greatest, unit), zeros };
  const decimals = unit === 'price' ? meta.priceDecimals : meta.quantityDecimals;
  const text = (units: number) => decimalText(units, decimals);
  const meanText = decimalText(Math.round(mean * 100), decimals + 2);
  return { name, first, last, least: text(least), mean: meanText, greatest: text(greatest), zeros };
}

/** Sides are 1 for a buy and -1 for a sell: the share of buys among the known ones. */
function sidesText({ mean, zeros, count }: ColumnFigures): string {
  const known = count - zeros;
  return known === 0 ? '' : `${((100 * (known + Math.round(mean * count))) / (2 * known)).toFixed(1)} % buys`;
}

/** Least, mean and greatest value of a column, computed from its integers as it is read. The mean has the precision of doubles. */
class ColumnFigures {
  least = Number.POSITIVE_INFINITY;
  greatest = Number.NEGATIVE_INFINITY;
  zeros = 0;
  count = 0;
  #sum = 0;

  get mean(): number {
    return this.#sum / this.count;
  }

  /** Takes the values in [from, to) of a chunk. */
  update(column: Float64Array, from: number, to: number): void {
    let { least, greatest, zeros } = this;
    // One sum per chunk, so that small values are not lost in the total.
    let sum = 0;
    for (let row = from; row < to; row++) {
      const value = column[row]!;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      if (value === 0) zeros++;
      sum += value;
    }
    this.least = least;
    this.greatest = greatest;
    this.zeros = zeros;
    this.#sum += sum;
    this.count += to - from;
  }
}
