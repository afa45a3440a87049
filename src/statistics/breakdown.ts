import type { ClosedTrade, OpenTrade, Trades } from './trade.ts';
import { netProfitOf, profitFactor, sumOf, winRate } from './trade-ratios.ts';

/**
 * One line of a table by symbol, by tag or by side. Money is decimal text. `fees`, `funding` and `volume` include
 * trades that are still open, so that the columns sum to the run's totals; all else is of closed trades.
 */
export interface BreakdownRow {
  /** The symbol, the tag or the side; trades without a tag stand under the empty text. */
  readonly key: string;
  readonly trades: number;
  /** Share of closed trades with a net profit above zero; null without a closed trade. */
  readonly winRate: number | null;
  readonly netProfit: string;
  readonly fees: string;
  /** Negative: paid. */
  readonly funding: string;
  readonly volume: string;
  /** Sum of wins over sum of losses; null without a loss. */
  readonly profitFactor: number | null;
}

/** One row per distinct key of the trades, in order of key. A trade's tag is that of its first entry fill. */
export function breakdown(trades: Trades, by: 'symbol' | 'tag' | 'side'): BreakdownRow[] {
  const keys = new Set([...trades.closed, ...trades.open].map((trade) => trade[by]));
  return [...keys].sort().map((key) =>
    row(
      key,
      trades.closed.filter((trade) => trade[by] === key),
      trades.open.filter((trade) => trade[by] === key),
    ),
  );
}

function row(key: string, closed: readonly ClosedTrade[], open: readonly OpenTrade[]): BreakdownRow {
  const all = [...closed, ...open];
  return {
    key,
    trades: closed.length,
    winRate: winRate(closed) ?? null,
    netProfit: netProfitOf(closed).toFixed(),
    fees: sumOf(all, 'fees').toFixed(),
    funding: sumOf(all, 'funding').toFixed(),
    volume: sumOf(all, 'volume').toFixed(),
    profitFactor: profitFactor(closed) ?? null,
  };
}
