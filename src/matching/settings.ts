/**
 * Which orders leave a level when it shrinks without trades, those ahead of ours or those behind:
 *
 * - `riskAverse`: those behind, as long as there are any. Only trades bring an order forward.
 * - `power`, `log`: both, in shares f(ahead) : f(behind) of the decrease, with f(x) = x^n or f(x) = log(1 + x), x in base.
 *
 * The formulas are those of Rigtorp, Estimating order queue position (2013), and of hftbacktest's queue models.
 */
export type QueueModel =
  | { readonly queue: 'riskAverse' }
  | { readonly queue: 'power'; readonly exponent: number }
  | { readonly queue: 'log' };

/** When resting orders fill by their place in the queue of their price. */
export type QueueRule = QueueModel & {
  /** Base assumed ahead where the data tells no quantity, as decimal text; absent: only trades through the limit fill. */
  readonly ahead?: string | undefined;
};

/** How far beyond a limit the market must go before a resting order fills, in ticks, or by which queue. */
export type LimitRule = 'touch' | 'strictCross' | { readonly penetrateTicks: number } | QueueRule;

export const BAR_PATHS = ['worst', 'best', 'ohlc', 'olhc', 'nearest'] as const;
export type BarPath = (typeof BAR_PATHS)[number];

/** What takers pay by the spread, by their share of a bar's volume, or by the square root of their share of the market. */
export type SlippageModel =
  /** A share of the spread. */
  | { readonly spread: number }
  /** `limit`: the largest share of a bar's volume that own orders may take, as decimal text. */
  | { readonly volumeShare: { readonly impact: number; readonly limit: string } }
  /** `days`: over how many volatility and volume are measured. */
  | { readonly squareRoot: { readonly coefficient: number; readonly days: number } };

/** Every approximation of the simulator, by name; the rules are in docs/simulator.md. */
export interface FillSettings {
  /** On bars: market, IOC and FOK orders meet the next open, or the close at which (or before which) they arrive. */
  readonly market: 'nextOpen' | 'close';
  readonly limit: LimitRule;
  /**
   * What fills resting orders where a book (quotes or depth) and trades are known: `both`, or `trades` alone, so that no
   * liquidity is counted twice.
   */
  readonly restingBy: 'both' | 'trades';
  /** `kept`: what own orders take of a book stays taken until it changes there. `none`: the next order finds it again. */
  readonly impact: 'kept' | 'none';
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
  /** On top of them; absent: nothing. */
  readonly slippage?: SlippageModel | undefined;
}

/** Ticks by which the market must pass a limit: 0 touches, 1 strictly crosses. A book that reaches a queue has used it up. */
export function penetrationTicks(rule: LimitRule): number {
  if (rule === 'touch' || isQueueRule(rule)) return 0;
  return rule === 'strictCross' ? 1 : rule.penetrateTicks;
}

export function isQueueRule(rule: LimitRule): rule is QueueRule {
  return typeof rule === 'object' && 'queue' in rule;
}
