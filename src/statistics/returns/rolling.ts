import type { RunRecord } from '../run-record.ts';
import { dailyReturns } from './daily-returns.ts';
import { deviation, mean } from './moments.ts';

/** The figures of the daily returns of the window that ends with a day. */
export interface RollingPoint {
  /** The day's end: the next UTC midnight, epoch ms. */
  readonly time: number;
  /** Annualised; null without any variation, or after a day that ended without equity. */
  readonly sharpe: number | null;
  /** Annualised, as a share. */
  readonly volatility: number | null;
}

export interface RollingWindow {
  /** Daily returns in the window. */
  readonly days: number;
  /** One for each day from the first full window on; empty where the run is shorter. */
  readonly points: readonly RollingPoint[];
}

/** A month, a quarter and half a year of days with market data. */
const WINDOWS = [30, 90, 180] as const;

/** Sharpe ratio and volatility, defined as for the whole run, over windows that move by a day. */
export function rollingWindows(record: Pick<RunRecord, 'startEquity' | 'dayEquity' | 'annualDays'>): RollingWindow[] {
  const returns = dailyReturns(record);
  const scale = Math.sqrt(record.annualDays);
  return WINDOWS.map((days) => ({
    days,
    points: record.dayEquity.slice(days - 1).map(({ time }, index): RollingPoint => {
      const window = returns.slice(index, index + days);
      const spread = deviation(window);
      return { time, sharpe: finite((mean(window) / spread) * scale), volatility: finite(spread * scale) };
    }),
  }));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
