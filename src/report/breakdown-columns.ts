import type { BreakdownRow } from '../statistics/breakdown.ts';
import { formatCount, formatMoney, formatValue } from './format.ts';

/** A column of the tables by symbol, by tag and by side, the same in the terminal and on the page. */
export interface BreakdownColumn {
  readonly label: string;
  readonly cell: (row: BreakdownRow) => string;
}

/** All columns but the first, which is the symbol, the tag or the side; funding is of futures accounts alone. */
export function breakdownColumns(futures: boolean): readonly BreakdownColumn[] {
  return futures ? [...PROFIT, FUNDING, VOLUME] : [...PROFIT, VOLUME];
}

const PROFIT: readonly BreakdownColumn[] = [
  { label: 'Trades', cell: (row) => formatCount(row.trades) },
  { label: 'Win rate', cell: (row) => formatValue('share', row.winRate) },
  { label: 'Net profit', cell: (row) => formatMoney(row.netProfit) },
  { label: 'Profit factor', cell: (row) => formatValue('ratio', row.profitFactor) },
  { label: 'Fees', cell: (row) => formatMoney(row.fees) },
];
const FUNDING: BreakdownColumn = { label: 'Funding', cell: (row) => formatMoney(row.funding) };
const VOLUME: BreakdownColumn = { label: 'Volume', cell: (row) => formatMoney(row.volume) };

/** How a row's key reads: trades without a tag have none. */
export function breakdownKey(row: BreakdownRow): string {
  return row.key === '' ? '(none)' : row.key;
}
