import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { TidegateError } from '../model/errors.ts';

const BLOCK_BYTES = 1 << 20;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Most bytes that a gzip file may unpack to; larger ones are to be unpacked first. */
const GUNZIP_LIMIT = 2 ** 31;

/**
 * The lines of a plain or gzip file, a block at a time: `next()` leaves whole lines, each ended by a line
 * feed, in `bytes[start, end)`. Plain files take 1 MiB of memory whatever their size; gzip files are
 * unpacked in memory, because Node has no synchronous stream for them.
 */
export class CsvSource {
  readonly path: string;
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  readonly #file: number | undefined;
  /** Where the bytes that are read but not yet given out end. */
  #filled = 0;
  #ended = false;

  /**
   * @throws TidegateError DATA_NOT_FOUND when the file cannot be opened, DATA_INVALID when it is empty, no
   * plain text or a broken gzip file.
   * @param headOnly gives only the first lines of a gzip file (plain files are not read further anyway).
   */
  constructor(path: string, headOnly = false) {
    this.path = path;
    const file = openCsv(path);
    const magic = Buffer.alloc(2);
    const read = readSync(file, magic, 0, 2, 0);
    if (read === 2 && magic[0] === 0x1f && magic[1] === 0x8b) {
      closeSync(file);
      this.#useWhole(headOnly ? unpackHead(path) : unpack(path));
    } else {
      this.#file = file;
      this.bytes = Buffer.allocUnsafe(BLOCK_BYTES);
    }
    if (!this.next()) throw this.#invalid('the file is empty; expected a header line and rows');
    this.#skipMark();
  }

  /** Brings the next whole lines into place; false when there are none left. */
  next(): boolean {
    if (this.#file === undefined) return this.#nextWhole();
    this.bytes.copy(this.bytes, 0, this.end, this.#filled);
    this.#filled -= this.end;
    this.start = 0;
    this.end = 0;
    while (this.end === 0 && !this.#ended) {
      const from = this.#filled;
      this.#read();
      this.end = this.#filled === 0 ? 0 : this.bytes.lastIndexOf(LINE_FEED, this.#filled - 1) + 1;
      if (this.#filled <= from && !this.#ended) throw this.#invalid('a line is longer than 1 MiB: this is no CSV file');
    }
    return this.end > 0;
  }

  close(): void {
    if (this.#file !== undefined && !this.#ended) closeSync(this.#file);
    this.#ended = true;
  }

  /** Fills the block; at the end of the file ends its last line. */
  #read(): void {
    while (this.#filled < BLOCK_BYTES - 1) {
      const read = readSync(this.#file!, this.bytes, this.#filled, BLOCK_BYTES - 1 - this.#filled, null);
      this.#filled += read;
      if (read > 0) continue;
      this.close();
      if (this.#filled > 0 && this.bytes[this.#filled - 1] !== LINE_FEED) this.bytes[this.#filled++] = LINE_FEED;
      return;
    }
  }

  #useWhole(bytes: Buffer): void {
    const ends = bytes.length === 0 || bytes[bytes.length - 1] === LINE_FEED;
    this.bytes = ends ? bytes : Buffer.concat([bytes, Buffer.from('\n')]);
  }

  #nextWhole(): boolean {
    this.start = this.end;
    this.end = this.bytes.length;
    return this.end > this.start;
  }

  /** Passes over a UTF-8 byte order mark and refuses what is not text in one byte per letter. */
  #skipMark(): void {
    const { bytes } = this;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.start = 3;
    const head = bytes.subarray(0, Math.min(this.end, 1_000));
    if (head.includes(0)) throw this.#invalid('not text in UTF-8 (it holds NUL bytes); expected CSV, plain or gzip');
    const blank = head.subarray(this.start).every((byte) => byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === 32);
    if (blank && this.end <= 1_000) throw this.#invalid('the file is empty; expected a header line and rows');
  }

  #invalid(problem: string): TidegateError {
    this.close();
    return new TidegateError('DATA_INVALID', `${basename(this.path)}: row 1: ${problem} (${this.path})`);
  }
}

function openCsv(path: string): number {
  try {
    const file = openSync(path, 'r');
    if (!fstatSync(file).isDirectory()) return file;
    closeSync(file);
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `${path}: this file cannot be opened`, { cause });
  }
  throw new TidegateError('DATA_INVALID', `${path}: a folder; expected a CSV file, plain or gzip`);
}

function unpack(path: string): Buffer {
  try {
    return gunzipSync(readFileSync(path), { maxOutputLength: GUNZIP_LIMIT, finishFlush: constants.Z_FINISH });
  } catch (cause) {
    const tooLarge = cause instanceof RangeError;
    const problem = tooLarge
      ? 'unpacks to more than 2 GiB; unpack it first (gunzip -k), plain files of any size are read'
      : 'the gzip file is damaged or cut short';
    throw new TidegateError('DATA_INVALID', `${basename(path)}: ${problem} (${path})`, { cause });
  }
}

/** The whole lines that the first 64 KiB of a gzip file unpack to. */
function unpackHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(1 << 16);
    const bytes = head.subarray(0, readSync(file, head, 0, head.length, 0));
    const text = gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    return bytes.length < head.length ? text : text.subarray(0, text.lastIndexOf(LINE_FEED) + 1);
  } catch (cause) {
    throw new TidegateError('DATA_INVALID', `${basename(path)}: the gzip file is damaged or cut short (${path})`, { cause });
  } finally {
    closeSync(file);
  }
}
