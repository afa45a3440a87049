import { escapeHtml, figure } from './escape.ts';

/** A column of an HTML table; figures stand on the right, `text`, `name`, `word` and `wrap` on the left. */
export interface Column<Row> {
  readonly label: string;
  readonly kind: 'figure' | 'text' | 'name' | 'word' | 'wrap';
  readonly cell: (row: Row) => string;
  /** Colours the cell by the sign of this number. */
  readonly sign?: (row: Row) => number;
  /** What rows are sorted by where the shown text does not tell, such as a duration. */
  readonly value?: (row: Row) => number;
}

/**
 * Rows as a table that scrolls sideways where it is too wide; cells are escaped here. The page's script sorts it by its heads
 * and gives long ones a filter and pages. `name` says what it is of: `Filter <name>`.
 */
export function htmlTable<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[], dense = false): string {
  const head = columns.map(({ label, kind }) => `<th scope="col"${kind === 'figure' ? '' : ' class="text"'}>${escapeHtml(label)}</th>`);
  const body = rows.map((row) => `<tr>${columns.map((column) => cell(column, row)).join('')}</tr>`);
  const title = escapeHtml(name);
  return `<div class="card scroll${dense ? ' dense' : ''}" tabindex="0" role="region" aria-label="Table of ${title}"><table class="sortable" data-name="${title}"><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function cell<Row>({ kind, cell, sign, value }: Column<Row>, row: Row): string {
  const text = cell(row);
  const mood = moodOf(sign?.(row) ?? 0);
  const sorted = value === undefined ? '' : ` data-value="${value(row)}"`;
  if (kind === 'figure') return `<td${mood && ` class="${mood}"`}${sorted}>${figure(text)}</td>`;
  const title = (kind === 'name' || kind === 'word') && text.length > LONG ? ` title="${escapeHtml(text)}"` : '';
  return `<td class="text${kind === 'text' ? '' : ` ${kind}`}${mood && ` ${mood}`}"${title}${sorted}>${escapeHtml(text)}</td>`;
}

/** Longer words may be cut off, and are told in full when pointed at. */
const LONG = 12;

/** The class of what reads as good or bad news. */
function moodOf(value: number): '' | 'gain' | 'loss' {
  if (value > 0) return 'gain';
  return value < 0 ? 'loss' : '';
}
