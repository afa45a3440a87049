import CliTable from 'cli-table3';
import { type BreakdownBy, type BreakdownRow, isPeriod } from '../statistics/breakdown.ts';
import { formatCount, formatMoney, formatValue } from './format.ts';

type Alignment = 'left' | 'right';
/** A figure with its name, and what it is compared with. */
export type Pair = readonly [label: string, value: string, note?: string];

/** Below this width, the two halves of a pairs table are printed under each other. */
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
 * Tables without frames: a title, a head with a rule under it, columns two spaces apart; never wider than the given width. Where figures
 * alone are too wide, the last columns are left out.
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

  /** A titled table. The first column is aligned left, the others right, unless `alignments` differs. */
  section(title: string, head: readonly string[], rows: readonly (readonly string[])[], alignments?: readonly Alignment[]): string {
    const lines = this.#lines([head, ...rows], alignments ?? head.map((_, index) => (index === 0 ? 'left' : 'right')));
    const rule = this.#rule.repeat(Math.max(...lines.map((line) => [...line].length)));
    return [this.title(title), this.#style(lines[0] ?? '', '2'), this.#style(rule, '2'), ...lines.slice(1)].join('\n');
  }

  /** Labels and values, and maybe a note, in two halves next to each other, or under each other where these are too wide. */
  pairs(left: readonly Pair[], right: readonly Pair[]): string {
    const noted = [...left, ...right].some(([, , note = '']) => note !== '');
    const half = ([label, value, note = '']: Pair) => [label, note === '' ? value : `${value} ${note}`];
    const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
      ...half(left[index] ?? ['', '']),
      '  ',
      ...half(right[index] ?? ['', '']),
    ]);
    const alignments: Alignment[] = ['left', 'right', 'left', 'left', 'right'];
    // Names may be shortened, notes may not.
    const widths = noted ? naturalWidths(rows, alignments) : this.#widths(rows, alignments);
    if (this.#columns >= TWO_HALVES && total(widths) <= this.#columns) return this.#lines(rows, alignments).join('\n');
    const all = [...left, ...right].map(([label, value, note = '']) => (noted ? [label, value, note] : [label, value]));
    return this.#lines(all, ['left', 'right', ...(noted ? (['left'] as const) : [])]).join('\n');
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

  /** Natural widths; if the total is too wide, the widest text is shortened. Figures are never cut. */
  #widths(cells: readonly (readonly string[])[], alignments: readonly Alignment[]): number[] {
    const widths = naturalWidths(cells, alignments);
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

function naturalWidths(cells: readonly (readonly string[])[], alignments: readonly Alignment[]): number[] {
  return alignments.map((_, column) => Math.max(1, ...cells.map((row) => [...(row[column] ?? '')].length)));
}

/** The width of columns and the gaps between them. */
function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/** One line of text that cannot control the terminal: control characters, also those of writing directions, become spaces. */
export function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
}

/** Breaks a text at blanks into lines of at most that width; a longer word has its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The titles of the tables, and the heads of their first columns. */
export const BREAKDOWN_TITLES: Readonly<Record<BreakdownBy, readonly [title: string, head: string]>> = {
  symbol: ['By symbol', 'Symbol'],
  strategy: ['By strategy', 'Strategy'],
  side: ['By side', 'Side'],
  tag: ['By tag', 'Tag'],
  exitReason: ['By exit reason', 'Exit reason'],
  hour: ['By hour of exit (UTC)', 'Hour'],
  weekday: ['By weekday of exit (UTC)', 'Weekday'],
  day: ['By day (UTC)', 'Day'],
  week: ['By week (UTC, ISO 8601)', 'Week'],
  month: ['By month (UTC)', 'Month'],
  year: ['By year (UTC)', 'Year'],
};

/** A column of the breakdowns, the same in the terminal and on the page. */
interface BreakdownColumn {
  readonly label: string;
  readonly cell: (row: BreakdownRow) => string;
}

/**
 * All columns but the first, which is the symbol, the tag and so on. Funding is only for futures accounts, the return of the equity only
 * for periods, the number of fills only for tags.
 */
export function breakdownColumns(futures: boolean, by: BreakdownBy = 'symbol'): readonly BreakdownColumn[] {
  return [...(by === 'tag' ? [FILLS] : []), ...PROFIT, ...(futures ? [FUNDING] : []), VOLUME, ...(isPeriod(by) ? [EQUITY_RETURN] : [])];
}

const PROFIT: readonly BreakdownColumn[] = [
  { label: 'Trades', cell: (row) => formatCount(row.trades) },
  { label: 'Win rate', cell: (row) => formatValue('share', row.winRate) },
  { label: 'Net profit', cell: (row) => formatMoney(row.netProfit) },
  { label: 'Profit factor', cell: (row) => formatValue('ratio', row.profitFactor) },
  { label: 'Fees', cell: (row) => formatMoney(row.fees) },
];
const FILLS: BreakdownColumn = { label: 'Fills', cell: (row) => formatCount(row.fills) };
const FUNDING: BreakdownColumn = { label: 'Funding', cell: (row) => formatMoney(row.funding) };
const EQUITY_RETURN: BreakdownColumn = { label: 'Equity', cell: (row) => formatValue('share', row.equityReturn) };
const VOLUME: BreakdownColumn = { label: 'Volume', cell: (row) => formatMoney(row.volume) };

/** The text of a row's key: trades without a tag have none. */
export function breakdownKey(row: BreakdownRow): string {
  return row.key === '' ? '(none)' : row.key;
}
