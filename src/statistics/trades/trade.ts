import type { Decimal } from '../../model/decimal.ts';
import type { FillReason } from './fill-note.ts';

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
