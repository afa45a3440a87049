import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { TidegateError } from '../../../model/errors.ts';
import { syncFolder, writeWhole } from '../../../recording/files.ts';
import { parseSignal, type SignalRow } from './signal-files.ts';

/** A row that equals one of the last so many of its file is the same row. They are looked for in the end of the file of so many bytes. */
const REMEMBERED_ROWS = 10_000;
const REMEMBERED_BYTES = 8 << 20;
const LINE_FEED = 10;

/** A row as it is written, without its line end. */
export interface PostedRow {
  readonly line: string;
  readonly row: SignalRow;
}

/**
 * A file to which rows are appended once. Its memory of rows is what the file has: it reads what was added since, also by others, before
 * it writes.
 */
export class PostedFile {
  readonly #recent = new Set<string>();
  /** The file and the place up to which its lines are in the memory. */
  #inode = -1;
  #offset = 0;

  /** @throws TidegateError CONFIG_INVALID if the file cannot be opened to write. */
  constructor(
    private readonly path: string,
    setting: string,
  ) {
    try {
      this.append([]);
    } catch (cause) {
      throw new TidegateError('CONFIG_INVALID', `${setting}: the file ${path} cannot be written: ${(cause as Error).message}`, { cause });
    }
  }

  /** Appends the rows that the file does not have, and syncs them. @returns how many it has written. @throws the system's error. */
  append(rows: readonly PostedRow[]): number {
    const file = openSync(this.path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
    try {
      const isTorn = this.#readOn(file);
      const fresh = new Map<string, string>();
      for (const { line, row } of rows) {
        const key = keyOf(row);
        if (!this.#recent.has(key)) fresh.set(key, line);
      }
      if (rows.length === 0) return 0;
      const text = [...fresh.values()].map((line) => `${line}\n`).join('');
      // Ends a line that a process began before it was killed. Its row counts as one of the file if it is whole.
      if (isTorn || text !== '') writeWhole(file, isTorn ? `\n${text}` : text);
      // Duplicates, too: the process that wrote them may have been killed before it synced them.
      fsyncSync(file);
      return fresh.size;
    } finally {
      closeSync(file);
    }
  }

  /** Reads what the file has since the last time. @returns whether its last line has no end. */
  #readOn(file: number): boolean {
    const { ino, size } = fstatSync(file);
    if (ino !== this.#inode || size < this.#offset) {
      syncFolder(dirname(this.path));
      this.#inode = ino;
      this.#offset = 0;
    }
    const from = Math.max(this.#offset, size - REMEMBERED_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    const end = readSync(file, bytes, 0, bytes.length, from);
    let at = 0;
    for (let next = bytes.indexOf(LINE_FEED); next >= 0; next = bytes.indexOf(LINE_FEED, at)) {
      this.#remember(bytes.toString('utf8', at, next));
      at = next + 1;
    }
    this.#offset = from + at;
    if (at === end) return false;
    this.#remember(bytes.toString('utf8', at, end));
    return true;
  }

  #remember(line: string): void {
    const row = parseSignal(line);
    if (typeof row === 'string') return;
    const key = keyOf(row);
    this.#recent.delete(key);
    this.#recent.add(key);
    if (this.#recent.size <= REMEMBERED_ROWS) return;
    const [oldest = ''] = this.#recent;
    this.#recent.delete(oldest);
  }
}

/** Equal for rows that are equal in time, symbol and all values. */
function keyOf({ sourceTime, symbol = '', values }: SignalRow): string {
  const sorted = Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([sourceTime, symbol, sorted]))
    .digest('base64');
}
