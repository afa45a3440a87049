import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { intervalText, isoTime } from '../../model/time.ts';
import { RowBuffer } from '../columns/chunks.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { decimalText } from '../columns/decimals.ts';
import { type ColumnUnit, isDecimal, plainText, SERIES_COLUMNS, type SeriesMeta } from '../columns/series-meta.ts';
import { type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';
import type { ColumnNames } from './csv/csv-layout.ts';
import { type InputFile, openInputFiles, openRows } from './input-files.ts';
import { DecimalScales, OneSymbol, type Quarantine, quoted, type RefuseRow, RowError, type RowsTarget } from './rows.ts';

export interface ImportOptions extends SeriesTarget {
  /** CSV files or JSON lines, plain, gzip or zip, in any order; they are joined by time and may not overlap. */
  readonly files: readonly string[];
  /** What a bar's stamp means; `open` by default. Bars are stored by open time. */
  readonly time?: 'open' | 'close' | undefined;
  /** Our column names to the files' headers where those are not recognised. */
  readonly columns?: ColumnNames | undefined;
  /** Of files whose rows say which symbol they are of: the one that is meant, in their words. Without it they may have but one. */
  readonly only?: string | undefined;
  /** Takes the rows that cannot be imported, and is finished by the caller; without it the first one ends the import. */
  readonly quarantine?: Quarantine | undefined;
}

/**
 * Imports files of rows as one series of a recording, exactly: digits become integers without passing through
 * binary fractions. Either the whole series is there afterwards or nothing of it.
 *
 * `intervalMs` left out for bars is the smallest distance between the first thousand bars.
 * @throws TidegateError DATA_INVALID naming file, row and column; DATA_EXISTS; DATA_NOT_FOUND; USAGE.
 */
export function importCsv(options: ImportOptions): SeriesMeta {
  if (!isSymbol(options.symbol)) {
    throw new TidegateError('USAGE', `"${options.symbol}" is no symbol; expected BASE-QUOTE or BASE-QUOTE-PERP in capitals and digits`);
  }
  if (options.files.length === 0) throw new TidegateError('USAGE', 'no files to import');
  // Rows that are refused while looking ahead are refused again while reading.
  const lookAhead = options.quarantine === undefined ? throwIt : () => {};
  const files = openInputFiles(options.files, options.kind, options.columns ?? {}, lookAhead);
  const intervalMs = options.kind === 'bar' ? barInterval(files[0]!, options, lookAhead) : undefined;
  const target = { ...options, intervalMs };
  const scales = new DecimalScales();
  for (;;) {
    const meta = importOnce(files, target, scales);
    if (meta !== undefined) return meta;
  }
}

/**
 * One pass over the files; `undefined` when the decimals changed after rows were written: `scales` then
 * knows them and the next pass goes through. Each such pass adds places or lowers the cap, so they end.
 */
function importOnce(files: readonly InputFile[], options: ImportOptions, scales: DecimalScales): SeriesMeta | undefined {
  const { quarantine } = options;
  quarantine?.restart();
  const writer = new SeriesWriter(options);
  try {
    const buffer = new RowBuffer(options.kind);
    const order = new RowOrder(options.intervalMs);
    const symbol = new OneSymbol(options.only);
    const clock = new ClockOffsets();
    const { price, quantityCap } = scales;
    let quantity = scales.quantity;
    let writtenPrice = price;
    let stale = false;
    const flush = () => {
      const grew = writer.rows > 0 && (scales.price !== writtenPrice || scales.quantity !== quantity);
      stale ||= grew || scales.quantityCap !== quantityCap;
      writtenPrice = scales.price;
      quantity = scales.quantity;
      if (stale) buffer.rows = 0;
      else writer.write(buffer);
    };
    const refuse = quarantine?.refuse ?? throwIt;
    for (const file of files) readFile(file, options, { scales, symbol, clock, buffer, order, flush, refuse });
    flush();
    if (stale) {
      writer.abort();
      return undefined;
    }
    if (writer.rows === 0 && options.only !== undefined && quarantine?.first === undefined)
      throw new TidegateError('DATA_INVALID', `no row is of ${quoted(options.only)}; expected a symbol as the files write it after --only`);
    if (writer.rows === 0 && quarantine?.first !== undefined) {
      throw new TidegateError(
        'DATA_INVALID',
        `none of the ${quarantine.count} rows can be imported; the first: ${quarantine.first.message}`,
      );
    }
    return writer.finish({
      priceDecimals: scales.price,
      quantityDecimals: scales.quantity,
      source: files.map((file) => basename(file.path)),
      clock: clock.offset,
    });
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** What one pass over all files shares. */
interface Pass extends RowsTarget {
  readonly order: RowOrder;
  readonly flush: () => void;
}

function readFile(file: InputFile, options: ImportOptions, pass: Pass): void {
  const { scales, buffer, order, flush, refuse } = pass;
  const rows = openRows(file, pass);
  try {
    const shiftUs = options.time === 'close' ? (options.intervalMs ?? 0) * 1_000 : 0;
    for (let more = true; more; ) {
      if (buffer.rows === buffer.capacity) flush();
      const from = buffer.rows;
      more = rows.fill();
      if (shiftUs !== 0) for (let row = from; row < buffer.rows; row++) buffer.time[row]! -= shiftUs;
      order.check(buffer, from, file.path, (error, row) => refuse(error, () => rowText(buffer, row, scales)));
    }
  } finally {
    rows.close();
  }
}

function throwIt(error: RowError): never {
  throw error;
}

const LOOK_AHEAD_ROWS = 1_000;

/** The shortest distance between two bars that may be a calendar month, less an hour of summer time. */
const SHORTEST_MONTH_MS = 28 * 86_400_000 - 3_600_000;

/**
 * The length of a file's bars in ms: the one given, else the smallest distance between two of its first thousand stamps.
 * @throws TidegateError DATA_INVALID when there is no second bar, the distance is no whole number of seconds, or the bars are calendar
 * months: as bars of the shortest of these they would lie.
 */
function barInterval(file: InputFile, { intervalMs, only }: ImportOptions, refuse: RefuseRow): number {
  if (intervalMs !== undefined && intervalMs < SHORTEST_MONTH_MS) return intervalMs;
  const stamps = firstStamps(file, only, refuse);
  const ms = intervalMs ?? inferInterval(file, stamps);
  const months = ms < SHORTEST_MONTH_MS ? undefined : calendarMonths(stamps);
  if (months === undefined) return ms;
  const named = CALENDAR_NAMES.get(months) ?? `periods of ${months} months`;
  const seen = stamps.slice(0, 3).map((us) => isoTime(us / 1_000));
  throw new RowError(
    file.path,
    1,
    undefined,
    `bars of calendar ${named}, whose length is not always the same (${seen.join(', ')}); expected bars of one length: import those of 1d or 1w`,
  );
}

const CALENDAR_NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'months'],
  [3, 'quarters'],
  [12, 'years'],
]);

