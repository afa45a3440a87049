import CliTable from 'cli-table3';

type Alignment = 'left' | 'right';
type Pair = readonly [label: string, value: string];

/** Below this width the two halves of a pairs table stand under each other. */
const TWO_HALVES = 76;
const GAP = 2;
const NARROWEST_TEXT = 8;
const NO_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
};

/**
 * Tables without frames: a title, a head with a rule under it, columns two spaces apart; never wider than asked. Where
 * figures alone are too wide, the last columns are left out.
 */
export class TerminalTable {
  readonly #columns: number;
  readonly #color: boolean;
  readonly #rule: string;
  readonly #cut: string;

  /** @param look without unicode, rules and the mark of cut text are ASCII. */
  constructor(columns: number, look: { readonly color: boolean; readonly unicode: boolean }) {
    this.#columns = columns;
    this.#color = look.color;
    this.#rule = look.unicode ? '─' : '-';
    this.#cut = look.unicode ? '…' : '~';
  }

  title(text: string): string {
    return this.#style(plainLine(text), '1');
  }

  /** A titled table. The first column is on the left, the others on the right unless `alignments` says so. */
  section(title: string, head: readonly string[], rows: readonly (readonly string[])[], alignments?: readonly Alignment[]): string {
    const lines = this.#lines([head, ...rows], alignments ?? head.map((_, index) => (index === 0 ? 'left' : 'right')));
    const rule = this.#rule.repeat(Math.max(...lines.map((line) => [...line].length)));
    return [this.title(title), this.#style(lines[0] ?? '', '2'), this.#style(rule, '2'), ...lines.slice(1)].join('\n');
  }

  /** Labels and values in two halves side by side, or under each other on a narrow terminal. */
  pairs(left: readonly Pair[], right: readonly Pair[]): string {
    if (this.#columns < TWO_HALVES) return this.#lines([...left, ...right], ['left', 'right']).join('\n');
    const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
      ...(left[index] ?? ['', '']),
      '  ',
      ...(right[index] ?? ['', '']),
    ]);
    return this.#lines(rows, ['left', 'right', 'left', 'left', 'right']).join('\n');
  }

  #lines(rows: readonly (readonly string[])[], alignments: readonly Alignment[]): string[] {
    const cells = rows.map((row) => row.map(plainLine));
    const widths = this.#widths(cells, alignments);
    const last = alignments.length - 1;
    if (total(widths) > this.#columns && last > 1) {
      return this.#lines(
        rows.map((row) => row.slice(0, last)),
        alignments.slice(0, last),
      );
    }
    const table = new CliTable({
      chars: NO_FRAME,
      style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
      colAligns: [...alignments],
      colWidths: widths,
      truncate: this.#cut,
    });
    table.push(...cells);
    return table
      .toString()
      .split('\n')
      .map((line) => line.trimEnd());
  }

  /** Natural widths; what does not fit is taken from the widest text. Figures are never cut. */
  #widths(cells: readonly (readonly string[])[], alignments: readonly Alignment[]): number[] {
    const widths = alignments.map((_, column) => Math.max(1, ...cells.map((row) => [...(row[column] ?? '')].length)));
    for (let excess = total(widths) - this.#columns; excess > 0; excess--) {
      const texts = widths.map((width, column) => (alignments[column] === 'left' ? width : 0));
      const widest = Math.max(...texts);
      if (widest <= NARROWEST_TEXT) break;
      widths[texts.indexOf(widest)] = widest - 1;
    }
    return widths;
  }

  #style(text: string, code: string): string {
    return this.#color ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}

/** The width of columns with the gaps between them. */
function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** One line of text that cannot steer the terminal: control characters become spaces. */
export function plainLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
