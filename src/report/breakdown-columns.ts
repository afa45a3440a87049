import type { BreakdownRow } from '../statistics/breakdown.ts';
import { type BreakdownBy, isPeriod } from '../statistics/breakdown-keys.ts';
import { formatCount, formatMoney, formatValue } from './format.ts';

/** What the tables are called, and the head of their first column. */
export const BREAKDOWN_TITLES: Readonly<Record<BreakdownBy, readonly [title: string, head: string]>> = {
  symbol: ['By symbol', 'Symbol'],
  side: ['By side', 'Side'],
  tag: ['By tag', 'Tag'],
  exitReason: ['By exit reason', 'Exit reason'],
  hour: ['By hour of exit (UTC)', 'Hour'],
  weekday: ['By weekday of exit (UTC)', 'Weekday'],
  day: ['By day (UTC)', 'Day'],
  week: ['By week (UTC, ISO 8601)', 'Week'],
  month: ['By month (UTC)', 'Month'],
  year: ['By year (UTC)', 'Year'],
};

/** A column of the breakdowns, the same in the terminal and on the page. */
export interface BreakdownColumn {
  readonly label: string;
  readonly cell: (row: BreakdownRow) => string;
}

/** All columns but the first, which is the symbol, the tag and so on; funding is of futures accounts alone, the equity's return of periods. */
export function breakdownColumns(futures: boolean, by: BreakdownBy = 'symbol'): readonly BreakdownColumn[] {
  return [...PROFIT, ...(futures ? [FUNDING] : []), VOLUME, ...(isPeriod(by) ? [EQUITY_RETURN] : [])];
}

const PROFIT: readonly BreakdownColumn[] = [
  { label: 'Trades', cell: (row) => formatCount(row.trades) },
  { label: 'Win rate', cell: (row) => formatValue('share', row.winRate) },
  { label: 'Net profit', cell: (row) => formatMoney(row.netProfit) },
  { label: 'Profit factor', cell: (row) => formatValue('ratio', row.profitFactor) },
  { label: 'Fees', cell: (row) => formatMoney(row.fees) },
];
const FUNDING: BreakdownColumn = { label: 'Funding', cell: (row) => formatMoney(row.funding) };
const EQUITY_RETURN: BreakdownColumn = { label: 'Equity', cell: (row) => formatValue('share', row.equityReturn) };
const VOLUME: BreakdownColumn = { label: 'Volume', cell: (row) => formatMoney(row.volume) };

/** How a row's key reads: trades without a tag have none. */
export function breakdownKey(row: BreakdownRow): string {
  return row.key === '' ? '(none)' : row.key;
}
