import { escapeHtml, figure } from './escape.ts';

/** A column of an HTML table; figures stand on the right, `text`, `name`, `word` and `wrap` on the left. */
export interface Column<Row> {
  readonly label: string;
  readonly kind: 'figure' | 'text' | 'name' | 'word' | 'wrap';
  readonly cell: (row: Row) => string;
  /** Colours the cell by the sign of this number. */
  readonly sign?: (row: Row) => number;
}

/** Rows as a table that scrolls sideways where it is too wide; cells are escaped here. */
export function htmlTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], tall = false): string {
  const head = columns.map(({ label, kind }) => `<th scope="col"${kind === 'figure' ? '' : ' class="text"'}>${escapeHtml(label)}</th>`);
  const body = rows.map((row) => `<tr>${columns.map((column) => cell(column, row)).join('')}</tr>`);
  return `<div class="card scroll${tall ? ' tall' : ''}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function cell<Row>({ kind, cell, sign }: Column<Row>, row: Row): string {
  const text = cell(row);
  const mood = moodOf(sign?.(row) ?? 0);
  if (kind === 'figure') return `<td${mood && ` class="${mood}"`}>${figure(text)}</td>`;
  const title = kind === 'name' || kind === 'word' ? ` title="${escapeHtml(text)}"` : '';
  return `<td class="text ${kind}${mood && ` ${mood}`}"${title}>${escapeHtml(text)}</td>`;
}

/** The class of what reads as good or bad news. */
function moodOf(value: number): '' | 'gain' | 'loss' {
  if (value > 0) return 'gain';
  return value < 0 ? 'loss' : '';
}
