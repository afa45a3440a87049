import type { RunRecord } from './run-record.ts';

/**
 * One simple return per UTC day that has market data: the day's last equity over that of the day before,
 * minus 1. The first day starts from the starting equity, so that the returns compound to the whole run.
 * NaN after a day that ended without equity. Days without market data (a weekend of stocks) give no return; they are not counted as zeros.
 */
export function dailyReturns(record: Pick<RunRecord, 'startEquity' | 'dayEquity'>): number[] {
  let before = record.startEquity.toNumber();
  return record.dayEquity.map((day) => {
    const equity = day.equity.toNumber();
    const dayReturn = before > 0 ? equity / before - 1 : Number.NaN;
    before = equity;
    return dayReturn;
  });
}
