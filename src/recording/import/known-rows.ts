import { isoTime } from '../../model/time.ts';
import type { RowBuffer } from '../columns/chunks.ts';
import { decimalText } from '../columns/decimals.ts';
import { calendarSlackMs, isDecimal, plainText, SERIES_COLUMNS } from '../columns/series-meta.ts';
import { readSeries, type SeriesRows, type StoredSeries } from '../columns/series-reader.ts';
import { type DecimalScales, RowError } from './rows.ts';

type Scales = Pick<DecimalScales, 'price' | 'quantity'>;

/**
 * Compares the rows of an import with those of the series that it adds to. Rows that the series has must be equal; they are taken out,
 * and the rows after the last one stay. One object is for one pass over the files.
 */
export class KnownRows {
  /** Rows that the series has already. */
  count = 0;
  readonly #series: StoredSeries;
  readonly #advice: string;
  #rows: SeriesRows | undefined;
  #row = 0;
  #started = false;

  /** @param advice how the message about a row that differs ends. */
  constructor(series: StoredSeries, advice: string) {
    this.#series = series;
    this.#advice = advice;
  }

  /**
   * Takes the known rows out of the buffer's rows from `from` on.
   * @throws TidegateError DATA_INVALID if a row differs, the series lacks it, or the file lacks a row of the series.
   */
  takeOut(buffer: RowBuffer, from: number, path: string, scales: Scales): void {
    let row = from;
    if (!this.#started && row < buffer.rows) this.#start(buffer, row, path, scales);
    for (; row < buffer.rows && this.#rows !== undefined; row++) {
      this.#compare(buffer, row, path, scales);
      this.#advance();
    }
    const known = row - from;
    this.count += known;
    if (known === 0) return;
    for (; row < buffer.rows; row++) buffer.moveRow(row, row - known);
    buffer.rows -= known;
  }

  close(): void {
    this.#rows?.close();
    this.#rows = undefined;
  }

  /** Finds the first row's place in the series. */
  #start(buffer: RowBuffer, row: number, path: string, scales: Scales): void {
    this.#started = true;
    const { meta } = this.#series;
    const us = buffer.time[row]!;
    const [firstUs, lastUs] = [toUs(meta.firstTime), toUs(meta.lastTime)];
    if (us < firstUs) {
      const problem = `the time ${isoTime(us / 1_000)} is before ${isoTime(meta.firstTime)}, where the series begins; ${this.#advice}`;
      throw new RowError(path, buffer.lines[row]!, undefined, problem);
    }
    if (us > lastUs) {
      this.#requireNext(buffer, row, path);
      return;
    }
    this.#rows = readSeries(this.#series, { fromMs: us / 1_000 });
    this.#row = -1;
    this.#advance();
    while (this.#usOf() < us) this.#advance();
    // Several rows may have one time, and a file may begin with any of them.
    const begin = this.#row;
    while (this.#rows !== undefined && this.#usOf() === us && !this.#equals(buffer, row, scales) && this.#row + 1 < this.#rows.length)
      this.#row++;
    if (!this.#equals(buffer, row, scales)) this.#row = begin;
  }

  /** A bar after the last one begins where that one ends, or later. */
  #requireNext(buffer: RowBuffer, row: number, path: string): void {
    const { lastTime, intervalMs } = this.#series.meta;
    const us = buffer.time[row]!;
    if (intervalMs === undefined || us / 1_000 >= lastTime + intervalMs - calendarSlackMs(intervalMs)) return;
    const problem = `the bar at ${isoTime(us / 1_000)} begins inside the series' last bar, at ${isoTime(lastTime)}`;
    throw new RowError(path, buffer.lines[row]!, undefined, problem);
  }

  #advance(): void {
    const rows = this.#rows!;
    if (++this.#row < rows.length) return;
    this.#row = 0;
    if (!rows.next()) this.#rows = undefined;
  }

  #usOf(): number {
    return toUs(this.#rows!.time[this.#row]!);
  }

  #equals(buffer: RowBuffer, row: number, scales: Scales): boolean {
    const { columns, nanos } = this.#rows!;
    const { kind, priceDecimals, quantityDecimals } = this.#series.meta;
    if (buffer.time[row] !== this.#usOf() || buffer.nanos[row] !== (nanos?.[this.#row] ?? 0)) return false;
    return SERIES_COLUMNS[kind].every(({ unit }, index) => {
      const own = buffer.columns[index]![row]!;
      const there = columns[index]![this.#row]!;
      if (!isDecimal(unit)) return own === there;
      const decimals = unit === 'price' ? priceDecimals : quantityDecimals;
      return decimals === scales[unit] ? own === there : decimalText(own, scales[unit]) === decimalText(there, decimals);
    });
  }

  #compare(buffer: RowBuffer, row: number, path: string, scales: Scales): void {
    if (this.#equals(buffer, row, scales)) return;
    const { meta } = this.#series;
    const [us, there] = [buffer.time[row]!, this.#usOf()];
    const last = isoTime(meta.lastTime);
    const stamp = isoTime(us / 1_000, buffer.nanos[row]);
    const problem =
      us < there
        ? `the series has no row at ${stamp}, though it lasts until ${last}`
        : us > there
          ? `the series has a row at ${isoTime(there / 1_000)}, which the file lacks`
          : `the row at ${stamp} is (${this.#text(buffer.columns, row, scales)}), but (${this.#text(this.#rows!.columns, this.#row, { price: meta.priceDecimals, quantity: meta.quantityDecimals })}) in the series`;
    throw new RowError(path, buffer.lines[row]!, undefined, `${problem}; ${this.#advice}`);
  }

  /** The values of a row: `open 1, high 2`. */
  #text(columns: readonly Float64Array[], row: number, scales: Scales): string {
    const cells = SERIES_COLUMNS[this.#series.meta.kind].map(({ name, unit }, index) => {
      const value = columns[index]![row]!;
      return `${name} ${isDecimal(unit) ? decimalText(value, scales[unit]) : plainText(value, unit)}`;
    });
    return cells.join(', ');
  }
}

function toUs(ms: number): number {
  return Math.round(ms * 1_000);
}
