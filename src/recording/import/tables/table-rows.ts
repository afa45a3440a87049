import type { RowBuffer } from '../../columns/chunks.ts';
import { POWERS_OF_TEN } from '../../columns/decimals.ts';
import type { CsvField } from '../csv/csv-fields.ts';
import type { CsvLayout } from '../csv/csv-layout.ts';
import { csvLine } from '../csv/csv-line.ts';
import { CsvValue } from '../csv/csv-value.ts';
import { RowError, type RowSource, type RowsTarget } from '../rows.ts';
import {
  markNulls,
  type Span,
  takeCodes,
  takeDecimals,
  takeFloats,
  takeGuessedTimes,
  takeNumbers,
  takeSingles,
  takeTimes,
} from './cell-numbers.ts';
import { cellText, type Table, type TableBatch, type TableBatches } from './table.ts';

/** Marks of a row that is not read with the others: it needs the slow way, or is of another symbol and otherwise plain. */
const ODD = 1;
const OTHER = 2;

/** Rows of a file count from its header, as in CSV. */
const FIRST_LINE = 2;

/**
 * The rows of a Parquet or Arrow file. Its columns become integers many rows at a time. Rows that are not plain are read one by one as
 * `CsvRows` reads text, with the same messages.
 */
export class TableRows implements RowSource {
  passedOver = 0;
  seen = 0;
  readonly #table: Table;
  readonly #layout: CsvLayout;
  readonly #target: RowsTarget;
  readonly #buffer: RowBuffer;
  readonly #slow: CsvValue;
  readonly #batches: TableBatches;
  readonly #reverse: boolean;
  readonly #odd = new Uint8Array(1 << 16);
  /** By field: values of texts that were read before. */
  readonly #codes: readonly Map<string, number>[];
  readonly #clockShift: number;
  /** Second times of the rows in the buffer, in microseconds; `NaN` where a row has none. */
  readonly #others: Float64Array;
  /** The column whose blanks are filled, and the values for them. */
  readonly #blanks: Float64Array;
  readonly #substitutes: Float64Array;
  #batch: TableBatch | undefined;
  #at = 0;
  #waiting: Promise<void> | undefined;
  #ended = false;

  /** @param reverse the last row comes first. */
  constructor(table: Table, layout: CsvLayout, target: RowsTarget, reverse: boolean) {
    const { scales, symbol, buffer, notes } = target;
    const { times, quantity } = layout;
    const isText = layout.fields.some(
      ({ unit }, index) => (unit === 'price' || unit === 'quantity') && table.fields[index]?.type.kind === 'text',
    );
    this.#table = table;
    this.#layout = layout;
    this.#target = target;
    this.#buffer = buffer;
    this.#reverse = reverse;
    // Numbers have no form; rows that are read from the last one on have rising times.
    const own = { ...layout, numbers: isText ? layout.numbers : {}, times: { ...times, falling: !reverse && times.falling === true } };
    this.#slow = new CsvValue(table.path, own, scales, symbol, buffer, notes);
    if (quantity !== undefined && quantity.decimals > scales.quantity) scales.grow('quantity', quantity.decimals, buffer);
    this.#codes = layout.fields.map(() => new Map<string, number>());
    this.#clockShift = layout.fields.find(({ unit }) => unit === 'clock')?.shift ?? 0;
    this.#others = new Float64Array(this.#clockShift === 0 ? 0 : buffer.capacity);
    const substitute = layout.fields.find(({ unit }) => unit === 'substitute');
    this.#blanks = substitute === undefined ? new Float64Array(0) : buffer.columns[substitute.column]!;
    this.#substitutes = new Float64Array(this.#blanks.length);
    this.#batches = table.open((index) => target.wholeRows === true || layout.fields[index]?.unit !== 'skip', reverse);
  }

  get waiting(): Promise<void> | undefined {
    this.#hasRows();
    return this.#waiting;
  }

