import { Buffer } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { writeWhole } from '../../recording/files.ts';

/** A cell of a table; empty if it is undefined. */
export type Cell = string | number | undefined;

/** A row of a table without its line end. */
export function csvText(cells: readonly Cell[]): string {
  let text = '';
  for (let at = 0; at < cells.length; at++) text += at === 0 ? cellText(cells[at]) : `,${cellText(cells[at])}`;
  return text;
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The size of the buffer that collects rows, in bytes. A full buffer is written at once. */
const PIECE_BYTES = 1 << 16;
const LINE_END = 10;
/** The most bytes that UTF-8 needs for one character of a string. */
const CHARACTER_BYTES = 3;

/** A table that is written row by row as CSV; cells with commas, quotes or line ends are quoted (RFC 4180). */
export class CsvFile {
  readonly #file: number;
  #bytes = Buffer.allocUnsafe(PIECE_BYTES);
  #length = 0;

  constructor(path: string, header: readonly string[]) {
    this.#file = openSync(path, 'w');
    this.addText(header.join(','));
  }

  add(cells: readonly Cell[]): void {
    this.addText(csvText(cells));
  }

  /** @param row a whole row without its line end. */
  addText(row: string): void {
    const most = row.length * CHARACTER_BYTES + 1;
    if (this.#length + most > this.#bytes.length) this.#flush();
    if (most > this.#bytes.length) this.#bytes = Buffer.allocUnsafe(most);
    this.#length += this.#bytes.write(row, this.#length);
    this.#bytes[this.#length++] = LINE_END;
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    writeWhole(this.#file, this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }
}

const READ_BYTES = 1 << 16;

/** The rows of a table with its header, as text without line ends. A last row without one is left out: it may be half of a row. */
export function* csvRows(path: string): IterableIterator<string> {
  const file = openSync(path, 'r');
  const bytes = new Uint8Array(READ_BYTES);
  const decoder = new StringDecoder('utf8');
  try {
    let rest = '';
    for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes)) {
      const text = rest + decoder.write(bytes.subarray(0, read));
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
        const row = text.slice(from, end);
        if (isInQuotes(row)) continue;
        yield row;
        from = end + 1;
      }
      rest = text.slice(from);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether the text ends inside a quoted cell. */
function isInQuotes(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 1;
}

/** The cells of a row; cells in quotes without them. */
export function csvCells(row: string): string[] {
  return Array.from(`,${row}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!);
}
