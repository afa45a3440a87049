import type { RunRecord } from '../run-record.ts';

/** The returns of one calendar year (UTC). */
export interface YearReturns {
  readonly year: number;
  /** January first; null for months without market data. */
  readonly months: readonly (number | null)[];
  /** The months compounded. */
  readonly total: number;
}

/**
 * Return of each UTC month: last equity of the month over last equity of the month before (the starting
 * equity for the first) minus 1. The first and the last month may be partial.
 */
export function monthlyReturns(record: Pick<RunRecord, 'startEquity' | 'dayEquity'>): YearReturns[] {
  const monthEnds = new Map<string, { year: number; month: number; equity: number }>();
  for (const day of record.dayEquity) {
    const date = new Date(day.time - 1);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    monthEnds.set(`${year}-${month}`, { year, month, equity: day.equity.toNumber() });
  }
  const years: { year: number; months: (number | null)[]; total: number }[] = [];
  let before = record.startEquity.toNumber();
  for (const { year, month, equity } of monthEnds.values()) {
    let row = years.at(-1);
    if (row?.year !== year) {
      row = { year, months: new Array<number | null>(12).fill(null), total: 0 };
      years.push(row);
    }
    const monthReturn = equity / before - 1;
    row.months[month] = monthReturn;
    row.total = (1 + row.total) * (1 + monthReturn) - 1;
    before = equity;
  }
  return years;
}
