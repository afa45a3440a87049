import { type Period, periodOf, periodReturns } from './returns/daily-returns.ts';
import { mean } from './returns/moments.ts';
import type { RunRecord } from './run-record.ts';
import { type ClosedTrade, netProfitOf, type OpenTrade, profitFactor, sumOf, type Trades, winRate } from './trades/trade.ts';

/** What the trades of a run can be told apart by. */
export const BREAKDOWNS = ['symbol', 'side', 'tag', 'exitReason', 'hour', 'weekday', 'day', 'week', 'month', 'year'] as const;

export type BreakdownBy = (typeof BREAKDOWNS)[number];

/**
 * One line of a breakdown. Money is decimal text. By symbol, side, tag and exit reason, `fees`, `funding` and `volume`
 * include trades that are still open, so that the columns sum to the run's totals; all else is of closed trades.
 */
export interface BreakdownRow {
  /** The symbol, tag, day and so on; trades without a tag stand under the empty text, open ones under exit reason `open`. */
  readonly key: string;
  readonly trades: number;
  readonly wins: number;
  readonly losses: number;
  /** Share of closed trades with a net profit above zero; null without a closed trade. */
  readonly winRate: number | null;
  readonly netProfit: string;
  readonly fees: string;
  /** Negative: paid. */
  readonly funding: string;
  readonly volume: string;
  /** Sum of wins over sum of losses; null without a loss. */
  readonly profitFactor: number | null;
  /** Mean of the trades' returns on entry; null without a closed trade. */
  readonly averageReturn: number | null;
  /** Mean, ms; null without a closed trade. */
  readonly averageHoldingMs: number | null;
  /** Of the equity over the period; null but by day, week, month and year. */
  readonly equityReturn: number | null;
}

/** Every breakdown of a run. */
export function breakdowns(trades: Trades, record: Pick<RunRecord, 'startEquity' | 'dayEquity'>): Record<BreakdownBy, BreakdownRow[]> {
  const all = BREAKDOWNS.map((by) => [by, breakdown(trades, by, record)] as const);
  return Object.fromEntries(all) as Record<BreakdownBy, BreakdownRow[]>;
}

/**
 * One row per distinct key, in order of key. A trade's tag is that of its first entry fill. By day, week, month and
 * year every one with market data has a row, whether a trade ended in it or not.
 */
export function breakdown(trades: Trades, by: BreakdownBy, record: Pick<RunRecord, 'startEquity' | 'dayEquity'>): BreakdownRow[] {
  const returns = isPeriod(by) ? periodReturns(record, by) : new Map<string, number | null>();
  const rows = new Map<string, Group>([...returns.keys()].map((key) => [key, { closed: [], open: [] }]));
  const group = (key: string) => {
    const known = rows.get(key) ?? { closed: [], open: [] };
    rows.set(key, known);
    return known;
  };
  for (const trade of trades.closed) group(breakdownKeyOf(trade, by)).closed.push(trade);
  for (const trade of trades.open) {
    const key = openKeyOf(trade, by);
    if (key !== undefined) group(key).open.push(trade);
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, own]) => row(key, own, returns.get(key) ?? null));
}

interface Group {
  readonly closed: ClosedTrade[];
  readonly open: OpenTrade[];
}

function row(key: string, { closed, open }: Group, equityReturn: number | null): BreakdownRow {
  const all = [...closed, ...open];
  const none = closed.length === 0;
  return {
    key,
    trades: closed.length,
    wins: closed.filter(({ netProfit }) => netProfit.gt(0)).length,
    losses: closed.filter(({ netProfit }) => netProfit.lt(0)).length,
    winRate: winRate(closed) ?? null,
    netProfit: netProfitOf(closed).toFixed(),
    fees: sumOf(all, 'fees').toFixed(),
    funding: sumOf(all, 'funding').toFixed(),
    volume: sumOf(all, 'volume').toFixed(),
    profitFactor: profitFactor(closed) ?? null,
    averageReturn: none ? null : mean(closed.map(({ returnOnEntry }) => returnOnEntry)),
    averageHoldingMs: none ? null : mean(closed.map(({ holdingMs }) => holdingMs)),
    equityReturn,
  };
}

export function isPeriod(by: BreakdownBy): by is Period {
  return by === 'day' || by === 'week' || by === 'month' || by === 'year';
}

/** What has not ended belongs to no hour and no day. */
function openKeyOf(trade: OpenTrade, by: BreakdownBy): string | undefined {
  if (by === 'symbol' || by === 'side' || by === 'tag') return trade[by];
  return by === 'exitReason' ? 'open' : undefined;
}

/** The row that a closed trade belongs to; in time, all UTC, it is that of its last exit. */
function breakdownKeyOf(trade: ClosedTrade, by: BreakdownBy): string {
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

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
