import type { Decimal } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { ComparedFigure } from './compared-figures.ts';
import type { ComparedOrder } from './compared-run.ts';
import type { SetupDifference, SetupKind } from './run-setup.ts';

/** Why two runs differ. `unexplained` is whatever no rule names: it is never put to another. */
export const CAUSES = {
  missingData: 'missing data',
  latency: 'latency',
  price: 'price',
  partialFill: 'partial fill',
  fee: 'fee',
  refused: 'refused',
  foreign: 'foreign',
  funding: 'funding',
  liquidation: 'liquidation',
  start: 'start',
  endPrice: 'end price',
  unexplained: 'unexplained',
} as const;

export type Cause = keyof typeof CAUSES;

/** A part of the difference, with its cause. Money is in the runs' currency: above zero, the second run has more. */
export interface DifferencePart {
  readonly cause: Cause;
  readonly amount: Decimal;
  /** What was seen, in words. */
  readonly note: string;
}

/** One order of the first run and the matching one of the second; one of them may be missing. */
export interface OrderPair {
  readonly a: ComparedOrder | undefined;
  readonly b: ComparedOrder | undefined;
}

/** A pair that one of the runs filled, and what it adds to the difference. */
export interface ComparedTrade extends OrderPair {
  /** The first fill of either, epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  readonly symbol: string;
  readonly side: Side;
  /** Empty where both did the same. */
  readonly parts: readonly DifferencePart[];
}

/**
 * The orders of one strategy in one symbol from when both runs were flat to when both are flat again. What an entry costs one
 * run its exit often brings back: only their sum is a difference.
 */
export interface RoundTrip {
  /** The first fill and the last trade's first fill of either run, epoch ms. */
  readonly from: number;
  readonly to: number;
  readonly strategyId: string;
  readonly symbol: string;
  /** In order of time. */
  readonly trades: readonly ComparedTrade[];
  readonly amount: Decimal;
}

/** A part of the difference that no fill made. */
export interface OtherDifference extends DifferencePart {
  /** Epoch ms; absent where it has none of its own. */
  readonly time: number | undefined;
}

/** Two runs side by side: the parts of `trades` and of `others` sum to `difference`, to the last digit. */
export interface Comparison {
  readonly currency: string;
  /** What differs in how the runs were made, and the kinds of which one of them does not tell. */
  readonly setup: { readonly differences: readonly SetupDifference[]; readonly unknown: readonly SetupKind[] };
  readonly figures: readonly ComparedFigure[];
  readonly finalEquityA: Decimal;
  readonly finalEquityB: Decimal;
  /** Of the final equities, the second less the first. */
  readonly difference: Decimal;
  /** Every cause that has a part, the largest amount first. */
  readonly causes: readonly { readonly cause: Cause; readonly amount: Decimal; readonly count: number }[];
  readonly trades: readonly ComparedTrade[];
  /** Those trades that differ, from flat to flat. */
  readonly roundTrips: readonly RoundTrip[];
  readonly others: readonly OtherDifference[];
}

/** How orders are told to be the same. */
export interface CompareOptions {
  /** How far apart two orders may be decided, in ms. */
  readonly windowMs: number;
  /** Fills no further apart are of the same moment, in ms. */
  readonly toleranceMs: number;
}
