import type { ColumnUnit } from './series-meta.ts';

const SIDES: Readonly<Record<string, string>> = { '1': 'buy', '-1': 'sell', '0': '' };

/** The text of a value that has no decimals: a side, a yes or no, a number of the source's own. */
export function plainText(value: number, unit: Exclude<ColumnUnit, 'price' | 'quantity'>): string {
  if (unit === 'side') return SIDES[value] ?? '';
  if (unit === 'flag') return value === 1 ? 'true' : 'false';
  return value === 0 ? '' : String(value);
}
