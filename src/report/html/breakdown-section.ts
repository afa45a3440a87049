import type { BreakdownRow } from '../../statistics/breakdown.ts';
import { breakdownColumns, breakdownKey } from '../breakdown-columns.ts';
import { type Section, section } from './section.ts';
import { type Column, htmlTable } from './table.ts';

/** A table by symbol, by tag or by side; nothing without rows. */
export function breakdownSection(title: string, keyLabel: string, rows: readonly BreakdownRow[], futures: boolean): Section[] {
  if (rows.length === 0) return [];
  const columns: Column<BreakdownRow>[] = [
    { label: keyLabel, kind: 'name', cell: breakdownKey },
    ...breakdownColumns(futures).map(({ label, cell }) => ({
      label,
      kind: 'figure' as const,
      cell,
      ...(label === 'Net profit' && { sign: (row: BreakdownRow) => Number(row.netProfit) }),
    })),
  ];
  const whole = futures ? 'Fees, funding and volume' : 'Fees and volume';
  const name = title.toLowerCase();
  const note = `${whole} include trades still open; the rest is of closed trades.`;
  return [section(name.replaceAll(' ', '-'), title, htmlTable(`trades ${name}`, columns, rows), { note })];
}
