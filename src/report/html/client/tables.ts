import { make } from './page.ts';

/** Up to this many rows a table fits on a screen and has no filter. */
const SMALL = 8;

/** Lets all tables of the page be sorted by their heads, and gives long ones a filter and pages. */
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

  /** Ascending first, then descending, then the original order. */
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

/** Rows on one page of a long table; on paper all are printed. */
const PAGE = 50;

/** The filter and the pages of one table: a row remains if it contains every word of the filter. */
class TableTools {
  readonly #texts: ReadonlyMap<HTMLTableRowElement, string>;
  readonly #filter = make('input', 'filter');
  readonly #count = make('output', 'count');
  readonly #back = pageButton('Previous page', '‹');
  readonly #forth = pageButton('Next page', '›');
  #rows: readonly HTMLTableRowElement[];
  #page = 0;

  constructor(table: HTMLTableElement, rows: readonly HTMLTableRowElement[]) {
    this.#rows = rows;
    this.#texts = new Map(rows.map((row) => [row, textOf(row)]));
    this.#filter.type = 'search';
    this.#filter.placeholder = 'Filter';
    this.#filter.autocomplete = 'off';
    this.#filter.setAttribute('aria-label', `Filter ${table.dataset.name ?? 'the table'}`);
    this.#filter.addEventListener('input', () => this.#turn(0));
    this.#back.addEventListener('click', () => this.#turn(this.#page - 1));
    this.#forth.addEventListener('click', () => this.#turn(this.#page + 1));
    const bar = make('div', 'tools');
    const pages = make('span', 'pages');
    pages.append(this.#back, this.#count, this.#forth);
    bar.append(this.#filter, pages);
    table.parentElement?.before(bar);
    this.#turn(0);
  }

  /** The rows in a new order. */
  show(rows: readonly HTMLTableRowElement[]): void {
    this.#rows = rows;
    this.#turn(0);
  }

  #turn(page: number): void {
    const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = this.#rows.filter((row) => words.every((word) => this.#texts.get(row)!.includes(word)));
    const matches = new Set(matching);
    for (const row of this.#rows) row.hidden = !matches.has(row);
    const last = Math.max(0, Math.ceil(matching.length / PAGE) - 1);
    this.#page = Math.max(0, Math.min(page, last));
    const [from, to] = [this.#page * PAGE, Math.min(matching.length, (this.#page + 1) * PAGE)];
    matching.forEach((row, index) => {
      row.classList.toggle('off-page', index < from || index >= to);
    });
    const of = matching.length === this.#rows.length ? '' : ` that match, of ${count(this.#rows.length)}`;
    this.#count.textContent =
      matching.length === 0
        ? `no row matches, of ${count(this.#rows.length)}`
        : `${count(from + 1)} to ${count(to)} of ${count(matching.length)}${of}`;
    this.#back.disabled = this.#page === 0;
    this.#forth.disabled = this.#page === last;
    for (const button of [this.#back, this.#forth]) button.hidden = last === 0;
  }
}

function pageButton(label: string, sign: string): HTMLButtonElement {
  const button = make('button', 'page', sign);
  button.type = 'button';
  button.setAttribute('aria-label', label);
  return button;
}

/** With the typed minus in addition to the printed one, so that both are found. */
function textOf(row: HTMLTableRowElement): string {
  const text = [...row.cells]
    .map((cell) => cell.textContent ?? '')
    .join(' ')
    .toLowerCase();
  return text.includes('\u2212') ? `${text} ${text.replaceAll('\u2212', '-')}` : text;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** The sort value of a cell: a number, or text. Cells without a value (`n/a`, empty) come last in both directions. */
type RowValue = number | string | undefined;

/** The value of a cell: `data-value`, else the figure or text that it shows. */
function valueOfCell(cell: HTMLTableCellElement | undefined, figures: boolean): RowValue {
  const text = cell?.dataset.value ?? cell?.textContent?.trim() ?? '';
  if (text === '' || text === 'n/a') return undefined;
  if (!figures) return text;
  const value = Number(text.replaceAll(',', '').replace('\u2212', '-').replace(/ %$/, ''));
  return Number.isNaN(value) ? undefined : value;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Orders two values; `direction` is 1 for ascending and -1 for descending. */
function compareValues(a: RowValue, b: RowValue, direction: 1 | -1): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  return direction * collator.compare(String(a), String(b));
}

type Sorting = 'ascending' | 'descending' | undefined;
