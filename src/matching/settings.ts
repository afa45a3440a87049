/** How far beyond a limit the market must go before a resting order fills, in ticks: the fill rule as a number. */
export type LimitRule = 'touch' | 'strictCross' | { readonly penetrateTicks: number };

export type BarPath = 'worst' | 'ohlc' | 'olhc' | 'nearest';

/** Every approximation of the simulator, by name; the rules are in docs/simulator.md. */
export interface FillSettings {
  /** On bars: market, IOC and FOK orders meet the next open, or the close at which (or before which) they arrive. */
  readonly market: 'nextOpen' | 'close';
  readonly limit: LimitRule;
  /** A resting order that the open has jumped over fills at its limit, or at the better open. */
  readonly gapFill: 'limit' | 'better';
  readonly path: BarPath;
  /** `recorded`: sizes of quotes and of trades are budgets of all own orders, consumed once. `unlimited`: any size fills. */
  readonly liquidity: 'recorded' | 'unlimited';
  /** On bars: the share of a bar's volume that own orders may take together; absent means no limit. */
  readonly barVolumeShare: number | undefined;
  /** Where tickers or trades tell the price: takers pay the last one plus (sell: minus) this many ticks, rounded up. */
  readonly halfSpreadTicks: number;
  /** What own orders may take together at one ticker, in base, as decimal text; absent means no limit. */
  readonly tickerQuantity?: string | undefined;
  /** Added against every taker, in basis points, rounded to the worse tick, never beyond its limit. */
  readonly slippageBps: number;
}

/** Ticks by which the market must pass a limit: 0 touches, 1 strictly crosses. */
export function penetrationTicks(rule: LimitRule): number {
  if (rule === 'touch') return 0;
  return rule === 'strictCross' ? 1 : rule.penetrateTicks;
}
