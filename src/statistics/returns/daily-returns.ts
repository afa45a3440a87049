import type { RunRecord } from '../run-record.ts';
import { deviation, mean } from './moments.ts';

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

/** Stretches of the run itself, which have a return of the equity too. */
export type Period = 'day' | 'week' | 'month' | 'year';

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

const DAY_MS = 86_400_000;
const THURSDAY = 4;

/** `2025-01-31`, `2025-W05` (ISO 8601: the week of its Thursday), `2025-01` or `2025`: the period of a moment, UTC. */
export function periodOf(time: number, period: Period): string {
  const day = new Date(time).toISOString().slice(0, 10);
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  if (period === 'year') return day.slice(0, 4);
  const weekday = new Date(time).getUTCDay();
  const thursday = new Date(time + (THURSDAY - (weekday === 0 ? 7 : weekday)) * DAY_MS);
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - newYear) / (7 * DAY_MS));
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

/** The figures of the daily returns of the window that ends with a day. */
interface RollingPoint {
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
