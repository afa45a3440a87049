import type { BreakdownRow } from '../../statistics/breakdown.ts';
import { BREAKDOWN_COLUMNS, breakdownKey } from '../breakdown-columns.ts';
import { section } from './section.ts';
import { type Column, htmlTable } from './table.ts';

/** A table by symbol or by tag; nothing without rows. */
export function breakdownSection(title: string, keyLabel: string, rows: readonly BreakdownRow[]): string {
  if (rows.length === 0) return '';
  const columns: Column<BreakdownRow>[] = [
    { label: keyLabel, kind: 'name', cell: breakdownKey },
    ...BREAKDOWN_COLUMNS.map(({ label, cell }) => ({
      label,
      kind: 'figure' as const,
      cell,
      ...(label === 'Net profit' && { sign: (row: BreakdownRow) => Number(row.netProfit) }),
    })),
  ];
  return section(title, htmlTable(columns, rows), { note: 'Fees and volume include trades still open; the rest is of closed trades.' });
}
