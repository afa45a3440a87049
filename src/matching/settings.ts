import type { FeeModel, LimitModel, PathModel, SlippageModel } from '../ports/models.ts';
import { isOwnModel, type OwnModel } from './models/own-model.ts';

/**
 * Which orders leave a level when it shrinks without trades, those ahead of our order or those behind it:
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

/** Resting orders fill by their place in the queue at their price. */
export type QueueRule = QueueModel & {
  /** Base quantity that is assumed ahead where the data has none, as decimal text; absent: only trades through the limit fill. */
  readonly ahead?: string | undefined;
};

/** How far beyond a limit the market must go before a resting order fills: in ticks, or by a queue model. */
export type LimitRule = 'touch' | 'strictCross' | { readonly penetrateTicks: number } | QueueRule;

export const BAR_PATHS = ['worst', 'best', 'ohlc', 'olhc', 'nearest'] as const;
export type BarPath = (typeof BAR_PATHS)[number];

/** The slippage of takers: by the spread, by their share of a bar's volume, or by the square root of their share of the market. */
export type SlippageSettings =
  /** A share of the spread. */
  | { readonly spread: number }
  /** `limit`: the largest share of a bar's volume that own orders may take, as decimal text. */
  | { readonly volumeShare: { readonly impact: number; readonly limit: string } }
  /** `days`: the period over which volatility and volume are measured. */
  | { readonly squareRoot: { readonly coefficient: number; readonly days: number } };

/** Every approximation of the simulator, by name; the rules are in docs/reference/simulator.md. */
export interface FillSettings {
  /** With bars: market, IOC and FOK orders match at the next open, or at the close at which (or before which) they arrive. */
  readonly market: 'nextOpen' | 'close';
  readonly limit: LimitRule | OwnModel<LimitModel>;
  /**
   * The data that fills resting orders where a book (quotes or depth) and trades are known: `both`, or `trades` alone, so that no
   * liquidity is counted twice.
   */
  readonly restingBy: 'both' | 'trades';
  /**
   * `kept`: the quantity that own orders take of a book stays taken until the book changes there. `none`: it is available again for the
   * next order.
   */
  readonly impact: 'kept' | 'none';
  /** A resting order whose limit the open has passed fills at its limit, or at the better open. */
  readonly gapFill: 'limit' | 'better';
  readonly path: BarPath | OwnModel<PathModel>;
  /** `recorded`: sizes of quotes and of trades limit the fills of all own orders together, each size once. `unlimited`: any size fills. */
  readonly liquidity: 'recorded' | 'unlimited';
  /** With bars: the share of a bar's volume that own orders may take together; absent means no limit. */
  readonly barVolumeShare: number | undefined;
  /** With tickers or trades as prices: takers pay the last price plus (sell: minus) this many ticks, rounded up. */
  readonly halfSpreadTicks: number;
  /** The quantity that own orders may take together at one ticker, in base, as decimal text; absent means no limit. */
  readonly tickerQuantity?: string | undefined;
  /** Slippage of every taker, in basis points, rounded to the worse tick, never beyond its limit. */
  readonly slippageBps: number;
  /** Added to `slippageBps`; absent: nothing. */
  readonly slippage?: SlippageSettings | OwnModel<SlippageModel> | undefined;
  /** Absent: the rates of the instruments. */
  readonly fee?: OwnModel<FeeModel> | undefined;
}

/**
 * Ticks by which the market must pass a limit: 0 touches, 1 strictly crosses. For a queue it is 0: a book that reaches the limit has used
 * up the queue. For a model of the user, whose orders differ, it is 1.
 */
export function penetrationTicks(rule: FillSettings['limit']): number {
  if (isOwnModel(rule)) return 1;
  if (rule === 'touch' || isQueueRule(rule)) return 0;
  return rule === 'strictCross' ? 1 : rule.penetrateTicks;
}

export function isQueueRule(rule: unknown): rule is QueueRule {
  return typeof rule === 'object' && rule !== null && 'queue' in rule;
}
