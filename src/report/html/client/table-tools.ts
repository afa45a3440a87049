import { make } from './page.ts';

/** Rows on one page of a long table; on paper all are printed. */
const PAGE = 50;

/** The filter and the pages of one table: a row stays that has every word of the filter somewhere in it. */
export class TableTools {
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

/** With the typed minus beside the printed one, so that both are found. */
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