/** The least number of calendar months between two stamps in microseconds, where there is a whole one between any two; else undefined. */
function calendarMonths(stamps: readonly number[]): number | undefined {
  let least: number | undefined;
  for (let row = 1; row < stamps.length; row++) {
    const months = monthsBetween(stamps[row - 1]! / 1_000, stamps[row]! / 1_000);
    if (months === undefined) return undefined;
    least = Math.min(least ?? months, months);
  }
  return least;
}

/** Whole calendar months between two times; an hour more or less is summer time. */
function monthsBetween(from: number, to: number): number | undefined {
  const first = new Date(from);
  for (const shift of [0, 3_600_000, -3_600_000]) {
    const second = new Date(to + shift);
    const months = (second.getUTCFullYear() - first.getUTCFullYear()) * 12 + second.getUTCMonth() - first.getUTCMonth();
    const isSameDay = first.getUTCDate() === second.getUTCDate() || (isLastOfMonth(first) && isLastOfMonth(second));
    if (months > 0 && isSameDay && timeOfDay(first) === timeOfDay(second)) return months;
  }
  return undefined;
}

function isLastOfMonth(date: Date): boolean {
  return new Date(date.getTime() + 86_400_000).getUTCDate() === 1;
}

function timeOfDay(date: Date): number {
  return date.getTime() % 86_400_000;
}

/** The first stamps of a file, in microseconds. @param only the symbol that is meant, where the file has several. */
function firstStamps(file: InputFile, only: string | undefined, refuse: RefuseRow): number[] {
  const buffer = new RowBuffer('bar');
  const rows = openRows(file, { scales: new DecimalScales(), symbol: new OneSymbol(only), clock: new ClockOffsets(), buffer, refuse });
  try {
    rows.fill();
  } finally {
    rows.close();
  }
  return Array.from(buffer.time.subarray(0, Math.min(LOOK_AHEAD_ROWS, buffer.rows)));
}

function inferInterval(file: InputFile, stamps: readonly number[]): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (let row = 1; row < stamps.length; row++) {
    const distance = stamps[row]! - stamps[row - 1]!;
    if (distance > 0 && distance < smallest) smallest = distance;
  }
  const ms = smallest / 1_000;
  if (Number.isFinite(ms) && ms % 1_000 === 0) return ms;
  const found = Number.isFinite(ms)
    ? `the bars lie ${ms} ms apart, which is no whole number of seconds (${intervalText(1_000)})`
    : stamps.length > 1
      ? 'no bar bears a later time than the one before it: rows are doubled, or out of order'
      : 'there is only one bar';
  throw new RowError(file.path, 1, undefined, `cannot tell the length of the bars: ${found}; --interval 1m gives it`);
}

