import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { csvLine } from '../csv/csv-line.ts';
import type { RefuseRow, RowError } from './row-error.ts';

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
