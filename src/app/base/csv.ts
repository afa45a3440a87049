import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { ByteText } from '../../model/byte-text.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Grid } from '../../model/grid.ts';
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
  return quotedIfNeeded(cell);
}

function quotedIfNeeded(cell: string): string {
  for (let at = 0; at < cell.length; at++) {
    const code = cell.charCodeAt(at);
    if (code === QUOTE || code === COMMA || code === 10 || code === 13) return `"${cell.replaceAll('"', '""')}"`;
  }
  return cell;
}

const COMMA = 44;
const QUOTE = 34;

/**
 * A table that is written row by row as CSV; cells with commas, quotes or line ends are quoted (RFC 4180). A row is the cells since the
 * last `end`, or one call of `add` or `addText`.
 */
export class CsvFile {
  readonly #file: number;
  readonly #bytes = new ByteText((bytes) => writeWhole(this.#file, bytes));
  #isFirst = true;

  constructor(path: string, header: readonly string[]) {
    this.#file = openSync(path, 'w');
    this.addText(header.join(','));
  }

  add(cells: readonly Cell[]): void {
    for (const cell of cells) {
      if (typeof cell === 'string') this.text(cell);
      else this.number(cell);
    }
    this.end();
  }

  /** @param row a whole row without its line end. */
  addText(row: string): void {
    this.#bytes.text(row).endLine();
  }

  text(cell: string): this {
    this.#next();
    this.#bytes.text(quotedIfNeeded(cell));
    return this;
  }

  number(cell: number | undefined): this {
    this.#next();
    if (cell !== undefined) this.#bytes.number(cell);
    return this;
  }

  amount(cell: Decimal | undefined): this {
    this.#next();
    if (cell !== undefined) this.#bytes.amount(cell);
    return this;
  }

  /** Units of a grid as the decimal that they mean. */
  units(grid: Grid, cell: number | undefined): this {
    this.#next();
    if (cell !== undefined) this.#bytes.units(grid, cell);
    return this;
  }

  /** Ends the row. */
  end(): void {
    this.#isFirst = true;
    this.#bytes.endLine();
  }

  close(): void {
    try {
      this.#bytes.flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #next(): void {
    if (this.#isFirst) this.#isFirst = false;
    else this.#bytes.character(COMMA);
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
