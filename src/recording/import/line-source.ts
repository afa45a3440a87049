import { TidegateError } from '../../model/errors.ts';
import type { ByteSource } from './bytes.ts';
import { RowError } from './rows.ts';
import { openText } from './text.ts';

const BLOCK_BYTES = 1 << 20;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Lines of text, a block at a time: complete lines, each ended by a line feed, in `bytes[start, end)`. */
export interface Lines {
  readonly path: string;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Lines that were refused so far and replaced by blank ones. */
  readonly refused: number;
  /**
   * Loads the next block; false when there is none.
   * @param row the next line of the file, for messages.
   */
  next(row: number): boolean;
  /** The source line of the line at `at` in `bytes`, without line end. */
  text(at: number): string;
  close(): void;
}

/** A file that is read. */
export interface InputPlace {
  /** The file as the user knows it, for messages: `files.zip/bars.csv` where it is in an archive. */
  readonly path: string;
  /** Where it is, perhaps unpacked. */
  readonly file: string;
  /** Its name in a zip file of several. */
  readonly entry?: string | undefined;
}

/** The lines of a plain, gzip or zip file; uses 1 MiB of memory whatever the file's size, and slightly more for packed ones. */
export class LineSource implements Lines {
  readonly path: string;
  readonly bytes: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  start = 0;
  end = 0;
  readonly refused = 0;
  readonly #source: ByteSource;
  /** End of the bytes that are read but not returned yet. */
  #filled = 0;
  #ended = false;

  /**
   * Opens the file and reads its first block.
   * @throws TidegateError DATA_NOT_FOUND when the file cannot be opened, DATA_INVALID when it is empty, no
   * plain text or a broken archive.
   */
  constructor(given: string | InputPlace) {
    const place = typeof given === 'string' ? { path: given, file: given } : given;
    const { path } = place;
    this.path = path;
    try {
      this.#source = openText(place);
    } catch (error) {
      if (error instanceof TidegateError) throw error;
      throw new RowError(path, 1, undefined, (error as Error).message, error);
    }
    if (!this.next(1)) throw this.#invalid(1, 'the file is empty; expected rows');
    this.#skipMark();
  }

  next(row: number): boolean {
    this.bytes.copy(this.bytes, 0, this.end, this.#filled);
    this.#filled -= this.end;
    this.start = 0;
    this.end = 0;
    while (this.end === 0 && !this.#ended) {
      const from = this.#filled;
      this.#read(row);
      this.end = this.#filled === 0 ? 0 : this.bytes.lastIndexOf(LINE_FEED, this.#filled - 1) + 1;
      if (this.#filled <= from && !this.#ended) throw this.#invalid(row, 'a line is longer than 1 MiB: this is not a file of rows');
    }
    return this.end > 0;
  }

  text(at: number): string {
    return this.bytes.toString('utf8', at, this.bytes.indexOf(LINE_FEED, at)).replace(/\r$/, '');
  }

  close(): void {
    if (!this.#ended) this.#source.close();
    this.#ended = true;
  }

  /** Fills the block; at the end of the file, terminates its last line. */
  #read(row: number): void {
    const free = this.bytes.subarray(0, BLOCK_BYTES - 1);
    while (this.#filled < free.length) {
      const read = this.#more(free, row);
      this.#filled += read;
      if (read > 0) continue;
      this.close();
      if (this.#filled > 0 && this.bytes[this.#filled - 1] !== LINE_FEED) this.bytes[this.#filled++] = LINE_FEED;
      return;
    }
  }

  #more(free: Buffer, row: number): number {
    try {
      return this.#source.read(free, this.#filled);
    } catch (error) {
      throw this.#invalid(row + this.#linesWaiting(), (error as Error).message, error);
    }
  }

  /** Complete lines that were read before the damage: it is in the line after them. */
  #linesWaiting(): number {
    let lines = 0;
    for (let at = this.bytes.indexOf(LINE_FEED); at >= 0 && at < this.#filled; at = this.bytes.indexOf(LINE_FEED, at + 1)) lines++;
    return lines;
  }

  /** Skips a UTF-8 byte order mark and refuses text with more than one byte per letter. */
  #skipMark(): void {
    const { bytes } = this;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.start = 3;
    const head = bytes.subarray(0, Math.min(this.end, 1_000));
    if (head.includes(0))
      throw this.#invalid(1, 'not text (it holds NUL bytes); expected CSV or JSON, plain or packed by gzip, zip, zstd, xz or bzip2');
    const blank = head.subarray(this.start).every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 32);
    if (blank && this.end <= 1_000) throw this.#invalid(1, 'the file is empty; expected rows');
  }

  #invalid(row: number, problem: string, cause?: unknown): RowError {
    this.close();
    return new RowError(this.path, row, undefined, problem, cause);
  }
}
