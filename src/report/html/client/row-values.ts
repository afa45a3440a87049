/** What a cell sorts by: a number, or text. Cells without a value (`n/a`, empty) come last either way. */
export type RowValue = number | string | undefined;

/** The value of a cell: what `data-value` says, else the figure or text that it shows. */
export function valueOfCell(cell: HTMLTableCellElement | undefined, figures: boolean): RowValue {
  const text = cell?.dataset.value ?? cell?.textContent?.trim() ?? '';
  if (text === '' || text === 'n/a') return undefined;
  if (!figures) return text;
  const value = Number(text.replaceAll(',', '').replace('\u2212', '-').replace(/ %$/, ''));
  return Number.isNaN(value) ? undefined : value;
}

const collator = new Intl.Collator('en', { numeric: true });

/** Orders two values; `direction` is 1 for ascending and -1 for descending. */
export function compareValues(a: RowValue, b: RowValue, direction: 1 | -1): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return direction * (a - b);
  return direction * collator.compare(String(a), String(b));
}