  fill(): boolean {
    const { buffer, layout } = { buffer: this.#buffer, layout: this.#layout };
    const { quantity } = layout;
    const missing = quantity === undefined ? 0 : Number(quantity.digits) * POWERS_OF_TEN[this.#target.scales.quantity - quantity.decimals]!;
    for (const [index, column] of buffer.columns.entries()) {
      if (!layout.fields.some((field) => field.column === index)) column.fill(missing, buffer.rows);
    }
    const from = buffer.rows;
    while (buffer.rows < buffer.capacity && this.#hasRows()) this.#take();
    this.#fillBlanks(from);
    if (this.#clockShift < 0) this.#target.clock.update(buffer.time, this.#others, from, buffer.rows);
    else if (this.#clockShift > 0) this.#target.clock.update(this.#others, buffer.time, from, buffer.rows);
    return !this.#ended;
  }

  close(): void {
    this.#batches.close();
  }

  /** False at the end of the file, and while the next rows are being read. */
  #hasRows(): boolean {
    while (!this.#ended && this.#waiting === undefined && (this.#batch === undefined || this.#at === this.#batch.rows)) {
      const next = this.#batches.next();
      if (!(next instanceof Promise)) {
        this.#begin(next);
        continue;
      }
      this.#waiting = next.then((batch) => {
        this.#waiting = undefined;
        this.#begin(batch);
      });
      // Its error is thrown where it is awaited.
      this.#waiting.catch(() => {});
    }
    return !this.#ended && this.#waiting === undefined;
  }

  #begin(batch: TableBatch | undefined): void {
    this.#batch = batch;
    this.#at = 0;
    this.#ended = batch === undefined;
    if (!this.#ended) return;
    this.#slow.checkSides();
    this.#target.notes.doubled += this.#slow.time.doubled;
  }

  #fillBlanks(from: number): void {
    const end = Math.min(this.#buffer.rows, this.#substitutes.length);
    for (let row = from; row < end; row++) if (this.#blanks[row] === 0) this.#blanks[row] = this.#substitutes[row]!;
  }

  #lineOf(row: number): number {
    return FIRST_LINE + (this.#reverse ? this.#table.rows! - 1 - row : row);
  }

  /** Reads rows of the batch until it or the buffer ends, or the decimals of the import change. */
  #take(): void {
    const batch = this.#batch!;
    const { rows: to, capacity } = this.#buffer;
    const odd = this.#odd;
    const span = { from: this.#at, count: Math.min(batch.rows - this.#at, capacity - to, odd.length), to, odd };
    odd.fill(0, 0, span.count);
    for (const [index, field] of this.#layout.fields.entries()) this.#convert(index, field, batch, span);
    for (let row = 0; row < span.count; row++) {
      const mark = odd[row]!;
      if (mark === 0) this.#keep(to + row);
      else if (mark === OTHER) {
        this.passedOver++;
        this.seen++;
      } else if (!this.#readSlowly(batch, this.#at)) return;
      this.#at++;
    }
  }

  /** Takes a row of the buffer that was converted, at the end of the rows before it. */
  #keep(from: number): void {
    const buffer = this.#buffer;
    const to = buffer.rows++;
    buffer.lines[to] = this.#lineOf(this.seen++);
    if (from === to) return;
    const line = buffer.lines[to]!;
    buffer.moveRow(from, to);
    buffer.lines[to] = line;
    if (this.#others.length > 0) this.#others[to] = this.#others[from]!;
    if (this.#substitutes.length > 0) this.#substitutes[to] = this.#substitutes[from]!;
  }

  #targetOf({ unit, column }: CsvField): Float64Array {
    if (unit === 'clock') return this.#others;
    return unit === 'substitute' ? this.#substitutes : column < 0 ? this.#buffer.time : this.#buffer.columns[column]!;
  }

  /** Converts the cells of a field, and marks the rows that are not plain. */
  #convert(index: number, field: CsvField, batch: TableBatch, span: Span): void {
    if (field.unit === 'skip') return;
    const cells = batch.cells[index]!;
    const { type } = this.#table.fields[index]!;
    const target = this.#targetOf(field);
    const { odd, count, from } = span;
    const { words, numbers, text } = cells;
    switch (field.unit) {
      case 'symbol':
        for (let row = 0; row < count; row++) {
          const own = cellText(type, cells, from + row);
          if (own !== this.#target.symbol.text || own === '') odd[row] = odd[row] === 0 && this.#isOther(own) ? OTHER : ODD;
        }
        return;
      case 'same': {
        const same = this.#slow.same(index);
        for (let row = 0; row < count; row++) {
          const own = cellText(type, cells, from + row);
          if (own !== same.text || own === '') odd[row] = ODD;
        }
        return;
      }
      case 'side':
      case 'flag':
        takeCodes(
          text !== undefined && cells.valid === undefined ? text : (row) => cellText(type, cells, row),
          this.#codes[index]!,
          target,
          span,
        );
        return;
      case 'number':
      case 'substitute':
        if (text === undefined && (type.kind === 'integer' || type.kind === 'float')) takeNumbers(cells, field.shift, target, span);
        else odd.fill(ODD, 0, count);
        return;
      case 'price':
      case 'quantity': {
        markNulls(cells, span);
        const decimals = this.#target.scales[field.unit];
        const least = field.unit === 'quantity' ? 0 : -Number.MAX_SAFE_INTEGER;
        if (this.#layout.factors[field.unit] !== undefined) odd.fill(ODD, 0, count);
        else if (type.kind === 'float' && numbers !== undefined) takeFloats(numbers, decimals, least, target, span);
        else if (type.kind === 'single' && numbers !== undefined) takeSingles(numbers, decimals, least, target, span);
        else if (type.kind === 'integer' && numbers !== undefined) takeFloats(numbers, decimals, least, target, span);
        else if (words !== undefined && type.kind !== 'time')
          takeDecimals(words, type.kind === 'decimal' ? type.scale : 0, decimals, least, target, span);
        else odd.fill(ODD, 0, count);
        return;
      }
      case 'time':
      case 'clock': {
        markNulls(cells, span);
        const nanos = field.unit === 'time' ? this.#buffer.nanos : undefined;
        const { format, zone } = this.#layout.times;
        const isShown = type.kind === 'time' && type.naive && zone !== undefined;
        if (format !== undefined || text !== undefined || isShown) odd.fill(ODD, 0, count);
        else if (type.kind === 'time' && words !== undefined) takeTimes(words, type.unit, target, nanos, span);
        else if (type.kind === 'integer' || type.kind === 'float') takeGuessedTimes(cells, target, nanos, span);
        else odd.fill(ODD, 0, count);
        return;
      }
      case 'day':
      case 'timeOfDay':
        odd.fill(ODD, 0, count);
        return;
    }
    field.unit satisfies never;
  }

  #isOther(text: string): boolean {
    return this.#target.symbol.text !== '' && this.#target.symbol.judge(text) === 'other';
  }

  /** Reads a row as text. False when the decimals of the import changed: the row is then to be read again. */
  #readSlowly(batch: TableBatch, at: number): boolean {
    const line = this.#lineOf(this.seen);
    const slow = this.#slow;
    const buffer = this.#buffer;
    const row = buffer.rows;
    try {
      for (const [index, field] of this.#layout.fields.entries()) {
        const { unit } = field;
        if (unit === 'skip') continue;
        const text = cellText(this.#table.fields[index]!.type, batch.cells[index]!, at);
        if (!slow.take(text.trim(), index, line)) return false;
        if (unit === 'symbol') {
          if (!slow.other) continue;
          this.passedOver++;
          this.seen++;
          return true;
        }
        if (unit === 'time' || ((unit === 'day' || unit === 'timeOfDay') && slow.hasTime(line))) {
          buffer.time[row] = slow.time.us;
          buffer.nanos[row] = slow.time.nanos;
        } else if (unit !== 'day' && unit !== 'timeOfDay' && unit !== 'same') {
          this.#targetOf(field)[row] = slow.value;
          if (unit === 'side' || unit === 'flag') this.#codes[index]!.set(text, slow.value);
        }
      }
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      this.seen++;
      this.#target.refuse(error, () => this.#rowText(batch, at));
      return true;
    }
    buffer.lines[row] = line;
    buffer.rows++;
    this.seen++;
    return true;
  }

  #rowText(batch: TableBatch, at: number): string {
    return csvLine(
      this.#table.fields.map(({ type }, index) => (batch.cells[index] === undefined ? '' : cellText(type, batch.cells[index], at))),
    );
  }
}
