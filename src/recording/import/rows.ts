import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import type { RowBuffer } from '../columns/chunks.ts';
import type { ClockOffsets } from '../columns/clock-offsets.ts';
import { POWERS_OF_TEN } from '../columns/decimals.ts';
import { MAX_DECIMALS, SERIES_COLUMNS } from '../columns/series-meta.ts';
import { csvLine } from './csv/csv-line.ts';

/** Requires that all rows of an import are of one symbol, as the files write it: that of `--only`, else that of the first row. */
export class OneSymbol {
  readonly #chosen: boolean;
  #text: string | undefined;
  #bytes: Buffer;

  /** @param only the symbol whose rows are taken; those of others are passed over. */
  constructor(only: string | undefined) {
    this.#chosen = only !== undefined;
    this.#text = only;
    this.#bytes = Buffer.from(only ?? '');
  }

  /** The wanted symbol; empty before the first row. */
  get text(): string {
    return this.#text ?? '';
  }

  /** The end of the wanted symbol at `at`; `at` itself where another text is there. */
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
    return this.#chosen ? 'other' : 'refused';
  }
}

/** DATA_INVALID at a place of an input file. */
export class RowError extends TidegateError {
  /** @param row line of the file, from 1. @param problem what is wrong and what was expected. */
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

/** Foreign text as it may stand in a message: on one line and at most 40 characters. */
export function quoted(text: string): string {
  const plain = [...text].map((letter) => (letter < ' ' || letter === '\u007f' ? '?' : letter)).join('');
  return `"${plain.length > 40 ? `${plain.slice(0, 40)}...` : plain}"`;
}

/** Takes a row that cannot be imported: throws its error, or puts the row aside. @param text the row as the file has it. */
export type RefuseRow = (error: RowError, text: () => string) => void;

/** The rows of one input file, whatever its form. */
export interface RowSource {
  /** Adds rows to the buffer that it was opened with until that is full (true) or the file ends (false). */
  fill(): boolean;
  close(): void;
}

/** Where the rows of the files of an import go, and what they have in common. */
export interface RowsTarget {
  /** The places of the integers in `buffer`; they grow with what the files show. */
  readonly scales: DecimalScales;
  readonly symbol: OneSymbol;
  readonly buffer: RowBuffer;
  /** Takes the offsets of receive times from the exchange's, of files that have both. */
  readonly clock: ClockOffsets;
  readonly refuse: RefuseRow;
}

/**
 * How many places the integers of an import have. They grow as the file shows more; rows at hand are
 * rescaled, but chunks already written are not, so the import then runs once more from the start.
 */
export class DecimalScales {
  price = 0;
  quantity = 0;
  /** Places beyond this are rounded off volumes, half to even. */
  quantityCap = MAX_DECIMALS;

  /** The largest value in size that the rows at hand would have with more places of a unit. */
  largestWith(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): number {
    let largest = 0;
    for (const column of columnsOf(buffer, unit)) {
      for (let row = 0; row < buffer.rows; row++) largest = Math.max(largest, Math.abs(column[row]!));
    }
    return largest * POWERS_OF_TEN[decimals - this[unit]]!;
  }

  /** Gives a unit more places; the rows at hand are multiplied up. */
  grow(unit: 'price' | 'quantity', decimals: number, buffer: RowBuffer): void {
    const factor = POWERS_OF_TEN[decimals - this[unit]]!;
    this[unit] = decimals;
    for (const column of columnsOf(buffer, unit)) for (let row = 0; row < buffer.rows; row++) column[row]! *= factor;
  }

  /** Lowers the places of volumes so that one of `wholeDigits` digits before the point fits a safe integer. */
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
 * Where rows go that an import cannot take: a CSV file of their file, row, reason and text. It appears whole by `finish`, with the
 * header alone where nothing was refused; `abort` leaves nothing behind.
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
   * @param replace replaces a file that stands there.
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

  /** Forgets what was refused: the files are read once more from the start. */
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
    this.#written += writeSync(this.#file, this.#waiting, this.#written);
    this.#waiting = '';
  }

  #close(): void {
    if (!this.#closed) closeSync(this.#file);
    this.#closed = true;
  }
}
