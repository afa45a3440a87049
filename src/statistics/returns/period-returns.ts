import { type Period, periodOf } from '../breakdown-keys.ts';
import type { RunRecord } from '../run-record.ts';

/**
 * The return of the equity by period, in order of time: the last equity of the period over that of the period before
 * (the starting equity for the first) minus 1; `null` after a period that ended without equity. Only periods with
 * market data are there; the first and the last may be partial.
 */
export function periodReturns({ startEquity, dayEquity }: Pick<RunRecord, 'startEquity' | 'dayEquity'>, period: Period) {
  const ends = new Map<string, number>();
  // A day's time is its end, the first moment of the next one.
  for (const { time, equity } of dayEquity) ends.set(periodOf(time - 1, period), equity.toNumber());
  let before = startEquity.toNumber();
  return new Map(
    [...ends].map(([key, equity]) => {
      const grown = before > 0 ? equity / before - 1 : null;
      before = equity;
      return [key, grown] as const;
    }),
  );
}
