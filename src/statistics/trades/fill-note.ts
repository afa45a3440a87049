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
