import type { BreakdownRow } from '../statistics/breakdown.ts';
import { formatCount, formatMoney, formatValue } from './format.ts';

/** A column of the tables by symbol and by tag, the same in the terminal and on the page. */
export interface BreakdownColumn {
  readonly label: string;
  readonly cell: (row: BreakdownRow) => string;
}

/** All columns but the first, which is the symbol or the tag. */
export const BREAKDOWN_COLUMNS: readonly BreakdownColumn[] = [
  { label: 'Trades', cell: (row) => formatCount(row.trades) },
  { label: 'Win rate', cell: (row) => formatValue('share', row.winRate) },
  { label: 'Net profit', cell: (row) => formatMoney(row.netProfit) },
  { label: 'Profit factor', cell: (row) => formatValue('ratio', row.profitFactor) },
  { label: 'Fees', cell: (row) => formatMoney(row.fees) },
  { label: 'Volume', cell: (row) => formatMoney(row.volume) },
];

/** How a row's key reads: trades without a tag have none. */
export function breakdownKey(row: BreakdownRow): string {
  return row.key === '' ? '(none)' : row.key;
}
