const WIDTH = 100;

/** Rows of cells as aligned lines, two blanks apart; columns named in `right` are flushed right. */
export function alignedLines(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => {
    const cells = row.map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)));
    return cells.join('  ').trimEnd();
  });
}

/** Text broken at blanks so that no line exceeds 100 columns, every line indented by `indent` blanks. */
export function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((part) => ' '.repeat(indent) + part);
}

/** A count with thousands apart: `1,234,567`. */
export function counted(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A count of bytes in thousands: `412 B`, `967.9 kB`, `1.2 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  let value = bytes / 1_000;
  let unit = 0;
  // 999.95 would be shown as 1000.0.
  while (value >= 999.95 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** `1 error`, `2 errors`. */
export function plural(count: number, word: string): string {
  return `${counted(count)} ${word}${count === 1 ? '' : 's'}`;
}
