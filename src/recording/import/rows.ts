import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import type { RowBuffer } from '../columns/chunks.ts';
import type { ClockOffsets } from '../columns/clock-offsets.ts';
import { POWERS_OF_TEN } from '../columns/decimals.ts';
import { MAX_DECIMALS, SERIES_COLUMNS } from '../columns/series-meta.ts';
import { writeWhole } from '../files.ts';
import { csvLine } from './csv/csv-line.ts';
import type { ImportNotes } from './import-notes.ts';

const SHOWN_OTHERS = 20;

/** Requires that all rows of an import have the same symbol, as the files write it: that of `--only`, else that of the first row. */
export class OneSymbol {
  readonly #chosen: boolean;
  #text: string | undefined;
  /** Some of the symbols that were skipped. */
  readonly others = new Set<string>();
  #bytes: Buffer;

  /** @param only the symbol whose rows are imported; those of others are skipped. */
  constructor(only: string | undefined) {
    this.#chosen = only !== undefined;
    this.#text = only;
    this.#bytes = Buffer.from(only ?? '');
  }

  /** The symbol to import; empty before the first row. */
  get text(): string {
    return this.#text ?? '';
  }

  /** The end of the symbol at `at`; `at` itself where another text is there. */
  endIn(bytes: Buffer, at: number): number {
    const own = this.#bytes;
    for (let place = 0; place < own.length; place++) if (bytes[at + place] !== own[place]) return at;
    return at + own.length;
  }

  judge(text: string): 'meant' | 'other' | 'refused' {
    if (this.#text === undefined) {
      this.#text = text;
      this.#bytes = Buffer.from(text);
    }
    if (text === this.#text) return 'meant';
    if (this.others.size < SHOWN_OTHERS) this.others.add(text);
    return this.#chosen ? 'other' : 'refused';
  }
}

/** DATA_INVALID at a place of an input file. */
export class RowError extends TidegateError {
  /**
   * @param row line of the file, from 1.
   * @param problem the problem and what was expected.
   */
  constructor(
    readonly path: string,
    readonly row: number,
    readonly column: string | undefined,
    readonly problem: string,
    cause?: unknown,
  ) {
    const name = basename(path);
    const where = `${name}: row ${row}:${column === undefined ? '' : ` column "${column}":`}`;
    super('DATA_INVALID', `${where} ${problem}${name === path ? '' : ` (${path})`}`, { cause });
  }
}

/** Foreign text for a message: on one line and at most 40 characters. */
export function quoted(text: string): string {
  const plain = [...text].map((letter) => (letter < ' ' || letter === '\u007f' ? '?' : letter)).join('');
  return `"${plain.length > 40 ? `${plain.slice(0, 40)}...` : plain}"`;
}

/**
 * Receives a row that cannot be imported: throws its error, or puts the row aside.
 * @param text the row as in the file.
 */
export type RefuseRow = (error: RowError, text: () => string) => void;

/** The rows of one input file, whatever its form. */
export interface RowSource {
  /** Adds rows to its buffer until that is full (true) or the file ends (false). */
  fill(): boolean;
  /** Rows read from the file so far, imported or not. */
  readonly seen: number;
  /** Rows of other symbols, which were skipped. */
  readonly passedOver: number;
  /** Settles when the next rows have been read; undefined if `fill` need not wait. */
  readonly waiting?: Promise<void> | undefined;
  close(): void;
}

/** Yields what is to be awaited before the next step: rows of a table that are being read. */
export type Steps<T> = Generator<Promise<void>, T, void>;

/** Counts the rows of an import from the files to the series: each is written, of another symbol, or refused. */
export class RowCount {
  #seen = 0;
  #passedOver = 0;
  #refused = 0;

  /** Wraps `refuse` with a count. */
  counted(refuse: RefuseRow): RefuseRow {
    return (error, text) => {
      this.#refused++;
      refuse(error, text);
    };
  }

  /**
   * Adds the rows of one file, which has been read to its end.
   * @param expected the number of rows that the file states, where it does.
   * @throws TidegateError DATA_CORRUPT where the file had more or fewer.
   */
  add(path: string, { seen, passedOver }: Pick<RowSource, 'seen' | 'passedOver'>, expected: number | undefined): void {
    if (expected !== undefined && seen !== expected) {
      throw new TidegateError('DATA_CORRUPT', `${path}: ${seen} of its ${expected} rows could be read, so nothing was imported: try again`);
    }
    this.#seen += seen;
    this.#passedOver += passedOver;
  }

