import { make } from './page.ts';
import { compareValues, valueOfCell } from './row-values.ts';
import { TableTools } from './table-tools.ts';

type Sorting = 'ascending' | 'descending' | undefined;

/** Up to so many rows a table can be seen at once, and has no filter. */
const SMALL = 8;

/** Gives every table of the page sorting by its heads, and long ones a filter and pages. */
export function startTables(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>('table.sortable')) startTable(table);
}

function startTable(table: HTMLTableElement): void {
  const [body] = table.tBodies;
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if (body === undefined) return;
  const unsorted = [...body.rows];
  const tools = unsorted.length > SMALL ? new TableTools(table, unsorted) : undefined;
  let [sortedBy, sorting] = [-1, undefined as Sorting];
  heads.forEach((head, column) => {
    const button = make('button', 'sort', head.textContent ?? '');
    button.type = 'button';
    head.replaceChildren(button);
    button.addEventListener('click', () => sort(column));
  });

  /** Ascending first, then descending, then as it was. */
  function sort(column: number): void {
    const after: Record<string, Sorting> = { undefined: 'ascending', ascending: 'descending', descending: undefined };
    sorting = column === sortedBy ? after[String(sorting)] : 'ascending';
    sortedBy = column;
    for (const head of heads) head.removeAttribute('aria-sort');
    const rows = sorting === undefined ? unsorted : sortedRows(column, sorting);
    if (sorting !== undefined) heads[column]!.setAttribute('aria-sort', sorting);
    body!.replaceChildren(...rows);
    tools?.show(rows);
  }

  function sortedRows(column: number, direction: 'ascending' | 'descending'): HTMLTableRowElement[] {
    const figures = !heads[column]!.classList.contains('text');
    const keyed = unsorted.map((row) => ({ row, value: valueOfCell(row.cells[column], figures) }));
    return keyed.sort((a, b) => compareValues(a.value, b.value, direction === 'ascending' ? 1 : -1)).map(({ row }) => row);
  }
}