/**
 * Refuses rows that are not in time order. Bars must lie at least one interval apart; other rows may share
 * a stamp, but a file may not begin with a row that the file before it holds already.
 */
class RowOrder {
  readonly #intervalUs: number;
  #lastUs = Number.NEGATIVE_INFINITY;
  #lastNanos = 0;
  #lastRow: readonly number[] = [];
  #lastPath = '';

  /** @param intervalMs length of the bars; `undefined` for other kinds. */
  constructor(intervalMs: number | undefined) {
    this.#intervalUs = (intervalMs ?? 0) * 1_000;
  }

  /**
   * Judges the buffer's rows from `from` on, which come from `path`; those that are refused are taken out of it.
   * @param refuse throws, or puts the row of the buffer aside: what follows is then judged by the row before.
   */
  check(buffer: RowBuffer, from: number, path: string, refuse: (error: RowError, row: number) => void): void {
    const { time, nanos, rows } = buffer;
    const gap = this.#intervalUs;
    let lastUs = this.#lastUs;
    let lastNanos = this.#lastNanos;
    let kept = from;
    for (let row = from; row < rows; row++) {
      const us = time[row]!;
      const step = us - lastUs;
      if (step < gap || kept === from || (step === 0 && nanos[row]! < lastNanos)) {
        this.#lastUs = lastUs;
        this.#lastNanos = lastNanos;
        const error =
          this.#disorder(buffer, row, path, kept === from) ?? (kept === from ? this.#repeat(buffer, row, kept, path) : undefined);
        if (error !== undefined) {
          refuse(error, row);
          continue;
        }
      }
      if (kept !== row) buffer.moveRow(row, kept);
      lastUs = us;
      lastNanos = nanos[kept]!;
      kept++;
    }
    buffer.rows = kept;
    if (kept === from) return;
    this.#lastUs = lastUs;
    this.#lastNanos = lastNanos;
    this.#lastRow = buffer.columns.map((column) => column[kept - 1]!);
    this.#lastPath = path;
  }

  /** Refuses a file's first row where a row of the same stamp before it, in the buffer or the last of all, is the same. */
  #repeat(buffer: RowBuffer, row: number, kept: number, path: string): RowError | undefined {
    if (this.#lastPath === path || buffer.time[row] !== this.#lastUs || buffer.nanos[row] !== this.#lastNanos) return undefined;
    let repeated = buffer.columns.every((column, index) => column[row] === this.#lastRow[index]);
    for (let before = kept - 1; before >= 0 && buffer.time[before] === this.#lastUs; before--) repeated ||= buffer.equalRows(before, row);
    if (!repeated) return undefined;
    return new RowError(path, buffer.lines[row]!, undefined, `repeats a row of ${basename(this.#lastPath)}: the files overlap`);
  }

  /** @param first the row follows one that an earlier file may hold. */
  #disorder(buffer: RowBuffer, row: number, path: string, first: boolean): RowError | undefined {
    const us = buffer.time[row]!;
    const step = us - this.#lastUs;
    if (step >= this.#intervalUs && !(step === 0 && buffer.nanos[row]! < this.#lastNanos)) return undefined;
    const stamp = isoTime(us / 1_000);
    const before = isoTime(this.#lastUs / 1_000);
    const seam = first && this.#lastPath !== path ? ` of ${basename(this.#lastPath)}: the files overlap` : '';
    const refused = (problem: string) => new RowError(path, buffer.lines[row]!, undefined, problem);
    if (us === this.#lastUs && this.#intervalUs > 0) return refused(`the time ${stamp} repeats that of the row before${seam}`);
    if (us > this.#lastUs) {
      const length = intervalText(this.#intervalUs / 1_000);
      return refused(`the bar at ${stamp} begins inside the ${length} bar at ${before}${seam}; --interval sets another length`);
    }
    return refused(`the time ${stamp} is earlier than ${before}, the row before${seam}; expected rows in time order`);
  }
}

/** A row at hand as the line of CSV that an export makes of it. */
function rowText(buffer: RowBuffer, row: number, scales: Pick<DecimalScales, 'price' | 'quantity'>): string {
  const cells = SERIES_COLUMNS[buffer.kind].map(({ unit }, index) => cellText(buffer.columns[index]![row]!, unit, scales));
  return [isoTime(buffer.time[row]! / 1_000, buffer.nanos[row]), ...cells].join(',');
}

function cellText(units: number, unit: ColumnUnit, scales: Pick<DecimalScales, 'price' | 'quantity'>): string {
  return isDecimal(unit) ? decimalText(units, scales[unit]) : plainText(units, unit);
}
