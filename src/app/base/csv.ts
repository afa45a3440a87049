import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

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
