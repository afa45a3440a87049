import { DayZone } from '../../model/day-zone.ts';
import type { RunRecord } from '../run-record.ts';
import { deviation, growth, mean, RESOLUTION, slope } from './moments.ts';

/** A return by the end of its day, epoch ms. */
export interface DayReturn {
  readonly time: number;
  readonly value: number;
}

type DayRecord = Pick<RunRecord, 'startEquity' | 'dayEquity' | 'dayZone'>;

/**
 * One simple return per day that has market data: the day's last equity over that of the day before, minus 1. The first day starts from the
 * starting equity, so that the returns compound to the whole run. NaN after a day that ended without equity. Days without market data (a
 * weekend of stocks) give no return; they are not counted as zeros.
 */
export function dailyReturns(record: Pick<RunRecord, 'startEquity' | 'dayEquity'>): number[] {
  return returnsOf(
    record.startEquity.toNumber(),
    record.dayEquity.map((day) => day.equity.toNumber()),
  );
}

/** The same for the benchmark, for the same days; empty without one. */
export function benchmarkReturns({ startEquity, benchmark }: Pick<RunRecord, 'startEquity' | 'benchmark'>): number[] {
  return benchmark === undefined ? [] : returnsOf(startEquity.toNumber(), benchmark.dayEquity);
}

function returnsOf(start: number, equities: readonly number[]): number[] {
  return equities.map((equity, index) => {
    const change = growth(index === 0 ? start : equities[index - 1]!, equity);
    return Math.abs(change) <= RESOLUTION ? 0 : change;
  });
}

/** The returns of one calendar year. */
export interface YearReturns {
  readonly year: number;
  /** January first; null for months without market data, and after a month that ended without equity. */
  readonly months: readonly (number | null)[];
  /** The months compounded; null after a year that ended without equity. */
  readonly total: number | null;
}

/** The return of each month, by year; the first and the last month may be partial. */
export function monthlyReturns(record: DayRecord): YearReturns[] {
  const months = periodReturns(record, 'month');
  return [...periodReturns(record, 'year')].map(([year, total]) => ({
    year: Number(year),
    months: Array.from({ length: 12 }, (_, month) => months.get(`${year}-${String(month + 1).padStart(2, '0')}`) ?? null),
    total,
  }));
}

/** Periods that also have a return of the equity. */
export type Period = 'day' | 'week' | 'month' | 'year';

/**
 * The return of the equity by period, in order of time: the last equity of the period over that of the period before
 * (the starting equity for the first) minus 1; `null` after a period that ended without equity. Only periods with
 * market data are there; the first and the last may be partial.
 */
export function periodReturns({ startEquity, dayEquity, dayZone }: DayRecord, period: Period) {
  const zone = new DayZone(dayZone);
  const ends = new Map<string, number>();
  // A day's time is its end, the first moment of the next one.
  for (const { time, equity } of dayEquity) ends.set(periodOf(time - 1, period, zone), equity.toNumber());
  return growths(startEquity.toNumber(), ends);
}

function growths(start: number, ends: ReadonlyMap<string, number>): Map<string, number | null> {
  let before = start;
  return new Map(
    [...ends].map(([key, equity]) => {
      const grown = finite(growth(before, equity));
      before = equity;
      return [key, grown] as const;
    }),
  );
}

/** The return of one calendar year, and that of the benchmark. */
export interface YearComparison {
  readonly year: string;
  /** Null after a year that ended without equity. */
  readonly run: number | null;
  readonly benchmark: number | null;
}

/** The returns by year next to those of the benchmark; empty without a benchmark. The first and the last year may be partial. */
export function yearsAgainstBenchmark(record: DayRecord & Pick<RunRecord, 'benchmark'>): YearComparison[] {
  const { startEquity, dayEquity, dayZone, benchmark } = record;
  if (benchmark === undefined) return [];
  const zone = new DayZone(dayZone);
  const ends = new Map<string, number>();
  for (const [index, { time }] of dayEquity.entries()) ends.set(periodOf(time - 1, 'year', zone), benchmark.dayEquity[index]!);
  const theirs = growths(startEquity.toNumber(), ends);
  return [...periodReturns(record, 'year')].map(([year, run]) => ({ year, run, benchmark: theirs.get(year) ?? null }));
}

const DAY_MS = 86_400_000;
const THURSDAY = 4;

/** `2025-01-31`, `2025-W05` (ISO 8601: the week of its Thursday), `2025-01` or `2025`: the period of a moment, by its date in the zone. */
export function periodOf(time: number, period: Period, zone: DayZone): string {
  const day = zone.dateOf(time);
  if (period === 'day') return day;
  if (period === 'month') return day.slice(0, 7);
  if (period === 'year') return day.slice(0, 4);
  const date = Date.parse(day);
  const weekday = new Date(date).getUTCDay();
  const thursday = new Date(date + (THURSDAY - (weekday === 0 ? 7 : weekday)) * DAY_MS);
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = 1 + Math.floor((thursday.getTime() - newYear) / (7 * DAY_MS));
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

/** The figures of the daily returns of the window that ends with this day. */
interface RollingPoint {
  /** The day's end: the next midnight, epoch ms. */
  readonly time: number;
  /** Annualised; null without any variation, or after a day that ended without equity. */
  readonly sharpe: number | null;
  /** Annualised, as a share. */
  readonly volatility: number | null;
  /** Against the benchmark; absent without one. */
  readonly beta?: number | null;
}

export interface RollingWindow {
  /** Daily returns in the window. */
  readonly days: number;
  /** One for each day from the first full window on; empty where the run is shorter. */
  readonly points: readonly RollingPoint[];
}

/** A month, a quarter and half a year of days with market data. */
const WINDOWS = [30, 90, 180] as const;

type RollingRecord = Pick<RunRecord, 'startEquity' | 'dayEquity' | 'annualDays' | 'benchmark'>;

/** Sharpe ratio, volatility and beta, defined as for the whole run, over windows that move by a day. */
export function rollingWindows(record: RollingRecord): RollingWindow[] {
  const returns = dailyReturns(record);
  const theirs = benchmarkReturns(record);
  const scale = Math.sqrt(record.annualDays);
  return WINDOWS.map((days) => ({
    days,
    points: record.dayEquity.slice(days - 1).map(({ time }, index): RollingPoint => {
      const window = returns.slice(index, index + days);
      const spread = deviation(window);
      return {
        time,
        sharpe: finite((mean(window) / spread) * scale),
        volatility: finite(spread * scale),
        ...(record.benchmark && { beta: finite(slope(window, theirs.slice(index, index + days))) }),
      };
    }),
  }));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
