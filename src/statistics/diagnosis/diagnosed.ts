import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { RunRecord } from '../run-record.ts';
import type { Statistics } from '../statistics.ts';
import type { Trades } from '../trades/trade.ts';

/** One number that a strategy was set up with. */
export interface ParameterSetting {
  /** Keys joined by dots. */
  readonly name: string;
  readonly value: number;
  /** What the strategy's schema says; absent where it says nothing. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly default?: number | undefined;
}

export interface StrategySetup {
  readonly id: string;
  readonly parameters: readonly ParameterSetting[];
  /** Stops that it asked for: its own and those linked to entries and positions. */
  readonly stopsAsked: number;
}

/** Of the bar that a fill happened in. */
export interface BarAtFill {
  /** In base. */
  readonly volume: number;
  readonly lowTicks: number;
  readonly highTicks: number;
}

/** Times without prices of an instrument of which something was held. */
export interface HeldGaps {
  readonly symbol: string;
  readonly count: number;
  readonly longestMs: number;
  /** Epoch ms at which the longest began. */
  readonly longestFrom: number;
}

/** The settings of the simulator that a reviewer asks for. */
export interface FillAssumptions {
  /** What takers pay beyond the price: a spread that is recorded, one (or slippage) that is set, or nothing. */
  readonly spread: 'recorded' | 'set' | 'none';
  /** On bars: market orders fill at the close that decided them. */
  readonly marketAtClose: boolean;
  /** On bars: the path inside them is the worst for what is held. */
  readonly worstPath: boolean;
  /** Resting orders fill as soon as their price is touched. */
  readonly fillsOnTouch: boolean;
}

/** The same run with everything later. */
export interface DelayedRun {
  /** Added to the way of orders and to the way back, each. */
  readonly delayMs: number;
  readonly finalEquity: Decimal;
}

/** What checks look at beside the figures. */
export interface DiagnosisContext {
  readonly strategies: readonly StrategySetup[];
  readonly intents: number;
  readonly orders: number;
  /** Refusals of the risk gate, and of the venue. */
  readonly denied: number;
  readonly rejected: number;
  readonly fills: FillAssumptions;
  /** Fills that hung on the assumed path inside a bar. */
  readonly pathFills: number;
  /** Where prices come as bars. */
  readonly bars: ReadonlyMap<Fill, BarAtFill>;
  readonly gaps: readonly HeldGaps[];
  /** The nearest that liquidation came to the mark, as a share of it; undefined where no price would have done it. */
  readonly liquidationDistance: number | undefined;
  /** Where it was run again. */
  readonly delayed: DelayedRun | undefined;
}

/** A finished run as checks see it. */
export interface Diagnosed {
  readonly record: RunRecord;
  readonly trades: Trades;
  readonly statistics: Statistics;
  readonly context: DiagnosisContext;
}
