import { type ComponentChild, type ComponentChildren, type FunctionComponent, h } from 'preact';
import { useState } from 'preact/hooks';
import { count } from './format.ts';

type Value = string | number | null;

/** A column; figures are aligned right. */
export interface Column<Row> {
  readonly label: string;
  readonly kind?: 'figure' | 'wrap';
  readonly cell: (row: Row) => ComponentChildren;
  /** Sorts by this, and the filter looks into it; absent: neither. Decimal text sorts as a number where the column has figures. */
  readonly value?: (row: Row) => Value;
}

export interface TableProps<Row> {
  /** The subject of the table, in a word or two. */
  readonly name: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** On a phone, each row is a card instead. */
  readonly cards?: boolean;
  /** Below a row that is opened by its first cell. */
  readonly more?: (row: Row) => ComponentChildren;
  readonly classOf?: (row: Row) => string;
}

/** So many rows are shown before the reader wants all: a page with thousands of them is slow on a phone. */
const FIRST_ROWS = 100;
/** From so many rows on, there is a filter. */
const FILTER_FROM = 8;

/** A table that is sorted by its heads; a long one has a filter. */
export function table<Row>(props: TableProps<Row>): ComponentChild {
  return h(TableView as FunctionComponent<TableProps<Row>>, props);
}

interface Order {
  readonly column: number;
  readonly down: boolean;
}

/** The rows that a reader sees: filtered by a text, sorted by a column. Rows of equal values keep their order; null is last. */
export function arranged<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filter: string,
  order: Order | undefined,
): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = (row: Row) => columns.map(({ value }) => String(value?.(row) ?? '').toLowerCase()).join('\n');
  const found = words.length === 0 ? rows : rows.filter((row) => words.every((word) => textOf(row).includes(word)));
  const { value, kind } = (order && columns[order.column]) ?? {};
  if (order === undefined || value === undefined) return found;
  const keyOf = (row: Row) => {
    const key = value(row);
    return kind === 'figure' && key !== null ? Number(key) : key;
  };
  return found.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return (one < other ? -1 : Number(one > other)) * (order.down ? -1 : 1);
  });
}

function TableView<Row>({ name, columns, rows, keyOf, cards = false, more, classOf }: TableProps<Row>): ComponentChild {
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<Order>();
  const [isWhole, setWhole] = useState(false);
  const [open, setOpen] = useState<string | number>();
  const found = arranged(rows, columns, filter, order);
  const shown = isWhole ? found : found.slice(0, FIRST_ROWS);
  const sortBy = (column: number) =>
    setOrder((before) => {
      const first = columns[column]!.kind === 'figure';
      if (before?.column !== column) return { column, down: first };
      return before.down === first ? { column, down: !first } : undefined;
    });
  const heads = columns.map(({ label, kind, value }, index) => {
    const isSorted = order?.column === index;
    const sorted = isSorted ? { 'aria-sort': order.down ? ('descending' as const) : ('ascending' as const) } : {};
    const sign = isSorted ? (order.down ? ' ↓' : ' ↑') : '';
    const inner = value === undefined ? label : h('button', { type: 'button', onClick: () => sortBy(index) }, `${label}${sign}`);
    return h('th', { scope: 'col', class: kind, ...sorted }, inner);
  });
  const body = shown.flatMap((row) => {
    const key = keyOf(row);
    const isOpen = open === key;
    const cells = columns.map(({ label, kind, cell }, index) => {
      const content = cards ? h('div', { class: 'cell' }, cell(row)) : cell(row);
      const opener = {
        type: 'button',
        class: 'opener',
        'aria-expanded': isOpen,
        onClick: () => setOpen(isOpen ? undefined : key),
      } as const;
      return h(
        'td',
        { class: kind, 'data-label': label },
        more !== undefined && index === 0 ? h('button', opener, isOpen ? '▾ ' : '▸ ', content) : content,
      );
    });
    return [
      h('tr', { key, class: classOf?.(row) }, cells),
      isOpen && more !== undefined && h('tr', { key: `${key} more`, class: 'more' }, h('td', { colSpan: columns.length }, more(row))),
    ];
  });
  const label = `Filter ${name}`;
  return h(
    'div',
    { class: 'table' },
    rows.length >= FILTER_FROM &&
      h(
        'div',
        { class: 'tools' },
        h('input', {
          type: 'search',
          placeholder: label,
          'aria-label': label,
          value: filter,
          onInput: (event) => setFilter(event.currentTarget.value),
        }),
        h(
          'span',
          { class: 'muted', role: 'status' },
          filter === '' ? `${count(rows.length)} rows` : `${count(found.length)} of ${count(rows.length)} rows`,
        ),
      ),
    h(
      'div',
      { class: `scroll${cards ? ' cards' : ''}`, tabIndex: 0, role: 'region', 'aria-label': `Table of ${name}` },
      h('table', null, h('thead', null, h('tr', null, heads)), h('tbody', null, body)),
    ),
    shown.length < found.length &&
      h('button', { type: 'button', class: 'all', onClick: () => setWhole(true) }, `Show all ${count(found.length)} rows`),
  );
}
