/** What a strategy must be fed. Hooks for quotes, trades, tickers, marks and funding say so by being there. */
export interface StrategyNeeds {
  /** Bar interval or intervals: `1m`, `15m`, `1h`, `1d`. */
  readonly bars?: string | readonly string[];
  /** For strategies written as streams, which have no hooks to tell by. */
  readonly quotes?: boolean;
  /** Changes of the order book. */
  readonly depth?: boolean;
  readonly trades?: boolean;
  readonly tickers?: boolean;
  readonly marks?: boolean;
  readonly funding?: boolean;
  /** Completed bars of each symbol and interval that must be at hand in `onStart`. */
  readonly history?: number;
}
