import { ratioOf } from '../model/decimal.ts';
import { FillSums, fillFoldOf } from './fill-fold.ts';
import { type Period, periodReturns } from './returns/daily-returns.ts';
import type { RunRecord } from './run-record.ts';
import { type OpenTrade, sumOf, type Trades } from './trades/trade.ts';
import { BREAKDOWNS, type BreakdownBy, BreakdownGroup, tradeFoldOf } from './trades/trade-fold.ts';

export { BREAKDOWNS, type BreakdownBy };

type BrokenDown = Pick<RunRecord, 'startEquity' | 'dayEquity' | 'dayZone' | 'fills'>;

/**
 * One line of a breakdown. Money is decimal text. By symbol, strategy, side, tag and exit reason, `fees`, `funding` and `volume`
 * include trades that are still open, so that the columns sum to the run's totals. By tag, `fills`, `fees` and `volume` count each fill under
 * its own tag. All other columns count closed trades only.
 */
export interface BreakdownRow {
  /** The symbol, tag, day and so on. Trades without a tag have the empty text as key; open trades have the exit reason `open`. */
  readonly key: string;
  readonly trades: number;
  /** The fills of the row's trades; by tag, those with the tag. A fill that belongs to several trades counts in each. */
  readonly fills: number;
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
  /** Return of the equity over the period; null but by day, week, month and year. */
  readonly equityReturn: number | null;
}

/** Every breakdown of a run. */
export function breakdowns(trades: Trades, record: BrokenDown): Record<BreakdownBy, BreakdownRow[]> {
  return Object.fromEntries(BREAKDOWNS.map((by) => [by, breakdown(trades, by, record)])) as Record<BreakdownBy, BreakdownRow[]>;
}

/**
 * One row per distinct key, in order of key. A trade's tag is that of its first entry fill; a tag of exits alone has a row of fills. By day, week, month and
 * year every one with market data has a row, whether a trade ended in it or not.
 */
export function breakdown(trades: Trades, by: BreakdownBy, record: BrokenDown): BreakdownRow[] {
  // A group has legs of several symbols and sides.
  const { closed, open } = trades.legs !== undefined && (by === 'symbol' || by === 'side') ? trades.legs : trades;
  const groups = tradeFoldOf(closed, record.dayZone).by(by);
  const returns: ReadonlyMap<string, number | null> = isPeriod(by) ? periodReturns(record, by) : new Map();
  const fills = by === 'tag' ? fillFoldOf(record).byTag : undefined;
  const keys = new Set([...returns.keys(), ...groups.keys(), ...(fills?.keys() ?? [])]);
  for (const trade of open) {
    const key = openKeyOf(trade, by);
    if (key !== undefined) keys.add(key);
  }
  return [...keys]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((key) => {
      const still = open.filter((trade) => openKeyOf(trade, by) === key);
      const traded = fills === undefined ? undefined : (fills.get(key) ?? new FillSums());
      return rowOf(key, groups.get(key) ?? new BreakdownGroup(), still, traded, returns.get(key) ?? null);
    });
}

/** @param fills those that count in the row, if they are not those of its trades. */
function rowOf(
  key: string,
  group: BreakdownGroup,
  open: readonly OpenTrade[],
  fills: FillSums | undefined,
  equityReturn: number | null,
): BreakdownRow {
  const { trades } = group;
  const none = trades === 0;
  const [won, lost] = [group.won.total, group.lost.total];
  const of = fills ?? {
    count: open.reduce((count, trade) => count + trade.fills, group.fills),
    fees: group.fees.total.plus(sumOf(open, 'fees')),
    volume: group.volume.total.plus(sumOf(open, 'volume')),
  };
  return {
    key,
    trades,
    fills: of.count,
    wins: group.wins,
    losses: group.losses,
    winRate: none ? null : group.wins / trades,
    netProfit: won.plus(lost).toFixed(),
    fees: of.fees.toFixed(),
    funding: group.funding.total.plus(sumOf(open, 'funding')).toFixed(),
    volume: of.volume.toFixed(),
    profitFactor: lost.isZero() ? null : ratioOf(won, lost.neg()),
    averageReturn: none ? null : group.returns / trades,
    averageHoldingMs: none ? null : group.holdingMs / trades,
    equityReturn,
  };
}

export function isPeriod(by: BreakdownBy): by is Period {
  return by === 'day' || by === 'week' || by === 'month' || by === 'year';
}

/** An open trade belongs to no hour and no day. */
function openKeyOf(trade: OpenTrade, by: BreakdownBy): string | undefined {
  if (by === 'symbol' || by === 'side' || by === 'tag') return trade[by];
  if (by === 'strategy') return trade.strategyId;
  return by === 'exitReason' ? 'open' : undefined;
}
