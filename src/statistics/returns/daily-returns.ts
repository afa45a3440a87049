import type { RunRecord } from '../run-record.ts';

/**
 * One simple return per UTC day that has market data: the day's last equity over that of the day before,
 * minus 1. The first day starts from the starting equity, so that the returns compound to the whole run.
 * NaN after a day that ended without equity. Days without market data (a weekend of stocks) give no return; they are not counted as zeros.
 */
export function dailyReturns(record: Pick<RunRecord, 'startEquity' | 'dayEquity'>): number[] {
  return returnsOf(
    record.startEquity.toNumber(),
    record.dayEquity.map((day) => day.equity.toNumber()),
  );
}

/** The same of the benchmark, day by day beside ours; empty without one. */
export function benchmarkReturns({ startEquity, benchmark }: Pick<RunRecord, 'startEquity' | 'benchmark'>): number[] {
  return benchmark === undefined ? [] : returnsOf(startEquity.toNumber(), benchmark.dayEquity);
}

function returnsOf(start: number, equities: readonly number[]): number[] {
  let before = start;
  return equities.map((equity) => {
    const dayReturn = before > 0 ? equity / before - 1 : Number.NaN;
    before = equity;
    return dayReturn;
  });
}
