import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';

/** The lowest and the highest price of an instrument over a stretch of time, in ticks (halves between a bid and an ask). */
export interface PriceRange {
  readonly lowTicks: number;
  readonly highTicks: number;
}

/**
 * What kind of order made a fill: one that the strategy asked for (`signal`), a stop (a linked one or the strategy's
 * own), a linked take profit, the venue's liquidation, the close of a kill or of a limit that was broken (`flatten`), or that of the run's end.
 */
export type FillReason = 'signal' | 'stop' | 'trailing' | 'takeProfit' | 'liquidation' | 'flatten' | 'endOfRun';

/** What was noted beside a fill. */
export interface FillNote {
  readonly reason: FillReason;
  /** Prices of its instrument since the fill before it, while something of it was held; absent where there were none. */
  readonly range: PriceRange | undefined;
  /** It, or what became of its exits, hung on the assumed path inside a bar. May turn true later. */
  readonly onPath?: boolean | undefined;
}

/**
 * What one strategy did with one symbol on one side since it was last flat. Money is in the run's currency, prices
 * are in quote, quantities in base.
 */
interface TradeSoFar {
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: 'long' | 'short';
  /** Of the first entry fill. */
  readonly tag: string;
  /** Epoch ms of the first entry fill. */
  readonly entryTime: number;
  /** Average over the entry fills, by quantity. */
  readonly entryPrice: Decimal;
  /** The most that was held at once, after fees taken in base. */
  readonly maxQuantity: Decimal;
  /** What all entries were worth. */
  readonly entryValue: Decimal;
  /** All notional that went through, entries and exits. */
  readonly volume: Decimal;
  readonly fees: Decimal;
  /** Funding gained while it was open (negative: paid); zero but on futures. */
  readonly funding: Decimal;
  /** How many fills took part; one that turned the position counts in both its trades. */
  readonly fills: number;
  /** How many of them hung on the assumed path inside a bar. */
  readonly pathFills: number;
  /**
   * Maximum adverse and maximum favourable excursion: the worst (at most 0) and the best (at least 0) that the trade
   * stood at by the prices of the market, its own fills' included; fees and funding apart.
   */
  readonly mae: Decimal;
  readonly mfe: Decimal;
  /** The same as shares of what all entries were worth. */
  readonly maeShare: number;
  readonly mfeShare: number;
}

/** A trade from flat to flat. */
export interface ClosedTrade extends TradeSoFar {
  /** Of the last exit fill. */
  readonly exitTag: string;
  /** What kind of order the last exit fill was of. */
  readonly exitReason: FillReason;
  readonly exitTime: number;
  readonly exitPrice: Decimal;
  /** The venue closed it (or the last of it) for lack of margin. */
  readonly liquidated: boolean;
  /** `netProfit + fees - funding`. */
  readonly grossProfit: Decimal;
  /** What the account's cash gained: what came in less what was paid, fees and funding included. */
  readonly netProfit: Decimal;
  /** Net profit as a share of what all entries were worth. */
  readonly returnOnEntry: number;
  /** First entry to last exit. */
  readonly holdingMs: number;
}

/** A trade that was still open at the end of the run. */
export interface OpenTrade extends TradeSoFar {
  /** What is held, never negative. */
  readonly quantity: Decimal;
}

export interface Trades {
  /** In order of exit. */
  readonly closed: readonly ClosedTrade[];
  /** In order of entry. */
  readonly open: readonly OpenTrade[];
}

/** What the engine tags a strategy's share of a liquidation with, and how it begins the share's client order id. */
const TAG = 'liquidation';
const ID_PREFIX = 'liq-';

/** Whether the fill is a strategy's share of a position that the venue closed for lack of margin. */
export function isLiquidation({ tag, positionSide, clientOrderId }: Fill): boolean {
  return tag === TAG && positionSide !== 'net' && clientOrderId.startsWith(ID_PREFIX);
}

/** Averages of money divide; they are given to this many decimal places. Sums and extremes are exact. */
export const AVERAGE_PLACES = 8;

/** The sum of one of the figures that open trades have too. */
export function sumOf(trades: readonly (ClosedTrade | OpenTrade)[], figure: 'fees' | 'funding' | 'volume' | 'entryValue'): Decimal {
  return trades.reduce((sum, trade) => sum.plus(trade[figure]), ZERO);
}

/** The sum of the trades' net profits. */
export function netProfitOf(trades: readonly ClosedTrade[]): Decimal {
  return trades.reduce((sum, trade) => sum.plus(trade.netProfit), ZERO);
}

/** Share of trades with a net profit above zero, in [0, 1]; undefined without a trade. */
export function winRate(trades: readonly ClosedTrade[]): number | undefined {
  if (trades.length === 0) return undefined;
  return trades.filter((trade) => trade.netProfit.gt(0)).length / trades.length;
}

/** Sum of wins over the absolute sum of losses, 0 or more; undefined without a loss. */
export function profitFactor(trades: readonly ClosedTrade[]): number | undefined {
  const lost = netProfitOf(trades.filter((trade) => trade.netProfit.lt(0)));
  if (lost.isZero()) return undefined;
  return netProfitOf(trades.filter((trade) => trade.netProfit.gt(0)))
    .div(lost.neg())
    .toNumber();
}
