import type { BreakdownRow } from '../../../statistics/breakdown.ts';
import type { BreakdownBy } from '../../../statistics/breakdown-keys.ts';
import { BREAKDOWN_TITLES, breakdownColumns, breakdownKey } from '../../breakdown-columns.ts';
import { type Column, htmlTable } from '../markup/table.ts';
import { type Section, section } from './section.ts';

/** A table by symbol, by tag, by side or by exit reason; nothing without rows. */
export function breakdownSection(by: BreakdownBy, rows: readonly BreakdownRow[], futures: boolean): Section[] {
  if (rows.length === 0) return [];
  const [title] = BREAKDOWN_TITLES[by];
  const whole = futures ? 'Fees, funding and volume' : 'Fees and volume';
  const note = `${whole} include trades still open; the rest is of closed trades.`;
  return [section(title.toLowerCase().replaceAll(' ', '-'), title, breakdownTable(by, rows, futures), { note })];
}

/** The rows as the terminal shows them, gains and losses coloured. */
export function breakdownTable(by: BreakdownBy, rows: readonly BreakdownRow[], futures: boolean): string {
  const [title, head] = BREAKDOWN_TITLES[by];
  const columns: Column<BreakdownRow>[] = [
    { label: head, kind: 'name', cell: breakdownKey },
    ...breakdownColumns(futures, by).map(({ label, cell }) => {
      const sign = SIGNS[label];
      return { label, kind: 'figure' as const, cell, ...(sign && { sign }) };
    }),
  ];
  return htmlTable(`trades ${title.replace('By', 'by')}`, columns, rows);
}

/** The columns that are coloured, by what. */
const SIGNS: Readonly<Record<string, (row: BreakdownRow) => number>> = {
  'Net profit': ({ netProfit }) => Number(netProfit),
  Equity: ({ equityReturn }) => equityReturn ?? 0,
};
