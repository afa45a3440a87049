const GAP = 2;
const NARROWEST_LAST = 20;

/**
 * Rows of cells as lines no wider than `width`, indented: a cell that is too wide goes on in the next line, at blanks where
 * it can. Nothing is cut off.
 * @param widest of each column but the last, which has the rest.
 */
export function wrappedTable(rows: readonly (readonly string[])[], widest: readonly number[], width: number, indent = 0): string[] {
  const widths = widest.map((most, column) => Math.min(most, Math.max(...rows.map((row) => [...row[column]!].length))));
  const taken = widths.reduce((sum, one) => sum + one + GAP, indent);
  widths.push(Math.max(NARROWEST_LAST, width - taken));
  return rows.flatMap((row) => {
    const columns = row.map((cell, column) => broken(cell, widths[column]!));
    const height = Math.max(...columns.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const parts = columns.map((lines, column) => pad(lines[line] ?? '', widths[column]!));
      return `${' '.repeat(indent)}${parts.join(' '.repeat(GAP))}`.trimEnd();
    });
  });
}

/** One text as lines of at most `width` characters; control characters, which could steer a terminal, are blanks. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(/\p{Cc}+/gu, ' ').split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if ([...joined].length <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    let rest = [...word];
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width).join(''));
    line = rest.join('');
  }
  return [...lines, line];
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