  /**
   * @param most the largest share of refused rows.
   * @throws TidegateError DATA_INVALID where more were refused.
   */
  checkShare(most: number, first: RowError | undefined): void {
    const meant = this.#seen - this.#passedOver;
    if (this.#refused <= most * meant) return;
    const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`;
    throw new TidegateError(
      'DATA_INVALID',
      `${this.#refused} of ${meant} rows (${percent(this.#refused / meant)}) cannot be imported, more than ${percent(most)}; the first: ${first?.message}; --quarantine-max 100% imports the others all the same`,
    );
  }

  /** @throws TidegateError DATA_CORRUPT where a row that was read is neither written nor skipped nor refused. */
  check(written: number): void {
    const wanted = this.#seen - this.#passedOver - this.#refused;
    if (written === wanted) return;
    throw new TidegateError('DATA_CORRUPT', `${wanted} rows were to be written and ${written} were, so nothing was imported`);
  }
}

/** Target of the rows of an import's files, and their common settings. */
export interface RowsTarget {
  /** Decimal places of the integers in `buffer`; they grow as files have more. */
  readonly scales: DecimalScales;
  readonly symbol: OneSymbol;
  readonly buffer: RowBuffer;
  /** Receives the offsets of receive times from the exchange's, for files with both. */
  readonly clock: ClockOffsets;
  readonly refuse: RefuseRow;
  readonly notes: ImportNotes;
  /** Columns that are not needed are read as well, for the texts of refused rows. */
  readonly wholeRows?: boolean | undefined;
}

/**
 * Decimal places of the integers of an import. They grow as the files have more. Current rows are rescaled, but chunks already written are
 * not, so the import then runs once more from the start.
 */
export class DecimalScales {
  price = 0;
  quantity = 0;
  /** Volumes are rounded to this many decimal places, half to even. */
  quantityCap = MAX_DECIMALS;

  /** The largest absolute value of the current rows with more decimal places of a unit. */
  largestWith(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): number {
    let largest = 0;
    for (const column of columnsOf(buffer, unit)) {
      for (let row = 0; row < buffer.rows; row++) largest = Math.max(largest, Math.abs(column[row]!));
    }
    return largest * POWERS_OF_TEN[decimals - this[unit]]!;
  }

  /** Gives a unit more decimal places; the current rows are multiplied accordingly. */
  grow(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): void {
    const factor = POWERS_OF_TEN[decimals - this[unit]]!;
    this[unit] = decimals;
    for (const column of columnsOf(buffer, unit)) for (let row = 0; row < buffer.rows; row++) column[row]! *= factor;
  }

  /** Lowers the decimal places of volumes so that one with `wholeDigits` digits before the point fits a safe integer. */
  capQuantity(wholeDigits: number): void {
    this.quantityCap = Math.min(this.quantityCap, Math.max(0, 15 - wholeDigits));
    this.quantity = Math.min(this.quantity, this.quantityCap);
  }
}

function columnsOf(buffer: RowBuffer, unit: 'price' | 'quantity'): Float64Array[] {
  return buffer.columns.filter((_, index) => SERIES_COLUMNS[buffer.kind][index]!.unit === unit);
}

const HEADER = 'file,row,reason,line\n';
const PIECE = 1 << 16;

/**
 * Stores rows that cannot be imported: a CSV file with their file, row, reason and text. `finish` makes the file visible, with the header
 * alone where nothing was refused; `abort` leaves nothing behind.
 */
export class Quarantine {
  readonly path: string;
  readonly #temporary: string;
  readonly #file: number;
  #waiting = HEADER;
  #written = 0;
  #count = 0;
  #first: RowError | undefined;
  #closed = false;

  /**
   * @param replace replaces an existing file.
   * @throws TidegateError DATA_EXISTS; DATA_INVALID where nothing can be written.
   */
  constructor(path: string, replace: boolean) {
    this.path = path;
    if (!replace && existsSync(path)) throw new TidegateError('DATA_EXISTS', `${path}: is there already; --replace replaces it`);
    this.#temporary = `${path}.writing-${process.pid}`;
    try {
      this.#file = openSync(this.#temporary, 'w');
    } catch (cause) {
      throw new TidegateError('DATA_INVALID', `${path}: cannot be written: ${(cause as Error).message}`, { cause });
    }
  }

  /** Rows refused since the last `restart`. */
  get count(): number {
    return this.#count;
  }

  /** The first of them. */
  get first(): RowError | undefined {
    return this.#first;
  }

  readonly refuse: RefuseRow = (error, text) => {
    this.#count++;
    this.#first ??= error;
    const where = error.column === undefined ? '' : `column "${error.column}": `;
    this.#waiting += `${csvLine([basename(error.path), String(error.row), `${where}${error.problem}`, text()])}\n`;
    if (this.#waiting.length > PIECE) this.#write();
  };

  /** Clears the refused rows: the files are read once more from the start. */
  restart(): void {
    this.#waiting = HEADER;
    this.#count = 0;
    this.#first = undefined;
    this.#written = 0;
    ftruncateSync(this.#file, 0);
  }

  finish(): void {
    this.#write();
    fsyncSync(this.#file);
    this.#close();
    renameSync(this.#temporary, this.path);
  }

  abort(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #write(): void {
    this.#written += writeWhole(this.#file, this.#waiting, this.#written);
    this.#waiting = '';
  }

  #close(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
  }
}
