import type { StatisticValue } from '../statistics/statistic.ts';
import { STATISTIC_DEFINITIONS } from '../statistics/statistics.ts';
import { formatShare, formatValue, NOT_AVAILABLE } from './format.ts';
import { plainLine, TerminalTable } from './terminal-table.ts';

/** The judged run as it is, or with one thing changed; or why that could not run. */
export type RobustnessRow =
  | ({ readonly name: string } & Readonly<Record<(typeof FIGURES)[number], StatisticValue>>)
  | { readonly name: string; readonly reason: string };

const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades'] as const;

/** The part of the return of the first row that each row keeps; `null`: the first one has no gain, or the row no figures. */
export function keptOf(rows: readonly RobustnessRow[]): (number | null)[] {
  const base = returnOf(rows[0]);
  return rows.map((row) => {
    const own = returnOf(row);
    return base === null || base <= 0 || own === null ? null : own / base;
  });
}

function returnOf(row: RobustnessRow | undefined): number | null {
  return row === undefined || 'reason' in row || row.totalReturn === null ? null : Number(row.totalReturn);
}

/** The table of what a result keeps when one thing changes. */
export function robustnessText(rows: readonly RobustnessRow[], look: { columns: number; color: boolean; unicode: boolean }): string {
  const kept = keptOf(rows);
  const definitions = FIGURES.map((key) => STATISTIC_DEFINITIONS.find((one) => one.key === key)!);
  const cells = rows.map((row, place) => [
    row.name,
    ...definitions.map(({ key, unit }) => ('reason' in row ? NOT_AVAILABLE : formatValue(unit, row[key as (typeof FIGURES)[number]]))),
    kept[place] === null ? NOT_AVAILABLE : formatShare(kept[place]!),
  ]);
  const head = ['Robustness', ...definitions.map(({ label }) => label), 'Keeps'];
  const failed = rows.flatMap((row) => ('reason' in row ? [`${row.name}: ${plainLine(row.reason)}`] : []));
  return [new TerminalTable(look.columns, look).section('What the result keeps', head, cells), ...failed].join('\n');
}
