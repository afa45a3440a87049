import type { ClosedTrade } from './trades/trade.ts';

/** What the trades of a run can be told apart by. */
export const BREAKDOWNS = ['symbol', 'side', 'tag', 'exitReason', 'hour', 'weekday', 'day', 'week', 'month', 'year'] as const;
export type BreakdownBy = (typeof BREAKDOWNS)[number];
/** Stretches of the run itself, which have a return of the equity too. */
export type Period = 'day' | 'week' | 'month' | 'year';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAY_MS = 86_400_000;
const THURSDAY = 4;

export function isPeriod(by: BreakdownBy): by is Period {
  return by === 'day' || by === 'week' || by === 'month' || by === 'year';
}

/** The row that a closed trade belongs to; in time, all UTC, it is that of its last exit. */
export function breakdownKeyOf(trade: ClosedTrade, by: BreakdownBy): string {
  switch (by) {
    case 'symbol':
    case 'side':
    case 'tag':
    case 'exitReason':
      return trade[by];
    case 'hour':
      return String(new Date(trade.exitTime).getUTCHours()).padStart(2, '0');
    case 'weekday': {
      const day = new Date(trade.exitTime).getUTCDay();
      return `${day === 0 ? 7 : day} ${WEEKDAYS[day]}`;
    }
    default:
      return periodOf(trade.exitTime, by);
  }
}

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
